/** Journals in the database: records that are written with the transactions they tell of (graph/commits/commit.ts). */
import { TimeSlice } from '../../../../shared/time-slice.js';
import type { Ending, Journal, JournalWriter } from '../../commits/commit.js';
import { integer } from '../connection/codec.js';
import type { Database } from '../connection/database.js';
import { JOURNAL, META } from '../connection/names.js';
import type { Statement } from '../connection/statement.js';

/** Milliseconds that reading and removing records may take. */
const PATIENCE = 30_000;
/** The transaction has the writers' lock, so that positions appear in the order of commits. */
const WRITE =
  `MATCH (m:${META} {name: 'writer'}) SET m.journal = coalesce(m.journal, 0) + size($texts) ` +
  `WITH m.journal - size($texts) + 1 AS first UNWIND range(0, size($texts) - 1) AS i ` +
  `CREATE (:${JOURNAL} {name: $names[i], position: first + i, number: $number, text: $texts[i]})`;
const READ =
  `MATCH (x:${JOURNAL} {name: $name}) WHERE x.position > $after ` +
  `RETURN x.position, x.number, x.text ORDER BY x.position LIMIT $limit`;
const REMOVE = `MATCH (x:${JOURNAL} {name: $name}) WHERE x.position <= $upTo DELETE x`;

export class Journals {
  readonly #writers = new Map<string, JournalWriter>();

  constructor(private readonly database: Database) {}

  /** What writes the records of a transaction, to be run in it; undefined: there are none. */
  async ending(ending: Ending): Promise<Statement | undefined> {
    const names: string[] = [];
    const texts: string[] = [];
    const slice = new TimeSlice();
    for (const [name, write] of this.#writers) {
      for (const text of write(ending)) {
        names.push(name);
        texts.push(text);
        if (slice.due) await slice.pause();
      }
    }
    if (names.length === 0) return undefined;
    return { text: WRITE, params: { names, texts, number: integer(BigInt(ending.number)) } };
  }

  open(name: string, write: JournalWriter): Journal {
    this.#writers.set(name, write);
    const run = (text: string, params: Statement['params']) =>
      this.database.run({ text, params: { name, ...params } }, { deadline: Date.now() + PATIENCE }, true);
    return {
      async read(after, limit) {
        const rows = await run(READ, { after: integer(BigInt(after)), limit: integer(BigInt(limit)) });
        return rows.map(([position, number, text]) => ({
          position: Number(position),
          number: Number(number),
          text: String(text),
        }));
      },
      async remove(upTo) {
        await run(REMOVE, { upTo: integer(BigInt(upTo)) });
      },
      stop: () => {
        this.#writers.delete(name);
      },
    };
  }
}
