import type { GraphErrorCode } from './graph/index.js';

/** Exit codes of the server and the commands (docs/operations.md, "When it does not start"). */
export const EXIT = {
  ok: 0,
  failed: 1,
  configuration: 2,
  /** The command line of a command makes no sense. */
  usage: 3,
  /** A dry run of migrations has come to its end (contract, Errors 4). */
  migrationDryRun: 4,
  portTaken: 10,
  notWritable: 11,
  databaseLocked: 12,
  databaseTooNew: 13,
  schema: 14,
  databaseUnavailable: 15,
  databaseNotEmpty: 16,
  /** A copy that is not the same as its source, or a source that changed. */
  copyDiffers: 17,
  /** HTTPS is wanted, and its certificate or key cannot be used. */
  certificate: 18,
  /** The file of the embedded database is damaged, or gone. */
  databaseDamaged: 19,
  logDamaged: 20,
  /** A log without its database, or of another one. */
  logMismatch: 21,
  /** The database and the content in `files.path` do not belong together. */
  filesMismatch: 22,
  /** `files.path` is no folder, or one that cannot be written. */
  filesNotWritable: 23,
  diskFull: 24,
  unfinishedCopy: 25,
  /** A step of migration that the data need has failed. */
  migrationFailed: 26,
  /** An administrator wants it to be started again; the launcher does. */
  restart: 27,
  interrupted: 130,
} as const;

const OF_GRAPH: Readonly<Partial<Record<GraphErrorCode, number>>> = {
  not_found: EXIT.databaseUnavailable,
  locked: EXIT.databaseLocked,
  too_new: EXIT.databaseTooNew,
  not_writable: EXIT.notWritable,
  storage_full: EXIT.diskFull,
  damaged: EXIT.databaseDamaged,
  log_damaged: EXIT.logDamaged,
  log_mismatch: EXIT.logMismatch,
  unfinished: EXIT.unfinishedCopy,
  unreachable: EXIT.databaseUnavailable,
  unavailable: EXIT.databaseUnavailable,
};

/** The exit code for an error of the graph. */
export function exitCodeOf(code: GraphErrorCode): number {
  return OF_GRAPH[code] ?? EXIT.failed;
}
