/** Content in memory, gone with the process: for tests (docs/interface/files.md 9.2). */
import { ContentMissing, FilesError } from '../errors.js';
import type { StorageProvider } from './definition.js';
import type { ByteRange, ContentId, ContentWriter, Storage, StoredContent } from './storage.js';

/** Bytes that one storage takes. */
const MOST = 256 * 1024 * 1024;
const PIECE = 256 * 1024;

interface Kept extends StoredContent {
  readonly bytes: Buffer;
}

export class MemoryStorage implements Storage {
  readonly #contents = new Map<string, Kept>();
  #bytes = 0;

  constructor(readonly name: string) {}

  async write(id: ContentId): Promise<ContentWriter> {
    const pieces: Buffer[] = [];
    let size = 0;
    let kept = false;
    const free = (): void => {
      this.#bytes -= size;
      size = 0;
      pieces.length = 0;
    };
    return {
      write: async (chunk) => {
        if (this.#bytes + chunk.length > MOST) throw new FilesError(507, 'The storage in memory is full.');
        this.#bytes += chunk.length;
        size += chunk.length;
        pieces.push(Buffer.from(chunk));
      },
      finish: async () => {
        this.#contents.set(nameOf(id), { ...id, modified: Date.now(), bytes: Buffer.concat(pieces, size) });
        kept = true;
      },
      discard: async () => {
        if (kept) await this.remove(id);
        else free();
      },
    };
  }

  async *read(id: ContentId, { from, to }: ByteRange, signal?: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    if (from >= to) return;
    const bytes = this.#contents.get(nameOf(id))?.bytes;
    if (bytes === undefined) throw new ContentMissing(id.file);
    if (to > bytes.length) throw new FilesError(500, `The content of file ${id.file} is shorter than it should be.`);
    for (let at = from; at < to; at += PIECE) {
      signal?.throwIfAborted();
      yield bytes.subarray(at, Math.min(to, at + PIECE));
    }
  }

  async remove(id: ContentId): Promise<void> {
    const name = nameOf(id);
    this.#bytes -= this.#contents.get(name)?.bytes.length ?? 0;
    this.#contents.delete(name);
  }

  async *list(): AsyncGenerator<StoredContent, void, undefined> {
    yield* this.#contents.values();
  }
}

function nameOf({ file, key }: ContentId): string {
  return `${file} ${key}`;
}

export const memoryProvider: StorageProvider = {
  problems: () => [],
  create: ({ id }) => new MemoryStorage(id),
};
