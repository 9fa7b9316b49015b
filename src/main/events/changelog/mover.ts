/**
 * Takes records from the journal to the files, and removes them when they are on the disk (docs/design/changelog.md 2). Records stay in the journal until
 * then, so that a crash loses none.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Journal } from '../../graph/index.js';
import { logger } from '../../../shared/log.js';
import { AppendThread } from './append-thread.js';
import type { PositionedText } from './files/appender.js';
import { timeOf } from './files/record.js';

const log = logger('changelog');

/** Records that are read at once when those before were small, and otherwise: one has up to 64 KB. */
const MANY = 500;
const FEW = 16;
/** Characters of records up to which they are small. */
const SMALL = 256 * 1024;
/** Records that are removed at once. */
const SOME = 500;
/** Milliseconds in which commits are gathered. */
const SOON = 20;
/** Characters that may wait to be written; records beyond stay in the journal. */
const MOST_WAITING = 64 * 1024 * 1024;
/** Milliseconds after which no other record comes that has the same time. */
const SAME_TIME = 60_000;
/** Milliseconds after which a thread that has failed is replaced. */
const BEFORE_NEXT = 1000;

interface Moved {
  readonly position: number;
  readonly time: number;
  /** It is the last piece of what its transaction has left. */
  readonly whole: boolean;
}

export class ChangelogMover {
  /** Read, and still in the journal. */
  #moved: Moved[] = [];
  /** Position of the last record that was read, up to which records may be in files already, and of the last that was removed. */
  #read = 0;
  #again = 0;
  #removed = 0;
  /** Whether the piece read last is followed by more of its record. */
  #open = false;
  #thread: AppendThread | undefined;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #soon: NodeJS.Timeout | undefined;
  #later: NodeJS.Timeout | undefined;
  #synced = 0;
  #removing: Promise<void> | undefined;
  #problem: string | undefined;
  #stopped = false;
  #longest = 0;

  /** `folder`: absolute. */
  constructor(
    private readonly journal: Journal,
    private readonly folder: string,
  ) {}

  /** Takes up what was left when the service ended last. Answers the time of the last record; undefined: nothing was left. */
  async start(): Promise<number | undefined> {
    this.#again = Infinity;
    await this.#move();
    this.#again = this.#read;
    return this.#moved.at(-1)?.time;
  }

