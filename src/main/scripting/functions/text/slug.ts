/** Names for paths and identifiers, made of any text (`clean`; docs/interface/script-runtime.md 8.1). */
import { ScriptError } from '../../language/errors.js';

const LETTERS: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  Ä: 'ae',
  Ö: 'oe',
  Ü: 'ue',
  ß: 'ss',
  ẞ: 'ss',
};

/** Characters of a text that a name is made of. */
const LONGEST = 256 * 1024;

/** Small letters, digits and single dashes between them. Throws `ScriptError` 422 for texts that no name is made of. */
export function slug(text: string): string {
  if (text.length > LONGEST) {
    throw new ScriptError(422, `A text of more than ${String(LONGEST)} characters is too long for clean().`);
  }
  return text
    .normalize('NFC')
    .replace(/[äöüÄÖÜßẞ]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(/[<>.?(){}[\]!,]/g, '')
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/[^a-z0-9-]/g, '')
    .replace(/-{2,}/g, '-')
    .replace(/^-|-$/g, '');
}
