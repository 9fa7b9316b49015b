/** The body of an answer: unpacked as it arrives, bounded, and as text when that is asked for (docs/interface/script-runtime.md 5.1). */
import { pipeline, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { TimeSlice } from '../../../../shared/time-slice.js';
import { ScriptError } from '../../language/errors.js';
import type { Answer } from './exchange.js';

const SMALLEST_BLOCK = 4 * 1024;
const LARGEST_BLOCK = 1024 * 1024;
/** Bytes of all answers that are arriving. */
const MOST_ARRIVING = 1024 * 1024 * 1024;
/** More than one is rare, and each costs memory. */
const MOST_CODINGS = 3;

let arriving = 0;

/** Packed bytes that cannot be unpacked. */
export class PackingError extends Error {}

/** Bytes in few blocks, however small the pieces are in which they come. */
class Blocks {
  readonly full: Buffer[] = [];
  size = 0;
  private block = Buffer.alloc(0);
  private used = 0;

  add(bytes: Buffer): void {
    this.size += bytes.length;
    let from = 0;
    while (from < bytes.length) {
      if (this.used === this.block.length) {
        if (this.used > 0) this.full.push(this.block);
        this.block = Buffer.allocUnsafeSlow(Math.min(LARGEST_BLOCK, Math.max(SMALLEST_BLOCK, this.size)));
        this.used = 0;
      }
      const copied = bytes.copy(this.block, this.used, from);
      this.used += copied;
      from += copied;
    }
  }

  all(): Buffer[] {
    return this.used === 0 ? this.full : [...this.full, this.block.subarray(0, this.used)];
  }
}

/**
 * Reads a body to its end; in pieces, unpacked. Throws `ScriptError` 422 when it is longer than `limit` bytes, 503 when all
 * answers together are too much, and `PackingError`. `setting`: what says the limit, for the message.
 */
export async function readBody(answer: Answer, limit: number, setting = ''): Promise<readonly Buffer[]> {
  const response = answer.body;
  const unpackers = unpackersOf(answer.header('content-encoding')).map((create) => create());
  const blocks = new Blocks();
  let broken: Error | undefined;
  for (const one of unpackers) {
    one.on('error', (error: NodeJS.ErrnoException) => {
      if (isZlib(error.code)) broken = error;
    });
  }
  // What goes wrong is thrown by the last of them.
  const last = unpackers.at(-1);
  let arrived = 0;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      arrived += chunk.length;
      done(null, chunk);
    },
  });
  if (last !== undefined) pipeline([response, counting, ...unpackers], () => undefined);
  try {
    for await (const chunk of (last ?? response) as AsyncIterable<Buffer>) {
      if (blocks.size + chunk.length > limit) {
        throw new ScriptError(422, `the answer is larger than ${String(Math.floor(limit / 1024 / 1024))} MB${setting}`);
      }
      if (arriving + chunk.length > MOST_ARRIVING) throw new ScriptError(503, 'too many large answers arrive at once');
      arriving += chunk.length;
      blocks.add(chunk);
    }
  } catch (error) {
    // An answer without a body may say how it would have been packed.
    if (broken !== undefined && arrived === 0) return [];
    throw broken === undefined ? error : new PackingError('its answer cannot be unpacked', { cause: broken });
  } finally {
    arriving -= blocks.size;
    response.destroy();
  }
  return blocks.all();
}

function isZlib(code: unknown): boolean {
  return typeof code === 'string' && /^(?:Z_|ERR__|ERR_BROTLI)/.test(code);
}

const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** What undoes the codings of a body, the last one first; nothing when one of them is unknown. */
function unpackersOf(encoding = ''): (() => Transform)[] {
  const names = encoding
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== '' && one !== 'identity')
    .reverse();
  const unpackers = names.map((name) => UNPACKERS[name]).filter((one) => one !== undefined);
  return unpackers.length === names.length && names.length <= MOST_CODINGS ? unpackers : [];
}

/** Whether a body comes unpacked, so that the headers about its packing say nothing any more. */
export function isUnpacked(answer: Answer): boolean {
  return unpackersOf(answer.header('content-encoding')).length > 0;
}

/** The decoder of a charset; undefined: there is none of this name. */
function decoderOf(charset: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}

/** Bytes as text, in the first of these charsets that there is; without holding up the loop. */
export async function textIn(charsets: readonly string[], pieces: readonly Buffer[]): Promise<string> {
  const decoder = charsets.map(decoderOf).find((one) => one !== undefined) ?? new TextDecoder('iso-8859-1');
  const slice = new TimeSlice();
  let text = '';
  for (const piece of pieces) {
    text += decoder.decode(piece, { stream: true });
    if (slice.due) await slice.pause();
  }
  return text + decoder.decode();
}

/** The charset that a content type names. */
export function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s"';,]{1,60})/i.exec(contentType)?.[1];
}
