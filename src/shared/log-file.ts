/**
 * The log in a file, beside standard output. Lines are written one batch after the other; what comes faster than the disk takes it
 * is not kept without a limit.
 */
import { writeSync } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Characters that wait for the disk. */
const MOST_WAITING = 8 * 1024 * 1024;

export class LogFile {
  private waiting: string[] = [];
  private size = 0;
  private lost = 0;
  private isWriting = false;

  private constructor(
    private readonly file: FileHandle,
    private readonly failed: (error: unknown) => void,
  ) {
    process.once('exit', () => {
      this.writeRest();
    });
  }

  /** Lines are added to the end of a file that is there. `failed` is told of lines that could not be written. Rejects when it cannot be opened. */
  static async open(path: string, failed: (error: unknown) => void): Promise<LogFile> {
    await mkdir(dirname(path), { recursive: true });
    return new LogFile(await open(path, 'a', 0o640), failed);
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

  private async writeAll(): Promise<void> {
    this.isWriting = true;
    // Lines of the same turn of the loop go together.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      try {
        await this.file.appendFile(this.taken());
      } catch (error) {
        this.failed(error);
      }
    }
    this.isWriting = false;
  }

  private taken(): string {
    const { lost } = this;
    const text =
      this.waiting.join('') + (lost > 0 ? `... ${String(lost)} lines came faster than the disk took them\n` : '');
    this.waiting = [];
    this.size = 0;
    this.lost = 0;
    return text;
  }

  /** The loop does not come round any more. */
  private writeRest(): void {
    try {
      if (this.waiting.length > 0) writeSync(this.file.fd, this.taken());
    } catch {
      // Standard output has them.
    }
  }
}
