/** Bytes as text, in whatever charset: by a mark, by what the bytes can be, by what they look like. */
import { TextDecoder } from 'node:util';
import { optional } from '../../../shared/optional-package.js';

/** Bytes that are looked at. */
const SAMPLE = 256 * 1024;
const UTF8_TAIL = 3;
const USUAL = 'windows-1252';
/** How many of every other byte are zero in UTF-16, and of those between. */
const MOST_ZEROS = 0.3;
const FEW_ZEROS = 0.02;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0e-\x1f\ufffe\uffff]/;

/** The charset that a mark at the beginning tells. */
export function markedCharset(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

/** A decoder for a name that somebody gave; undefined: there is none of this name. */
export function decoderOf(name: string | undefined): TextDecoder | undefined {
  if (name === undefined || name === '') return undefined;
  try {
    return new TextDecoder(name);
  } catch {
    return undefined;
  }
}

function isUtf8(sample: Buffer, isWhole: boolean): boolean {
  // What is cut may end within a character.
  for (let cut = 0; cut <= (isWhole ? 0 : UTF8_TAIL); cut++) {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(sample.subarray(0, sample.length - cut));
      return true;
    } catch {
      // The next shorter one.
    }
  }
  return false;
}

/** UTF-16 without a mark: every other byte of most texts is zero. */
function widths(sample: Buffer): string | undefined {
  const zeros: [even: number, odd: number] = [0, 0];
  for (let i = 0; i < sample.length; i++) if (sample[i] === 0) zeros[i % 2 === 0 ? 0 : 1]++;
  const [even, odd] = zeros;
  const half = sample.length / 2;
  let found: string | undefined;
  if (odd > half * MOST_ZEROS && even < half * FEW_ZEROS) found = 'utf-16le';
  else if (even > half * MOST_ZEROS && odd < half * FEW_ZEROS) found = 'utf-16be';
  // Numbers of four bytes look alike.
  return found === undefined || CONTROL.test(new TextDecoder(found).decode(sample)) ? undefined : found;
}

/** The text of bytes. `said`: the charset that the document itself names. */
export async function decodedText(bytes: Buffer, said?: string): Promise<string> {
  const sample = bytes.subarray(0, SAMPLE);
  const known = decoderOf(markedCharset(sample) ?? said ?? widths(sample));
  if (known !== undefined) return known.decode(bytes);
  if (isUtf8(sample, sample.length === bytes.length)) return new TextDecoder().decode(bytes);
  const { detect } = await optional(() => import('chardet'));
  return (decoderOf(detect(sample) ?? USUAL) ?? new TextDecoder(USUAL)).decode(bytes);
}

/** Signs that no text has. */
const CONTROLS = 0.02;

/** Whether bytes are no text in any charset. */
export function isBinary(head: Buffer): boolean {
  if (head.length === 0 || markedCharset(head) !== undefined || widths(head) !== undefined) return false;
  let controls = 0;
  for (const byte of head) {
    if (byte === 0) return true;
    if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27) || byte === 127) controls++;
  }
  return controls > head.length * CONTROLS;
}
