import { FilesError } from '../../errors.js';

/** Bytes of a file in pieces of one size, the last one shorter. Throws `FilesError` when they are not `total`. */
export async function* inPieces(
  source: AsyncIterable<Buffer>,
  size: number,
  total: number,
): AsyncGenerator<Buffer, void, undefined> {
  let gathered: Buffer[] = [];
  let bytes = 0;
  let seen = 0;
  for await (const chunk of source) {
    seen += chunk.length;
    if (seen > total) throw unexpected(total);
    for (let at = 0; at < chunk.length;) {
      const part = chunk.subarray(at, at + size - bytes);
      gathered.push(part);
      bytes += part.length;
      at += part.length;
      if (bytes < size) continue;
      yield together(gathered);
      gathered = [];
      bytes = 0;
    }
  }
  if (seen < total) throw unexpected(total);
  if (bytes > 0) yield together(gathered);
}

function together(parts: readonly Buffer[]): Buffer {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}

function unexpected(total: number): FilesError {
  return new FilesError(500, `The content of a file does not have the ${String(total)} bytes that it should have.`);
}
