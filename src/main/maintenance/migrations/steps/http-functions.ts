import type { MigrationStep } from '../step.js';
import { lookAtScripts } from './scripts.js';

/** Calls to other servers with arguments as before 7.0: what is certain is rewritten (contract, Startup migration mode). */
export const httpFunctions: MigrationStep = {
  name: 'http-functions',
  version: '0.1.0',
  kind: 'report',
  about: 'calls to other servers as before 7.0',
  run: (work) => lookAtScripts(work, 'http'),
};
