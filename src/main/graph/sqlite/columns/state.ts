/** What the database says of columns: which files count, up to which row, and which rows have changed since. */

/** Between rows of `column_segment` there is nothing else up to `upto`; `isFull`: it ended by a limit. `column_stale` may name a row more than once. */
export const COLUMN_SCHEMA = `
CREATE TABLE IF NOT EXISTS column_state(id INTEGER PRIMARY KEY CHECK (id=1), shape TEXT NOT NULL, upto INTEGER NOT NULL, watched INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS column_segment(first INTEGER PRIMARY KEY, last INTEGER NOT NULL, amount INTEGER NOT NULL, isFull INTEGER NOT NULL, file TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS column_stale(n INTEGER PRIMARY KEY, pk INTEGER NOT NULL);`;

export const COLUMN_TABLES = ['column_state', 'column_segment', 'column_stale'] as const;

/** Beside the database. */
export const COLUMN_FOLDER = 'columns';

/** A row that columns may have is not any more as it was. */
export const MARK_STALE = 'INSERT INTO column_stale(pk) VALUES (?)';

export const SEGMENTS = 'SELECT first,last,amount,isFull,file FROM column_segment ORDER BY first';

/** The key up to which all is in segments; all where there are none. */
export const COVERED = 'coalesce((SELECT upto FROM column_state),0)';

/** Rows of segments, in order, that are not any more as they were; what comes behind segments is read as nodes anyway. */
export const STALE = `SELECT DISTINCT pk FROM column_stale WHERE pk<=${COVERED} ORDER BY pk LIMIT ?`;

/** What the thread that answers has found: rows that are to be read as nodes although segments cover them. */
export const AGAIN_TABLE = 'CREATE TEMP TABLE IF NOT EXISTS column_again(pk INTEGER PRIMARY KEY)';
export const AGAIN = 'SELECT pk FROM temp.column_again';

/** Of a transaction that empties the database: nothing is in segments any more. */
export const EMPTY_COLUMNS: readonly string[] = [
  'DELETE FROM column_segment',
  'DELETE FROM column_stale',
  'UPDATE column_state SET upto=0',
];
