/** DuckDB, where it is installed: what other answers are compared with. */
import { createRequire } from 'node:module';

/** The part of `@duckdb/node-api` that is used. */
export interface DuckDb {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowObjects(): Record<string, unknown>[] }>;
  closeSync(): void;
}

interface Package {
  readonly DuckDBInstance: {
    create(path: string, options: Record<string, string>): Promise<{ connect(): Promise<DuckDb> }>;
  };
}

/** A database in memory; undefined: it is not installed, neither here nor in the folder of `DUCKDB_FOLDER`. */
export async function openDuckDb(threads = 2): Promise<DuckDb | undefined> {
  const load = createRequire(process.env['DUCKDB_FOLDER'] ?? import.meta.url);
  let found: Package;
  try {
    found = load('@duckdb/node-api') as Package;
  } catch {
    return undefined;
  }
  const instance = await found.DuckDBInstance.create(':memory:', { threads: String(threads) });
  return instance.connect();
}
