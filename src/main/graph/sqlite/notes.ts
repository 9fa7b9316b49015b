/** Notes about the database as a whole (`DatabaseNotes`): rows of `flag`, whose values may be texts. */
import type { DatabaseNotes } from '../graph.js';
import type { Connection } from './connection/connection.js';
import type { GroupCommit } from './writing/group-commit.js';
import type { Writer } from './writing/writer.js';

/** Begins their names in `flag`. */
export const NOTE_PREFIX = 'note:';

const GET = 'SELECT value FROM flag WHERE name=?';
const SET = 'INSERT OR REPLACE INTO flag(name, value) VALUES (?, ?)';

export class SqliteNotes implements DatabaseNotes {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Connection,
    private readonly commit: GroupCommit,
  ) {}

  async get(name: string): Promise<string | undefined> {
    return noteIn(this.reader, name);
  }

  claim(name: string, text: string): Promise<string> {
    return this.#write((key) => {
      const known = textOf(this.writer.get(GET, [key]));
      if (known === undefined) this.writer.write(SET, [key, text]);
      return known ?? text;
    }, name);
  }

  async set(name: string, text: string): Promise<void> {
    await this.#write((key) => {
      this.writer.write(SET, [key, text]);
    }, name);
  }

  #write<T>(work: (key: string) => T, name: string): Promise<T> {
    return this.commit.run(
      async (unit) => {
        unit.begin();
        return work(NOTE_PREFIX + name);
      },
      { timeout: 0, onLoop: true },
    );
  }
}

/** The text of a note. */
export function noteIn(connection: Pick<Connection, 'get'>, name: string): string | undefined {
  return textOf(connection.get(GET, [NOTE_PREFIX + name]));
}

function textOf(row: readonly unknown[] | undefined): string | undefined {
  return row === undefined ? undefined : String(row[0]);
}
