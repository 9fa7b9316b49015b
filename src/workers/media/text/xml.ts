/** XML of documents, read as it comes: entities that a document declares are never replaced, and nothing else is fetched. */
import { TextDecoder } from 'node:util';
import sax from 'sax';
import { decoderOf, markedCharset } from './charset.js';

/** Elements in each other. */
const DEEPEST = 2000;

export interface XmlEvents {
  /** An element begins; names are without their prefix. */
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Throws what the events throw, and an error for what is no XML. */
export async function readXml(pieces: AsyncIterable<Buffer>, events: XmlEvents): Promise<void> {
  const parser = sax.parser(true, { position: false });
  let depth = 0;
  let problem: Error | undefined;
  parser.onerror = (error) => {
    problem ??= error;
  };
  parser.onopentag = ({ name, attributes }) => {
    if (++depth > DEEPEST) throw new Error('Its elements are too deep in each other.');
    events.open?.(local(name), attributes as Record<string, string>);
  };
  parser.ontext = (text) => events.text?.(text);
  parser.oncdata = (text) => events.text?.(text);
  parser.onclosetag = (name) => {
    depth--;
    events.close?.(local(name));
  };
  let decoder: TextDecoder | undefined;
  const write = (text: string): void => {
    if (text !== '') parser.write(text);
    // What comes behind an error would say anything.
    if (problem !== undefined) throw new Error('The XML in it is broken.', { cause: problem });
  };
  for await (const piece of pieces) {
    decoder ??= decoderOf(markedCharset(piece)) ?? new TextDecoder();
    write(decoder.decode(piece, { stream: true }));
  }
  write(decoder?.decode() ?? '');
}

/** The attribute of a name without its prefix. */
export function attribute(attributes: Readonly<Record<string, string>>, name: string): string | undefined {
  for (const [key, value] of Object.entries(attributes)) if (local(key) === name) return value;
  return undefined;
}
