/** Journals in the database: records that are written with the transactions they tell of (graph/commit.ts). */
import type { Ending, Journal, JournalRecord, JournalWriter } from '../commit.js';
import type { Connection } from './connection/connection.js';
import type { GroupCommit } from './writing/group-commit.js';
import type { Unit } from './writing/unit.js';
import type { Writer } from './writing/writer.js';

/** Positions are never used again, so that whoever has read up to one does not miss what comes later. */
export const JOURNAL_SCHEMA = `
CREATE TABLE IF NOT EXISTS journal(position INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS journal_name ON journal(name, position);`;

const INSERT = 'INSERT INTO journal(name, number, text) VALUES (?, ?, ?)';

export class Journals {
  readonly #writers = new Map<string, JournalWriter>();

  constructor(
    private readonly writer: Writer,
    private readonly reader: Connection,
    private readonly commit: GroupCommit,
  ) {}

  /** Writes what the journals say of a unit, as part of it. */
  ending(unit: Unit, ending: Ending): void {
    if (this.#writers.size === 0) return;
    // All are asked before anything is written: what one refuses leaves nothing behind.
    const records = [...this.#writers].flatMap(([name, write]) => write(ending).map((text) => [name, text] as const));
    if (records.length > 0) unit.begin();
    for (const [name, text] of records) this.writer.write(INSERT, [name, ending.number, text]);
  }

  open(name: string, write: JournalWriter): Journal {
    this.#writers.set(name, write);
    const { reader, commit, writer } = this;
    return {
      async read(after: number, limit: number): Promise<JournalRecord[]> {
        // A thread's commit is there a moment before it is told.
        const some = 'name=? AND position>? AND number<=?';
        const sql = `SELECT position, number, text FROM journal WHERE ${some} ORDER BY position LIMIT ?`;
        const rows = reader.all(sql, [name, after, commit.number, limit]);
        // What is committed and may still be lost is not to be acted upon.
        await commit.durable();
        return rows.map(([position, number, text]) => ({
          position: Number(position),
          number: Number(number),
          text: String(text),
        }));
      },
      async remove(upTo: number): Promise<void> {
        await commit.run(
          async (unit) => {
            await commit.ready(unit);
            unit.begin();
            writer.write('DELETE FROM journal WHERE name=? AND position<=?', [name, upTo]);
          },
          { timeout: 0 },
        );
      },
      stop: () => {
        this.#writers.delete(name);
      },
    };
  }
}
