/** Text in headers of mails: what is not ASCII stands in encoded words (RFC 2047). */

/** Bytes of one word: it may have 75 characters. */
const BYTES_B = 45;
const BYTES_Q = 20;
const PLAIN = /^[\t\n\r\x20-\x7e]*$/;
const WORD = /=\?([!-<>@-~]{1,60})\?([bq])\?([!->@-~]*)\?=/gi;
/** Words that follow each other are one text: the space between them is none. */
const BETWEEN = /(=\?[!-<>@-~]{1,60}\?[bq]\?[!->@-~]*\?=)[ \t\r\n]+(?==\?[!-<>@-~]{1,60}\?[bq]\?[!->@-~]*\?=)/gi;

/** The text in ASCII: as it is, or in words of UTF-8; those with few other letters stay readable. */
export function encodeWords(text: string): string {
  if (PLAIN.test(text)) return text;
  const bytes = Buffer.byteLength(text);
  const readable = bytes - text.length < text.length / 2;
  const words: string[] = [];
  let word = '';
  let size = 0;
  for (const character of text) {
    const length = Buffer.byteLength(character);
    if (size + length > (readable ? BYTES_Q : BYTES_B)) {
      words.push(word);
      word = '';
      size = 0;
    }
    word += character;
    size += length;
  }
  words.push(word);
  return words.map((one) => (readable ? `=?UTF-8?Q?${quoted(one)}?=` : `=?UTF-8?B?${base64(one)}?=`)).join(' ');
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

function quoted(text: string): string {
  let out = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    const character = String.fromCharCode(byte);
    if (character === ' ') out += '_';
    else if (/[A-Za-z0-9!*+\-/]/.test(character)) out += character;
    else out += `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}

/** The text with its encoded words read; words in charsets that are unknown stay as they are. */
export function decodeWords(text: string): string {
  return text.replace(BETWEEN, '$1').replace(WORD, (word, charset: string, kind: string, content: string) => {
    const bytes = kind.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : unquoted(content);
    try {
      // A language may stand behind the charset (RFC 2231, 5).
      return new TextDecoder(charset.split('*')[0]).decode(bytes);
    } catch {
      return word;
    }
  });
}

function unquoted(text: string): Buffer {
  const plain = text
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(plain, 'latin1');
}
