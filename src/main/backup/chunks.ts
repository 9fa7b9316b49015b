/** Pieces of files, known by their content: what is there is not written again. */
import { createHash } from 'node:crypto';
import { BackupError } from './errors.js';
import type { BackupPlace } from './places/index.js';

const FOLDER = 'chunks/';

/** Name of a piece by its SHA-256, in folders of a 256th each. */
export function chunkName(hash: string): string {
  return `${FOLDER}${hash.slice(0, 2)}/${hash}`;
}

export class Chunks {
  /** Pieces and bytes that were new. */
  readonly written = { chunks: 0, bytes: 0 };

  private constructor(
    private readonly place: BackupPlace,
    private readonly known: Set<string>,
  ) {}

  /** Looks what is there. */
  static async open(place: BackupPlace): Promise<Chunks> {
    const known = new Set<string>();
    for await (const { name } of place.list(FOLDER)) known.add(name.slice(name.lastIndexOf('/') + 1));
    return new Chunks(place, known);
  }

  has(hash: string): boolean {
    return this.known.has(hash);
  }

  /** Keeps a piece; its hash. */
  async keep(bytes: Uint8Array): Promise<string> {
    const hash = createHash('sha256').update(bytes).digest('hex');
    if (this.known.has(hash)) return hash;
    await this.place.put(chunkName(hash), bytes);
    this.known.add(hash);
    this.written.chunks++;
    this.written.bytes += bytes.length;
    return hash;
  }
}

/** A piece, whole and as it was written. Throws `BackupError`. */
export async function readChunk(place: BackupPlace, hash: string): Promise<Buffer> {
  const bytes = await place.get(chunkName(hash));
  if (createHash('sha256').update(bytes).digest('hex') === hash) return bytes;
  throw new BackupError(`the piece ${hash} in ${place.name} is damaged.`);
}

/** Removes pieces that nobody names and that were written before `before`; how many. */
export async function removeChunks(place: BackupPlace, named: ReadonlySet<string>, before: number): Promise<number> {
  let removed = 0;
  for await (const { name, written } of place.list(FOLDER)) {
    if (written >= before || named.has(name.slice(name.lastIndexOf('/') + 1))) continue;
    await place.remove(name);
    removed++;
  }
  return removed;
}
