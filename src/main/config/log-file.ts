import { resolve } from 'node:path';
import type { Config } from './config.js';

/** The file that `LOG_FILE` of the environment names; undefined: the log is on standard output alone (docs/interface/operations.md 8.1). */
export function logFileOf(config: Pick<Config, 'path'>): string | undefined {
  const named = process.env['LOG_FILE'] ?? '';
  return named === '' ? undefined : resolve(config.path('base.path'), named);
}
