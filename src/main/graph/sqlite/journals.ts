/** Journals in the database: records that are written with the transactions they tell of (graph/commits/commit.ts). */
import { TimeSlice } from '../../../shared/time-slice.js';
import type { Ending, Journal, JournalRecord, JournalWriter } from '../commits/commit.js';
import type { Connection } from './connection/connection.js';
import type { GroupCommit } from './writing/group-commit.js';
import type { Unit } from './writing/unit.js';
import type { Writer } from './writing/writer.js';

/** Positions are never used again, so that whoever has read up to one does not miss what comes later. */
export const JOURNAL_SCHEMA = `
CREATE TABLE IF NOT EXISTS journal(position INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS journal_name ON journal(name, position);`;

/** Records up to which all of a transaction are made at once. */
const FEW = 4;

const INSERT = 'INSERT INTO journal(name, number, text) VALUES (?, ?, ?)';

/** Of which journal, and what. */
type Text = readonly [name: string, text: string];

export class Journals {
  readonly #writers = new Map<string, JournalWriter>();

  constructor(
    private readonly writer: Writer,
    private readonly reader: Connection,
    private readonly commit: GroupCommit,
  ) {}

  /** Writes what the journals say of a unit, as part of it. A promise when that is much: others run in between. */
  ending(unit: Unit, ending: Ending): Promise<void> | undefined {
    if (this.#writers.size === 0) return undefined;
    const coming = this.#records(ending);
    // Of few, all are made before anything is written: what one refuses leaves nothing behind.
    const records: Text[] = [];
    for (let next = coming.next(); next.done !== true; next = coming.next()) {
      records.push(next.value);
      if (records.length >= FEW) return this.#many(unit, ending, records, coming);
    }
    this.#write(unit, ending, records);
    return undefined;
  }

  async #many(unit: Unit, ending: Ending, first: readonly Text[], coming: Iterable<Text>): Promise<void> {
    const slice = new TimeSlice();
    this.#write(unit, ending, first);
    for (const record of coming) {
      await this.commit.ready(unit);
      if (slice.due) await slice.pause();
      unit.check();
      this.#write(unit, ending, [record]);
    }
  }

  *#records(ending: Ending): IterableIterator<Text> {
    for (const [name, write] of this.#writers) for (const text of write(ending)) yield [name, text];
  }

  #write(unit: Unit, { number }: Ending, records: readonly Text[]): void {
    if (records.length > 0) unit.begin();
    for (const [name, text] of records) this.writer.write(INSERT, [name, number, text]);
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
