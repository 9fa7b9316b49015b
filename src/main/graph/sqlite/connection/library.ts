/** The library for SQLite, in the version for this Node (src/shared/native). Throws `NativeError` while it loads. */
import type Sqlite from 'better-sqlite3';
import { loadNative } from '../../../../shared/native/index.js';

export const Library = loadNative('better-sqlite3') as typeof Sqlite;
