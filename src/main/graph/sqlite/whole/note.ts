/**
 * A small file beside the database that says what must be there at the next start: that there is a database at all, and how much of
 * its log has reached the disk. It is written now and then, so it tells of less than there is, never of more.
 */
import { open, readFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

export const NOTE = 'graph.db-note';
const BOOT = '/proc/sys/kernel/random/boot_id';
/** The same length always, and less than a sector: written in place, it is the old one or the new one. */
const LENGTH = 200;
/** Where the log has its salts. */
const SALTS = { from: 16, length: 8 };
/** Milliseconds between a commit and the note about it. */
const LATER = 1000;

export interface DurableNote {
  /** Which run of the machine wrote it; empty: the machine does not tell. */
  readonly boot: string;
  /** Of the log; empty: nothing is said about the log. */
  readonly salts: string;
  /** Frames of the log that are on the disk. */
  readonly frames: number;
  /** Number of a commit that is on the disk; 0: nothing is said about that. */
  readonly commit: number;
}

/** Identifies the run of this machine: what was written in the same one cannot have been lost by a power cut. */
export async function bootOfMachine(): Promise<string> {
  return (await readFile(BOOT, 'utf8').catch(() => '')).trim();
}

/** The note in the folder of a database; undefined: there is none that can be read. */
export async function readNote(folder: string): Promise<DurableNote | undefined> {
  try {
    const note = JSON.parse(await readFile(join(folder, NOTE), 'utf8')) as Partial<DurableNote>;
    // Notes of older versions have no commit.
    const { boot, salts, frames, commit = 0 } = note;
    return typeof boot === 'string' && typeof salts === 'string' && typeof frames === 'number'
      ? { boot, salts, frames, commit }
      : undefined;
  } catch {
    return undefined;
  }
}

export interface LogFacts {
  /** Frames in the log; undefined: not to be told now. */
  frames(): number | undefined;
  /** Number of the last commit. */
  commit(): number;
  /** Resolves when all that is committed is on the disk. */
  durable(): Promise<void>;
}

/** Writes the note while the database is open. Failing to is no error: an old note tells of less. */
export class NoteKeeper {
  #note: FileHandle | undefined;
  #log: FileHandle | undefined;
  #boot = '';
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #paused = 0;
  /** What was told last. */
  #commit = 0;
  #closed = false;

  constructor(
    private readonly folder: string,
    private readonly facts: LogFacts,
  ) {}

  /** Says that there is a database, and nothing of its log. The log must be there. */
  async start(): Promise<void> {
    try {
      this.#boot = await bootOfMachine();
      this.#log = await open(join(this.folder, 'graph.db-wal'), 'r');
      // Not emptied: what cannot be written stays as it was.
      this.#note = await open(join(this.folder, NOTE), 'r+').catch(() => open(join(this.folder, NOTE), 'w', 0o640));
      await this.#put('', 0);
    } catch {
      await this.#release();
    }
  }

  /** After each commit. */
  committed(): void {
    if (this.#timer !== undefined || this.#paused > 0 || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#writing.then(() => this.#tell()).catch(() => undefined);
    }, LATER);
    this.#timer.unref();
  }

  /** Before the log may start over: what is said of it must not outlive it, not even in a power cut. */
  async pause(): Promise<void> {
    this.#paused++;
    await this.#writing;
    await this.#put('', 0, true).catch(() => undefined);
  }

  resume(): void {
    this.#paused--;
    this.committed();
  }

  /** The log is going to be empty: the database alone is all of it, and may be replaced by an older one. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
    this.#commit = 0;
    await this.pause();
    this.#closed = true;
    await this.#release();
  }

  async #release(): Promise<void> {
    const handles = [this.#note, this.#log];
    this.#note = this.#log = undefined;
    for (const handle of handles) await handle?.close().catch(() => undefined);
  }

  async #tell(): Promise<void> {
    if (this.#paused > 0) return;
    const salts = await this.#salts();
    const frames = this.facts.frames();
    if (frames === undefined) {
      this.committed();
      return;
    }
    if (frames === 0 || salts === '') return;
    const commit = this.facts.commit();
    await this.facts.durable();
    // The same before and after: the number is of this log, which has not started over meanwhile.
    if (this.#mayStartOver() || (await this.#salts()) !== salts) return;
    this.#commit = commit;
    await this.#put(salts, frames);
  }

  #mayStartOver(): boolean {
    return this.#paused > 0;
  }

  async #salts(): Promise<string> {
    const bytes = Buffer.alloc(SALTS.length);
    const found = await this.#log?.read(bytes, 0, SALTS.length, SALTS.from);
    return found?.bytesRead === SALTS.length ? bytes.toString('hex') : '';
  }

  async #put(salts: string, frames: number, synced = false): Promise<void> {
    if (this.#note === undefined) return;
    const note: DurableNote = { boot: this.#boot, salts, frames, commit: this.#commit };
    const text = Buffer.from(`${JSON.stringify(note).padEnd(LENGTH - 1)}\n`);
    await this.#note.write(text, 0, text.length, 0);
    if (synced) await this.#note.datasync();
  }
}
