import type { MigrationStep } from '../step.js';
import { lookAtScripts } from './scripts.js';

/** Calls to the crypt functions (contract, Startup migration mode). */
export const cryptFunctions: MigrationStep = {
  name: 'crypt-functions',
  version: '0.1.0',
  kind: 'report',
  about: 'calls that encrypt or decrypt',
  run: (work) => lookAtScripts(work, 'crypt'),
};
