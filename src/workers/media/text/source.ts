/** A document, or a part of one, that text is read from. */
import { open, readFile, stat } from 'node:fs/promises';

/** What is looked at to know what it is. */
const HEAD = 16 * 1024;

export interface Source {
  /** Its name, for those formats that nothing else tells; empty: it has none. */
  readonly name: string;
  /** As somebody said; empty: nobody did. */
  readonly contentType: string;
  readonly head: Buffer;
  readonly size: number;
  /** A file of this machine; undefined: it is in memory. */
  readonly path: string | undefined;
  /** Its first bytes, as many as there are or as `most` says. */
  bytes(most?: number): Promise<Buffer>;
}

export async function sourceAt(path: string, name: string, contentType: string): Promise<Source> {
  const { size } = await stat(path);
  const bytes = (most = size): Promise<Buffer> => (most >= size ? readFile(path) : firstOf(path, most));
  return { name, contentType, head: await bytes(HEAD), size, path, bytes };
}

async function firstOf(path: string, most: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

export function sourceOf(content: Buffer, name: string, contentType = ''): Source {
  return {
    name,
    contentType,
    head: content.subarray(0, HEAD),
    size: content.length,
    path: undefined,
    bytes: (most = content.length) => Promise.resolve(content.subarray(0, most)),
  };
}

/** The ending of a name in small letters, without its dot. */
export function endingOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
}
