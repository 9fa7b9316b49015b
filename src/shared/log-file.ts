/**
 * A log in a file. Lines are written one batch after the other; what comes faster than the disk takes it, or does not fit on it, is not
 * kept without a limit. A file begins anew with each day, and when it is large; old ones are called by their day.
 */
import { writeSync } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Characters that wait for the disk. */
const MOST_WAITING = 8 * 1024 * 1024;
/** Old files of one day and size: `server.log.2026-01-05`, `server.log.2026-01-05.1`. */
const OLD = /^\.\d{4}-\d{2}-\d{2}(?:\.\d{1,6})?$/;

export interface LogFileOptions {
  /** Told once of lines that cannot be written, and not again before some could. */
  readonly failed: (error: unknown) => void;
  /** Read at every use. Sizes are bytes. Absent: the file is never begun anew. */
  readonly rotation?: () => { readonly maxSize: number; readonly keep: number; readonly maxTotal: number };
}

export class LogFile {
  private waiting: string[] = [];
  private size = 0;
  private lost = 0;
  private isWriting = false;
  private hasFailed = false;

  private constructor(
    private readonly path: string,
    private file: FileHandle,
    /** Of the file, as far as this process knows. */
    private bytes: number,
    private day: string,
    private readonly options: LogFileOptions,
  ) {
    process.once('exit', this.writeRest);
  }

  /** Lines are added to the end of a file that is there. Rejects when it cannot be opened. */
  static async open(path: string, options: LogFileOptions): Promise<LogFile> {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, 'a', 0o640);
    const { size, mtime } = await file.stat();
    // Pipes, devices and links are somebody else's to begin anew.
    const isPlain = (await lstat(path)).isFile();
    const { failed, rotation } = options;
    const own = isPlain && rotation !== undefined ? { failed, rotation } : { failed };
    return new LogFile(path, file, size, dayOf(size === 0 ? new Date() : mtime), own);
  }

  write(line: string): void {
    if (this.size + line.length > MOST_WAITING) {
      this.lost++;
      return;
    }
    this.waiting.push(line);
    this.size += line.length;
    if (!this.isWriting) void this.writeAll();
  }

  /** Writes what waits, and no more. */
  async close(): Promise<void> {
    process.off('exit', this.writeRest);
    while (this.isWriting) await new Promise(setImmediate);
    await this.file.close();
  }

  private async writeAll(): Promise<void> {
    this.isWriting = true;
    // Lines of the same turn of the loop go together.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const lines = this.waiting.length;
      const text = this.taken();
      try {
        await this.beginAnew().catch((error: unknown) => {
          this.tell(error);
        });
        await this.file.appendFile(text);
        this.bytes += Buffer.byteLength(text);
        this.hasFailed = false;
      } catch (error) {
        this.lost += lines;
        this.tell(error);
        this.hasFailed = true;
      }
    }
    this.isWriting = false;
  }

  private tell(error: unknown): void {
    if (this.hasFailed) return;
    this.options.failed(error);
  }

  /** Another day has come, or the file is large. */
  private async beginAnew(): Promise<void> {
    const { options, path } = this;
    if (options.rotation === undefined) return;
    const limits = options.rotation();
    const today = dayOf(new Date());
    if (today === this.day && this.bytes < limits.maxSize) return;
    const { day } = this;
    this.day = today;
    this.bytes = 0;
    // Others may have cut it.
    const { size } = await this.file.stat();
    if (size === 0) return;
    if (today === day && size < limits.maxSize) {
      this.bytes = size;
      return;
    }
    // Where that fails the old file goes on, and it is tried again when as much has been written.
    await rename(path, await nextName(`${path}.${day}`));
    const before = this.file;
    this.file = await open(path, 'a', 0o640);
    await before.close();
    await this.prune(limits);
  }

  private async prune({ keep, maxTotal }: { readonly keep: number; readonly maxTotal: number }): Promise<void> {
    const [folder, name] = [dirname(this.path), basename(this.path)];
    const names = (await readdir(folder)).filter((one) => one.startsWith(name) && OLD.test(one.slice(name.length)));
    const old = await Promise.all(
      names.map(async (one) => {
        const { size, mtimeMs } = await stat(join(folder, one));
        return { path: join(folder, one), size, mtimeMs };
      }),
    );
    let total = 0;
    for (const [i, one] of old.sort((a, b) => b.mtimeMs - a.mtimeMs).entries()) {
      total += one.size;
      if (i >= keep || total > maxTotal) await rm(one.path, { force: true });
    }
  }

  private taken(): string {
    const { lost } = this;
    const text = this.waiting.join('') + (lost > 0 ? `... ${String(lost)} lines could not be written\n` : '');
    this.waiting = [];
    this.size = 0;
    this.lost = 0;
    return text;
  }

  /** The loop does not come round any more. */
  private readonly writeRest = (): void => {
    try {
      if (this.waiting.length > 0) writeSync(this.file.fd, this.taken());
    } catch {
      // Standard output has them.
    }
  };
}

/** The name for the next old file of a day: numbers go up, so that the last one is the newest. */
async function nextName(path: string): Promise<string> {
  const [folder, name] = [dirname(path), basename(path)];
  const numbers = (await readdir(folder)).flatMap((one) => {
    if (one === name) return [0];
    return one.startsWith(`${name}.`) && /^\d{1,6}$/.test(one.slice(name.length + 1))
      ? [Number(one.slice(name.length + 1))]
      : [];
  });
  return numbers.length === 0 ? path : `${path}.${String(Math.max(...numbers) + 1)}`;
}

/** By the clock of the machine's time zone. */
function dayOf(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
