/** Bodies of requests, made of values of scripts (contract, Scripting functions named by the interface). */
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import { fileContent, isFile } from '../../run/files/file-content.js';
import { textOf } from '../../language/text.js';
import type { ScriptValue } from '../../language/values.js';
import type { OutboundBody } from './exchange.js';

/** Bytes that leave at once. */
const PIECE = 256 * 1024;

/**
 * A File is streamed as it is stored, bytes are sent as they are, everything else as text in the charset. Throws `ScriptError` 422
 * for a charset that cannot be written.
 */
export async function bodyOf(value: ScriptValue, charset: string, context: ScriptContext): Promise<OutboundBody> {
  if (isFile(value, context)) {
    const { size, contentType, read } = await fileContent(value, context);
    return { size, type: contentType, isStreamed: true, bytes: read };
  }
  if (value instanceof Uint8Array) return bytesBody(value, 'application/octet-stream');
  return bytesBody(encodeText(textOf(value, context), charset), `text/plain; charset=${charset}`);
}

export function bytesBody(bytes: Uint8Array, type: string): OutboundBody {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { size: buffer.length, type, isStreamed: false, bytes: () => pieces(buffer) };
}

/** A server that takes its time keeps no more of it waiting in sockets. */
function* pieces(bytes: Buffer): Generator<Buffer, void, undefined> {
  for (let from = 0; from < bytes.length; from += PIECE) yield bytes.subarray(from, from + PIECE);
}

/** Text in a charset; what it cannot say becomes a question mark. Throws `ScriptError` 422 for one that cannot be written. */
export function encodeText(text: string, charset: string): Buffer {
  switch (charset.toLowerCase()) {
    case 'utf-8':
    case 'utf8':
      return Buffer.from(text, 'utf8');
    case 'iso-8859-1':
    case 'latin1':
      return Buffer.from(text.replace(/[^\0-\xff]/gu, '?'), 'latin1');
    case 'us-ascii':
    case 'ascii':
      return Buffer.from(text.replace(/[^\0-\x7f]/gu, '?'), 'latin1');
    case 'utf-16le':
      return Buffer.from(text, 'utf16le');
    case 'utf-16be':
      return Buffer.from(text, 'utf16le').swap16();
    // With the mark that tells the order of bytes.
    case 'utf-16':
      return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
    default:
      throw new ScriptError(
        422,
        `Text cannot be sent in the charset ${charset.slice(0, 40)}: there are UTF-8, UTF-16, ISO-8859-1 and US-ASCII.`,
      );
  }
}
