import type { MigrationStep } from './step.js';
import { cryptFunctions } from './steps/crypt-functions.js';
import { httpFunctions } from './steps/http-functions.js';
import { notions } from './steps/notions.js';

/** All steps, in their order: a new one that changes something stands before the reports, behind those of before. */
export const STEPS: readonly MigrationStep[] = [notions, cryptFunctions, httpFunctions];
