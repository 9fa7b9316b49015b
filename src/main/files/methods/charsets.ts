/** Text and bytes, by the names that clients give encodings. */
import { FilesError } from '../errors.js';

/** Encodings by their names in small letters: what Node calls them, and the highest character they have. */
const ENCODINGS: Readonly<Record<string, { readonly node: BufferEncoding; readonly highest?: number }>> = {
  'utf-8': { node: 'utf8' },
  utf8: { node: 'utf8' },
  'utf-16le': { node: 'utf16le' },
  'us-ascii': { node: 'latin1', highest: 0x7f },
  ascii: { node: 'latin1', highest: 0x7f },
  'iso-8859-1': { node: 'latin1', highest: 0xff },
  latin1: { node: 'latin1', highest: 0xff },
  base64: { node: 'base64' },
  hex: { node: 'hex' },
};
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

function encodingNamed(name: string): (typeof ENCODINGS)[string] {
  const encoding = ENCODINGS[name.toLowerCase()];
  if (encoding !== undefined) return encoding;
  throw new FilesError(
    400,
    `There is no encoding "${name.slice(0, 40)}"; there are ${Object.keys(ENCODINGS).join(', ')}.`,
  );
}

/** Throws `FilesError` 400 for an encoding that is not known. */
export function decoded(bytes: Buffer, encoding: string): string {
  const { node, highest } = encodingNamed(encoding);
  const text = bytes.toString(node);
  return highest === 0x7f ? text.replace(/[^\0-\x7f]/g, '\ufffd') : text;
}

/** Throws `FilesError` 400 for an encoding that is not known, and 422 for text that it cannot say. */
export function encoded(text: string, encoding: string): Buffer {
  const { node, highest } = encodingNamed(encoding);
  let fits = true;
  if (highest !== undefined) for (let i = 0; fits && i < text.length; i++) fits = text.charCodeAt(i) <= highest;
  else if (node === 'base64') fits = BASE64.test(text.replace(/\s/g, ''));
  else if (node === 'hex') fits = text.length % 2 === 0 && /^[0-9a-f]*$/i.test(text);
  if (!fits) throw new FilesError(422, `The content has characters that ${encoding} does not have.`);
  return Buffer.from(text, node);
}
