/** The baseline of questions about events: DuckDB over the same events in a table of its own, in memory, by two threads. */
import { serve } from '../child.js';
import { openDuckDb, type DuckDb } from '../duckdb.js';

/** `file`: a JSON object of an event in each line, read once; `sql`: what is asked. */
export type DuckDbOrder = { readonly file: string } | { readonly sql: string };

let db: DuckDb | undefined;

/** Answers milliseconds; undefined: it is not installed. */
serve<DuckDbOrder, number | undefined>(async (order) => {
  const begun = performance.now();
  if ('file' in order) {
    db = await openDuckDb();
    const columns =
      "{timestamp: 'TIMESTAMP', action: 'VARCHAR', subject: 'VARCHAR', object: 'VARCHAR', message: 'VARCHAR'}";
    await db?.run(`CREATE TABLE events AS SELECT * FROM read_json('${order.file}', columns = ${columns})`);
  } else await db?.runAndReadAll(order.sql);
  return db === undefined ? undefined : performance.now() - begun;
});