  /** Something is in the journal. */
  wake(): void {
    if (this.#stopped) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#caughtUp().catch((error: unknown) => {
        log.warn(
          'the changelog could not be written; what is missing stays in the database, and is tried again',
          error,
        );
        this.#retry();
      });
    }, SOON).unref();
  }

  /** Whatever was committed before is in these files afterwards. Throws when it cannot be. */
  async shown(paths: readonly string[]): Promise<void> {
    await this.#caughtUp();
    await this.#thread?.show(paths);
  }

  /** What was committed is on the disk; nothing is moved any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#soon);
    try {
      await this.#caughtUp();
      await this.#thread?.settle();
      await this.#remove();
    } catch (error) {
      log.warn('the end of the changelog stays in the database until the next start', error);
    }
    clearTimeout(this.#later);
    await this.#thread?.end();
  }

  /** Everything that is in the journal now is handed over afterwards. */
  #caughtUp(): Promise<void> {
    // Who comes while it runs needs a look that begins later.
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        this.#running = this.#move();
        return this.#running;
      });
    return this.#next;
  }

  async #move(): Promise<void> {
    for (let most = FEW; ;) {
      while (this.#thread !== undefined && this.#thread.behind > MOST_WAITING) await this.#thread.news();
      const from = this.#read;
      const records = await this.journal.read(from, most);
      // The thread may have failed meanwhile, and all begins anew.
      if (from !== this.#read) continue;
      const texts: PositionedText[] = [];
      for (const { position, text } of records) {
        const last = this.#moved.at(-1)?.time ?? 0;
        const time = this.#open ? last : timeOf(text.slice(1, 30));
        this.#open = text.startsWith('1');
        this.#moved.push({ position, time, whole: !this.#open });
        texts.push([position, text]);
      }
      const [first] = texts;
      if (first !== undefined) {
        this.#read = records.at(-1)?.position ?? this.#read;
        this.#hand(texts, first[0] <= this.#again);
      }
      if (records.length < most) return;
      most = records.reduce((sum, { text }) => sum + text.length, 0) <= SMALL ? MANY : FEW;
    }
  }

  #hand(texts: readonly PositionedText[], again: boolean): void {
    this.#started().append(texts, again);
  }

  /** Removes entries that are older (milliseconds since 1970). */
  sweep(before: number): void {
    if (!this.#stopped) this.#started().sweep(before);
  }

  /** Bytes from which on files are put aside; 0: never. */
  set longest(bytes: number) {
    this.#longest = bytes;
    this.#thread?.limit(bytes);
  }

  #started(): AppendThread {
    if (this.#thread !== undefined) return this.#thread;
    const thread = new AppendThread(
      { folder: this.folder, since: this.#moved[0]?.time ?? 0 },
      {
        synced: (position) => {
          if (this.#problem !== undefined) log.info('the changelog is written again');
          this.#problem = undefined;
          this.#synced = position;
          void this.#remove();
        },
        swept: (files) => {
          if (files > 0) log.info(`old entries were removed from ${String(files)} files of the changelog`);
        },
        refused: (problem) => {
          if (this.#problem !== problem) {
            log.error(`the changelog cannot be written, entries wait in the database: ${problem}`);
          }
          this.#problem = problem;
        },
        failed: (error) => {
          log.error('the thread that writes the changelog has failed; another one takes over', error);
          this.#beginAnew();
        },
      },
    );
    thread.limit(this.#longest);
    this.#thread = thread;
    return thread;
  }

  /** What is not known to be on the disk is read once more. */
  #beginAnew(): void {
    this.#thread = undefined;
    this.#again = Math.max(this.#read, this.#again);
    this.#read = this.#removed;
    this.#moved = [];
    this.#open = false;
    this.#retry();
  }

  #retry(): void {
    if (this.#stopped) return;
    void sleep(BEFORE_NEXT, undefined, { ref: false }).then(() => {
      this.wake();
    });
  }

  /**
   * Removes records that are on the disk, but those of the time of the last one while others of that time may come: after a crash, lines in files from the first
   * time in the journal on are those of its records.
   */
  async #remove(): Promise<void> {
    if (this.#removing !== undefined) return this.#removing;
    this.#removing = this.#removeSome().catch((error: unknown) => {
      if (!this.#stopped) log.warn('what the changelog has left in the database could not be removed', error);
    });
    await this.#removing;
    this.#removing = undefined;
  }

  async #removeSome(): Promise<void> {
    clearTimeout(this.#later);
    let count = this.#moved.findLastIndex(({ position }) => position <= this.#synced) + 1;
    const last = this.#moved[count - 1];
    if (last === undefined) return;
    const next = this.#moved[count];
    const mayCome = next === undefined ? Date.now() < last.time + SAME_TIME : next.time === last.time;
    if (mayCome) {
      count = this.#moved.findLastIndex(({ time }, i) => i < count && time < last.time) + 1;
      if (next === undefined && !this.#stopped) {
        this.#later = setTimeout(() => void this.#remove(), SAME_TIME).unref();
      }
    }
    while (count > 0) {
      // After a crash the journal begins with the first piece of something.
      const step = this.#moved.findIndex(({ whole }, i) => whole && i + 1 >= Math.min(SOME, count)) + 1;
      const upTo = this.#moved[step - 1]?.position ?? 0;
      await this.journal.remove(upTo);
      // The thread may have failed meanwhile.
      if (this.#moved[step - 1]?.position !== upTo) return;
      this.#removed = upTo;
      this.#moved.splice(0, step);
      count -= step;
    }
  }
}
