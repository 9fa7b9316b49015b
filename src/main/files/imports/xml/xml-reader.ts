/** XML content as events, a piece of the content at a time, whatever its size. */
import { TextDecoder } from 'node:util';
import sax, { type SAXOptions } from 'sax';
import { TimeSlice } from '../../../../shared/time-slice.js';
import { FilesError } from '../../errors.js';

/** What stands in a document, in its order; text may come in several pieces. */
export type XmlEvent =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: Readonly<Record<string, string>> }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'close' };

/** Bytes parsed at once: parsing holds the loop. */
const PIECE = 32 * 1024;
const DEEPEST = 500;
const MOST_ATTRIBUTES = 1000;
/** Encodings beyond those that every browser knows are none. */
const DECLARED = /^<\?xml[^>]*?\bencoding\s*=\s*["']([\w.-]{1,40})["']/;

/**
 * Reads a document. External entities are not read, and none are defined by it. Throws `FilesError` 422, with the line,
 * for what is not well-formed, and for elements nested too deeply.
 */
export async function* xmlEvents(bytes: AsyncIterable<Buffer>): AsyncGenerator<XmlEvent[], void, undefined> {
  const parser = sax.parser(true, { strictEntities: true } as SAXOptions);
  let events: XmlEvent[] = [];
  let depth = 0;
  let failure: Error | undefined;
  const refuse = (why: string): void => {
    const line = (parser as unknown as { line: number }).line + 1;
    failure ??= new FilesError(422, `The file is no well-formed XML: line ${String(line)}: ${why}.`);
  };
  parser.onerror = (error) => {
    refuse(error.message.split('\n')[0] ?? '');
    // Otherwise the parser goes on throwing the same error.
    (parser as unknown as { error: Error | null }).error = null;
  };
  parser.onopentag = ({ name, attributes }) => {
    if (++depth > DEEPEST) refuse(`elements are nested more than ${String(DEEPEST)} deep`);
    if (Object.keys(attributes).length > MOST_ATTRIBUTES) refuse('an element has too many attributes');
    events.push({ kind: 'open', name, attributes: attributes as Record<string, string> });
  };
  parser.onclosetag = () => {
    depth--;
    events.push({ kind: 'close' });
  };
  parser.ontext = (text) => events.push({ kind: 'text', text });
  parser.oncdata = (text) => events.push({ kind: 'text', text });
  const take = function* (text: string): Generator<XmlEvent[], void, undefined> {
    parser.write(text);
    if (failure !== undefined) throw failure;
    if (events.length === 0) return;
    yield events;
    events = [];
  };
  const slice = new TimeSlice();
  let decoder: TextDecoder | undefined;
  for await (const piece of bytes) {
    decoder ??= decoderFor(piece);
    for (let at = 0; at < piece.length; at += PIECE) {
      if (slice.due) await slice.pause();
      yield* take(decoder.decode(piece.subarray(at, at + PIECE), { stream: true }));
    }
  }
  const rest = decoder?.decode() ?? '';
  if (rest !== '') yield* take(rest);
  parser.close();
  if (failure !== undefined) throw failure;
  if (events.length > 0) yield events;
}

/** By the first bytes: a mark of their order, or what the document says of itself. */
function decoderFor(head: Buffer): TextDecoder {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le');
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be');
  const name = DECLARED.exec(head.toString('latin1', 0, 200))?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(name);
  } catch {
    throw new FilesError(422, `The file has the encoding ${name}, which this version of svc does not know.`);
  }
}
