import { createGunzip, createInflate } from 'node:zlib';
import { HttpError } from '../errors.js';

const EMPTY: Buffer[] = [];
/** Pieces of a body that may become large are large themselves: their memory goes back to the system when they are gone. */
const LARGEST_PIECE = 256 * 1024;
const SMALLEST_PIECE = 1024;
/** What a body is taken to become, compared with its length. */
const USUAL_GROWTH = 16;

/**
 * The bytes of a compressed body, in pieces. `takes` is told of each piece before it is kept, and how long all are with it; what it
 * throws ends the unpacking: sixteen kilobytes may become sixteen megabytes, and many bodies are unpacked at once. Throws
 * `HttpError` 415 (unknown coding) and 400 (no such data).
 */
export async function unpack(
  body: Buffer,
  coding: string,
  takes: (size: number, piece: number) => void,
): Promise<readonly Buffer[]> {
  const unpacking = unpacker(coding);
  if (unpacking === undefined) {
    throw new HttpError(415, `Content-Encoding ${coding} is not supported`, { 'Accept-Encoding': 'gzip, deflate' });
  }
  if (body.length === 0) return EMPTY;
  const chunkSize = Math.max(SMALLEST_PIECE, Math.min(LARGEST_PIECE, body.length * USUAL_GROWTH));
  const stream = unpacking({ chunkSize });
  const pieces: Buffer[] = [];
  let size = 0;
  stream.end(body);
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      size += piece.length;
      takes(size, piece.length);
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new HttpError(400, 'Request body is not valid compressed data');
  }
  return pieces;
}

function unpacker(coding: string): typeof createGunzip | typeof createInflate | undefined {
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip;
  return coding === 'deflate' ? createInflate : undefined;
}
