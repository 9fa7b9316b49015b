/** Formats of images by their first bytes. No other modules: threads use it as well. */

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

/**
 * Behind declarations and comments. A comment ends where it ends: with `[\s\S]*?` any number of them could be read as one, in exponentially
 * many ways.
 */
const SVG_START =
  /^\ufeff?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*|<!DOCTYPE\s+svg[^[>]*(?:\[[^\]]*\]\s*)?>\s*)*<svg[\s>]/i;

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
  return SVG_START.test(head.toString('utf8')) ? SVG : undefined;
}
