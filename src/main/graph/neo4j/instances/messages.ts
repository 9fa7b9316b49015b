/**
 * Texts for other instances that belong to no transaction: nodes with numbers, given under a lock of their own, so that nobody waits for those who
 * write objects. Every instance learns the last number with the look that it takes at notices.
 */
import type { Messages } from '../../commits/between-instances.js';
import { integer } from '../connection/codec.js';
import { type Database, ignored } from '../connection/database.js';
import { MESSAGE, META } from '../connection/names.js';

/** Milliseconds that messages are kept. */
const KEPT = 60_000;
/** Messages, and their characters, that wait to be sent. */
const MOST_WAITING = 10_000;
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** Messages that leave together, and that are read at once. */
const BATCH = 500;
const PATIENCE = 5000;

/** Old ones go with new ones: where nobody sends, few are left. */
const WRITE =
  `MERGE (m:${META} {name: 'messages'}) SET m.n = coalesce(m.n, 0) + $count WITH m.n - $count AS before ` +
  `UNWIND $texts AS text CREATE (:${MESSAGE} {n: before + text.i, instance: $instance, at: timestamp(), text: text.text})`;
const TIDY = `MATCH (x:${MESSAGE}) WHERE x.at < timestamp() - $kept DELETE x`;
const READ =
  `MATCH (x:${MESSAGE}) WHERE x.n > $seen AND x.n <= $upTo AND x.at >= timestamp() - $kept AND x.instance <> $instance ` +
  `RETURN x.text ORDER BY x.n`;
/** A subquery: the number of the last message, as \`last\`. */
export const LAST_MESSAGE = `OPTIONAL MATCH (x:${META} {name: 'messages'})`;

export class Neo4jMessages implements Messages {
  #waiting: string[] = [];
  #characters = 0;
  #sending: Promise<void> | undefined;
  #listener: ((text: string) => void) | undefined;
  #seen: number | undefined;
  #tidiedAt = 0;
  #stopped = false;

  constructor(
    private readonly database: Database,
    private readonly instance: string,
    private readonly onError: (error: unknown) => void,
  ) {}

  send(text: string): void {
    if (this.#stopped) return;
    if (this.#waiting.length >= MOST_WAITING || this.#characters + text.length > MOST_CHARACTERS) {
      this.onError(new Error('an event does not reach other instances: too many wait to be sent'));
      return;
    }
    this.#waiting.push(text);
    this.#characters += text.length;
    this.#sending ??= this.#run().finally(() => {
      this.#sending = undefined;
    });
  }

  hear(listener: (text: string) => void): void {
    this.#listener = listener;
  }

  /** The last number that the database has; the first that is told is where listening begins. */
  async reached(last: number): Promise<void> {
    const seen = this.#seen;
    this.#seen = last;
    if (seen === undefined || last <= seen || this.#listener === undefined) return;
    for (let from = seen; from < last; from += BATCH) {
      const params = {
        seen: integer(BigInt(from)),
        upTo: integer(BigInt(Math.min(from + BATCH, last))),
        kept: integer(BigInt(KEPT)),
        instance: this.instance,
      };
      const rows = await this.database.run({ text: READ, params }, { deadline: Date.now() + PATIENCE }, true);
      for (const [text] of rows) this.#listener(String(text));
    }
  }

  /** What waits is sent yet. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#sending;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const texts = this.#waiting.splice(0, BATCH);
      for (const text of texts) this.#characters -= text.length;
      await this.#write(texts).catch((error: unknown) => {
        this.onError(error);
      });
    }
  }

  async #write(texts: readonly string[]): Promise<void> {
    const params = {
      count: integer(BigInt(texts.length)),
      texts: texts.map((text, i) => ({ i: integer(BigInt(i + 1)), text })),
      instance: this.instance,
    };
    await this.database.run({ text: WRITE, params }, { deadline: Date.now() + PATIENCE }, true);
    const now = performance.now();
    if (now - this.#tidiedAt < KEPT) return;
    this.#tidiedAt = now;
    const tidy = { text: TIDY, params: { kept: integer(BigInt(KEPT)) } };
    await this.database.run(tidy, { deadline: Date.now() + PATIENCE }, true).catch(ignored);
  }
}
