/**
 * A part of an upload that is gathered before it can be sent: S3 wants parts of some megabytes, and the same bytes again when
 * sending fails. All parts together take a bounded amount of memory; beyond it they wait in temporary files, so that
 * many slow clients hold up nobody.
 */
import { createHash } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { storageError } from '../errors.js';

/** Bytes that all parts together keep in memory. */
const MEMORY = 64 * 1024 * 1024;
/** Bytes of a temporary file read at once. */
const PIECE = 256 * 1024;

let free = MEMORY;
let files = 0;

export class PartBuffer {
  #chunks: Buffer[] = [];
  #kept = 0;
  #file: FileHandle | undefined;
  readonly #md5 = createHash('md5');
  size = 0;

  /** Takes bytes that stay as they are. Throws `FilesError` when there is no room for them. */
  async add(chunk: Buffer): Promise<void> {
    this.#md5.update(chunk);
    this.size += chunk.length;
    if (this.#file === undefined && chunk.length <= free) {
      free -= chunk.length;
      this.#kept += chunk.length;
      this.#chunks.push(chunk);
      return;
    }
    try {
      await this.#toFile([chunk]);
    } catch (error) {
      throw storageError(error, 'store the file');
    }
  }

  /** The end of the part: its checksum as `Content-MD5` has it. */
  md5(): string {
    return this.#md5.digest('base64');
  }

  /** The bytes, as often as they are needed. `alive` is called as they go. */
  body(alive: () => void): Readable {
    return Readable.from(this.#pieces(alive), { objectMode: false });
  }

  /** The part is not needed any more. */
  async release(): Promise<void> {
    free += this.#kept;
    this.#kept = 0;
    this.#chunks = [];
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async *#pieces(alive: () => void): AsyncGenerator<Buffer, void, undefined> {
    for (const chunk of this.#chunks) {
      alive();
      yield chunk;
    }
    const file = this.#file;
    if (file === undefined) return;
    for (let at = 0; at < this.size; ) {
      const buffer = Buffer.allocUnsafeSlow(Math.min(PIECE, this.size - at));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) throw new Error('a temporary file is shorter than what was written to it');
      at += bytesRead;
      alive();
      yield buffer.subarray(0, bytesRead);
    }
  }

  async #toFile(chunks: Buffer[]): Promise<void> {
    if (this.#file === undefined) {
      const path = join(tmpdir(), `svc-part-${String(process.pid)}-${String(++files)}`);
      this.#file = await open(path, 'wx+', 0o600);
      // Without a name it goes with the process, however that ends.
      await unlink(path);
      await this.#toFile(this.#chunks);
      free += this.#kept;
      this.#kept = 0;
      this.#chunks = [];
    }
    for (const chunk of chunks) {
      for (let at = 0; at < chunk.length; ) at += (await this.#file.write(chunk, at)).bytesWritten;
    }
  }
}
