/** Headers of the tus protocol, version 1.0.0 (tus.io): what clients send in them, and what they mean. */
import { createHash } from 'node:crypto';
import { Xxh64 } from '@node-rs/xxhash';
import { HttpError, type Exchange } from '../../http/index.js';

export const VERSION = '1.0.0';
export const EXTENSIONS = 'creation,creation-with-upload,termination,checksum,expiration';
export const BODY_TYPE = 'application/offset+octet-stream';
/** Status of a body whose checksum is not what was announced. */
export const CHECKSUM_MISMATCH = 460;

/** Bytes of a body on their way, summed up. */
export interface BodyHash {
  update(chunk: Buffer): void;
  digest(): Buffer;
}

/** The protocol asks for sha1 and leaves names of others to the server. xxh64: eight bytes, the highest first. */
const HASHES: Readonly<Record<string, () => BodyHash>> = {
  sha1: () => hash('sha1'),
  md5: () => hash('md5'),
  xxh64: () => {
    const sum = new Xxh64(0n);
    return {
      update: (chunk) => void sum.update(chunk),
      digest: () => {
        const bytes = Buffer.alloc(8);
        bytes.writeBigUInt64BE(BigInt.asUintN(64, sum.digest()));
        return bytes;
      },
    };
  },
};
export const CHECKSUMS = Object.keys(HASHES).join(',');

function hash(name: string): BodyHash {
  const sum = createHash(name);
  return { update: (chunk) => void sum.update(chunk), digest: () => sum.digest() };
}

/** What the client says about a body. */
export interface Announced {
  readonly hash: BodyHash;
  readonly expected: Buffer;
}

/** `Upload-Checksum`; undefined: there is none. Throws `HttpError` 400. */
export function announcedChecksum(exchange: Exchange): Announced | undefined {
  const text = exchange.header('upload-checksum').trim();
  if (text === '') return undefined;
  const [name = '', value = '', ...more] = text.split(/ +/);
  const make = Object.hasOwn(HASHES, name) ? HASHES[name] : undefined;
  if (make === undefined) throw new HttpError(400, `Upload-Checksum knows ${CHECKSUMS}.`);
  const made = make();
  const expected = base64(value);
  if (expected === undefined || value === '' || more.length > 0) {
    throw new HttpError(400, 'Upload-Checksum must be the name of an algorithm and a value in Base64.');
  }
  return { hash: made, expected };
}

/** A header that is a number of bytes; undefined: it is absent. Throws `HttpError` 400. */
export function bytesIn(exchange: Exchange, name: string): number | undefined {
  const text = exchange.header(name.toLowerCase()).trim();
  if (text === '') return undefined;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(value)) throw new HttpError(400, `${name} must be a number of bytes.`);
  return value;
}

/** `Upload-Metadata`: keys and values, which are text. Throws `HttpError` 400. */
export function metadataIn(header: string): Map<string, string> {
  const metadata = new Map<string, string>();
  for (const pair of header.split(',')) {
    if (pair.trim() === '') continue;
    const [key = '', value = '', ...more] = pair.trim().split(/ +/);
    const bytes = base64(value);
    if (!/^[!-+\--~]+$/.test(key) || bytes === undefined || more.length > 0) {
      throw new HttpError(400, 'Upload-Metadata must be pairs of a key and a value in Base64, with commas between.');
    }
    if (metadata.has(key)) throw new HttpError(400, `Upload-Metadata has the key ${key} twice.`);
    metadata.set(key, bytes.toString('utf8'));
  }
  return metadata;
}

function base64(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}
