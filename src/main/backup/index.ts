/** The backup room: the database and its content, to another place and back. */
export { createBackup, type BackupReport } from './create.js';
export { BackupError } from './errors.js';
export { backupsIn } from './manifest.js';
export { openPlace } from './places/index.js';
export { pruneBackups } from './prune.js';
export { restoreBackup, verifyBackup } from './restore.js';
export { BackupSchedule } from './schedule.js';
