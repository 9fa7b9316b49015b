/** Formats of images by their first bytes. Threads use it as well: no modules that need more than text. */
import { behindRemarks } from './markup-start.js';

export const SVG = 'svg';

/** Formats that the service reads. */
export type ImageFormat = 'jpeg' | 'png' | 'gif' | 'webp' | 'tiff' | 'avif' | typeof SVG;

const SIGNATURES: readonly (readonly [format: ImageFormat, offset: number, bytes: string])[] = [
  ['jpeg', 0, '\xff\xd8\xff'],
  ['png', 0, '\x89PNG\r\n\x1a\n'],
  ['gif', 0, 'GIF8'],
  ['webp', 8, 'WEBP'],
  ['tiff', 0, 'II*\0'],
  ['tiff', 0, 'MM\0*'],
  ['avif', 4, 'ftypavif'],
  ['avif', 4, 'ftypavis'],
];

/** The format of an image that begins so; undefined: it is none. */
export function formatOf(head: Buffer): ImageFormat | undefined {
  for (const [format, offset, bytes] of SIGNATURES) {
    if (head.toString('latin1', offset, offset + bytes.length) !== bytes) continue;
    if (format === 'webp' && head.toString('latin1', 0, 4) !== 'RIFF') continue;
    return format;
  }
  // Nothing is decoded for what cannot be one.
  const first = head.find((byte) => byte > 32);
  if (first !== 0x3c && first !== 0xef) return undefined;
  return /^<svg[\s>]/i.test(behindRemarks(head.toString('utf8'), true)) ? SVG : undefined;
}
