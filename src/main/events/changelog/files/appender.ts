/**
 * Takes records in order and brings their lines into files: gathered by file, written late and together, compared with what is there after a crash
 * (docs/design/changelog.md). All of it on a thread that may wait for the disk; it knows no thread itself.
 */
import { join } from 'node:path';
import { appendText, linesSince } from './append-file.js';
import { syncAll, syncNow } from './durable.js';
import { putAside } from './pieces.js';
import { eachLine, Pieces } from './record.js';

/** A record of the journal as it is handed to the thread. */
export type PositionedText = readonly [position: number, text: string];

/** Files whose sizes are known. */
const MOST_KNOWN = 50_000;

/** Lines that wait for one file. */
type Waiting = Map<string, string[]>;

export class Appender {
  #waiting: Waiting = new Map();
  readonly #pieces = new Pieces();
  /** Characters that wait. */
  size = 0;
  /** Position of the last record that was taken whole, and of the last whose lines are written. */
  #taken = 0;
  #written = 0;
  #synced = 0;
  /** Bytes of files that end with a whole line, as this has written them last; some of all. */
  readonly #sizes = new Map<string, number>();
  /** What has been written to since the last sync: files and folders. */
  #touched = new Set<string>();
  /** After a crash: lines that files have already of records that come again. */
  readonly #there = new Map<string, string[]>();

  /** Bytes from which on a file is put aside, and another one begins; 0: never. */
  longest = 0;

  /** `folder`: absolute, what the paths of `record.ts` count from. `since`: time of the first record that may come again. */
  constructor(
    private readonly folder: string,
    private readonly since: number,
  ) {}

  /** Nothing waits. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** All that was taken is on the disk up to this position. */
  get synced(): number {
    return this.#synced;
  }

  /** Whether something is written that is not on the disk. */
  get isDirty(): boolean {
    return this.#synced < this.#written;
  }

  /** `again`: their lines may be in files already. */
  take(records: readonly PositionedText[], again: boolean): void {
    if (!again) this.#there.clear();
    for (const [position, piece] of records) {
      const text = this.#pieces.add(piece);
      if (text === undefined) continue;
      eachLine(text, (path, line) => {
        if (again && this.#has(path, line)) return;
        const lines = this.#waiting.get(path);
        if (lines === undefined) this.#waiting.set(path, [line]);
        else lines.push(line);
        this.size += line.length;
      });
      this.#taken = position;
    }
    if (this.isEmpty) this.#written = this.#taken;
  }

  /** Whether a record that comes again has this line in its file already: its lines are there from the first on, in order. */
  #has(path: string, line: string): boolean {
    let there = this.#there.get(path);
    if (there === undefined) this.#there.set(path, (there = linesSince(join(this.folder, path), this.since).reverse()));
    if (there.at(-1) !== line) return false;
    there.pop();
    return true;
  }

  /** Writes what waits for these files, before all else. Throws what the disk says; nothing is lost then. */
  show(paths: readonly string[]): void {
    for (const path of paths) {
      const lines = this.#waiting.get(path);
      if (lines !== undefined) this.#write(path, lines);
    }
    if (this.isEmpty) this.#written = this.#taken;
  }

  /** Writes what waits, for so many milliseconds, one file at least; true: nothing waits any more. Throws what the disk says; nothing is lost then. */
  writeSome(time: number): boolean {
    const end = performance.now() + time;
    for (const [path, lines] of this.#waiting) {
      this.#write(path, lines);
      if (performance.now() >= end) break;
    }
    if (!this.isEmpty) return false;
    this.#written = this.#taken;
    return true;
  }

  #write(path: string, lines: readonly string[]): void {
    const text = lines.join('');
    const file = join(this.folder, path);
    const known = this.#sizes.get(path);
    const { folders, size } = appendText(file, text, known);
    for (const folder of folders) this.#touched.add(folder);
    this.#touched.add(file);
    if (known === undefined && this.#sizes.size >= MOST_KNOWN) this.#sizes.clear();
    this.#sizes.set(path, size);
    if (this.longest > 0 && size > this.longest) this.#putAside(path, file);
    this.#waiting.delete(path);
    this.size -= text.length;
  }

  /** What was written to the file has to be on the disk before its name changes. */
  #putAside(path: string, file: string): void {
    syncNow(file);
    this.#touched.delete(file);
    this.#sizes.delete(path);
    for (const folder of putAside(file, Date.now())) this.#touched.add(folder);
  }

  /** Others have changed files. */
  forget(): void {
    this.#sizes.clear();
  }

  /** Has what was written on the disk; it may take a while, in which more may be written. One at a time. */
  async sync(): Promise<void> {
    const written = this.#written;
    const touched = this.#touched;
    this.#touched = new Set();
    try {
      await syncAll(this.folder, touched);
    } catch (error) {
      for (const one of touched) this.#touched.add(one);
      throw error;
    }
    this.#synced = written;
  }
}
