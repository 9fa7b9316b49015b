/** DuckDB for tests that compare answers with it: it is no dependency, the registry has it ready-made (MIT, 70 MB, some seconds). */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDuckDb, type DuckDb } from '../../bench/duckdb.js';

const PACKAGE = '@duckdb/node-api@1.5.6-r.1';
const PATIENCE = 120_000;

export interface InstalledDuckDb {
  readonly db: DuckDb;
  close(): Promise<void>;
}

/** Installs it into a folder of its own unless it is there (`DUCKDB_FOLDER`). Undefined: npm cannot install it here. */
export async function installedDuckDb(): Promise<InstalledDuckDb | undefined> {
  const there = await openDuckDb();
  if (there !== undefined) return opened(there, undefined);
  const folder = await mkdtemp(join(tmpdir(), 'svc-duckdb-'));
  try {
    const options = ['--silent', '--no-save', '--no-audit', '--no-fund', '--prefix', folder];
    await promisify(execFile)('npm', ['install', ...options, PACKAGE], { timeout: PATIENCE });
  } catch {
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }
  process.env['DUCKDB_FOLDER'] = join(folder, 'package.json');
  const db = await openDuckDb();
  if (db === undefined) await rm(folder, { recursive: true, force: true });
  return db === undefined ? undefined : opened(db, folder);
}

function opened(db: DuckDb, folder: string | undefined): InstalledDuckDb {
  return {
    db,
    close: async () => {
      db.closeSync();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
