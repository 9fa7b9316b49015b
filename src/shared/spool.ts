/** Bytes that are gathered before they can be read: few in memory, more in a temporary file. */
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes of a temporary file read at once. */
const PIECE = 256 * 1024;

/** What all spools of one kind may still keep in memory together (bytes). */
export interface SpoolRoom {
  free: number;
  /** The same for temporary files; absent: whoever fills them has limits of his own. */
  onDisk?: number;
}

/** The temporary files of a kind have no room for more. */
export class SpoolFull extends Error {
  override readonly name = 'SpoolFull';
}

let files = 0;

/** Errors of the file system are thrown as they are. Whoever has one has to `release` it. */
export class Spool {
  #chunks: Buffer[] = [];
  #kept = 0;
  #file: FileHandle | undefined;
  #onDisk = 0;
  #isReleased = false;
  /** Bytes so far. */
  size = 0;

  /** `most`: bytes that this one may keep in memory. */
  constructor(
    private readonly room: SpoolRoom,
    private readonly most = Infinity,
  ) {}

  /** Takes bytes that stay as they are. Throws when it was released meanwhile, and `SpoolFull`. */
  async add(chunk: Buffer): Promise<void> {
    const { room } = this;
    this.#check();
    if (this.#file === undefined && chunk.length <= room.free && this.#kept + chunk.length <= this.most) {
      room.free -= chunk.length;
      this.#kept += chunk.length;
      this.#chunks.push(chunk);
    } else {
      this.#takeDisk(this.size + chunk.length);
      this.#file ??= await this.#moved();
      await write(this.#file, chunk, this.size);
    }
    this.size += chunk.length;
  }

  /** Forgets what was added after it had this size. */
  cut(size: number): void {
    if (this.#isReleased) return;
    this.size = size;
    if (this.#file !== undefined) return;
    while (this.#kept > size) {
      const last = this.#chunks.pop();
      if (last === undefined) return;
      const rest = last.subarray(0, Math.max(0, size - (this.#kept - last.length)));
      if (rest.length > 0) this.#chunks.push(rest);
      this.#kept -= last.length - rest.length;
      this.room.free += last.length - rest.length;
    }
  }

  /** The bytes, as often as they are needed. */
  async *pieces(): AsyncGenerator<Buffer, void, undefined> {
    for (const chunk of this.#chunks) yield chunk;
    const file = this.#file;
    if (file === undefined) return;
    for (let at = 0; at < this.size;) {
      const buffer = Buffer.allocUnsafeSlow(Math.min(PIECE, this.size - at));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) throw new Error('a temporary file is shorter than what was written to it');
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** It is not needed any more, and takes nothing more. */
  async release(): Promise<void> {
    this.#isReleased = true;
    const file = this.#file;
    this.#file = undefined;
    this.size = 0;
    this.#forget();
    try {
      await file?.close();
    } finally {
      if (this.room.onDisk !== undefined) this.room.onDisk += this.#onDisk;
      this.#onDisk = 0;
    }
  }

  /** A file with what is in memory so far. */
  async #moved(): Promise<FileHandle> {
    const path = join(tmpdir(), `svc-spool-${String(process.pid)}-${String(++files)}`);
    const file = await open(path, 'wx+', 0o600);
    try {
      // Without a name it goes with the process, however that ends.
      await unlink(path);
      let at = 0;
      for (const chunk of this.#chunks) at = await write(file, chunk, at);
      this.#check();
    } catch (error) {
      await file.close();
      throw error;
    }
    this.#forget();
    return file;
  }

  #check(): void {
    if (this.#isReleased) throw new Error('what was gathered is not needed any more');
  }

  /** For a file of so many bytes; what it had before stays its own, as it is not made shorter. */
  #takeDisk(size: number): void {
    const { onDisk } = this.room;
    const more = size - this.#onDisk;
    if (onDisk === undefined || more <= 0) return;
    if (more > onDisk) throw new SpoolFull('there is no room for more temporary files');
    this.room.onDisk = onDisk - more;
    this.#onDisk = size;
  }

  #forget(): void {
    this.room.free += this.#kept;
    this.#kept = 0;
    this.#chunks = [];
  }
}

/** Answers where the next bytes go. */
async function write(file: FileHandle, chunk: Buffer, position: number): Promise<number> {
  for (let at = 0; at < chunk.length;) {
    at += (await file.write(chunk, at, chunk.length - at, position + at)).bytesWritten;
  }
  return position + chunk.length;
}
