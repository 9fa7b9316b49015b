/** Small documents of XML, read whole. External entities are not read, and none are defined (docs/interface/script-runtime.md 8.5). */
import sax, { type SAXOptions } from 'sax';
import { runSteps, Turns, type Steps } from '../steps.js';
import type { Awaitable } from '../values.js';

/** Characters parsed at once: parsing holds the loop. */
const PIECE = 8 * 1024;
const DEEPEST = 200;
const MOST_NODES = 200_000;

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Elements and texts in their order. */
  readonly children: readonly (XmlElement | string)[];
}

interface Open extends XmlElement {
  readonly attributes: Map<string, string>;
  readonly children: (XmlElement | string)[];
}

/** What is wrong with a document, with its line. */
export class XmlError extends Error {
  override readonly name = 'XmlError';
}

/** The outermost element of a document, at once when it is short. Throws, or rejects with, `XmlError`. */
export function parseXml(text: string): Awaitable<XmlElement> {
  return runSteps(parsed(text));
}

function* parsed(text: string): Steps<XmlElement> {
  const parser = sax.parser(true, { strictEntities: true } as SAXOptions);
  const refuse = (why: string): never => {
    throw new XmlError(`line ${String((parser as unknown as { line: number }).line + 1)}: ${why}`);
  };
  const open: Open[] = [];
  let root: XmlElement | undefined;
  let nodes = 0;
  parser.onerror = (error) => refuse(error.message.split('\n')[0] ?? '');
  parser.onopentag = ({ name, attributes }) => {
    const element: Open = {
      name,
      attributes: new Map(Object.entries(attributes as Record<string, string>)),
      children: [],
    };
    nodes += 1 + element.attributes.size;
    if (open.length >= DEEPEST) refuse(`elements are nested more than ${String(DEEPEST)} deep`);
    if (nodes > MOST_NODES) refuse('the document is too large');
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  };
  parser.onclosetag = () => {
    open.pop();
  };
  const addText = (part: string): void => {
    const children = open.at(-1)?.children;
    const before = children?.at(-1);
    if (children === undefined) return;
    if (typeof before === 'string') children[children.length - 1] = before + part;
    else if (++nodes > MOST_NODES) refuse('the document is too large');
    else children.push(part);
  };
  parser.ontext = addText;
  parser.oncdata = addText;
  const turns = new Turns('Reading the document', 60_000, 1);
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at < text.length; at += PIECE) {
    yield* turns.pause();
    parser.write(text.slice(at, at + PIECE));
  }
  parser.close();
  return root ?? refuse('there is no element');
}

/** All text in an element and those in it. */
export function textIn(element: XmlElement): string {
  return element.children.map((child) => (typeof child === 'string' ? child : textIn(child))).join('');
}

/** A document as text again, with the URIs of its prefixes: what is declared first counts everywhere. */
export function xmlText(root: XmlElement): Awaitable<{
  readonly xml: string;
  readonly namespaces: Readonly<Record<string, string>>;
}> {
  return runSteps(written(root));
}

function* written(root: XmlElement): Steps<{ xml: string; namespaces: Record<string, string> }> {
  const turns = new Turns('Writing the document', 60_000);
  const namespaces = Object.create(null) as Record<string, string>;
  let xml = '';
  // Elements that are open, with their next child.
  const open: { readonly element: XmlElement; next: number }[] = [];
  const begin = (element: XmlElement): void => {
    xml += `<${element.name}`;
    for (const [name, value] of element.attributes) {
      xml += ` ${name}="${escaped(value)}"`;
      if (name.startsWith('xmlns:')) namespaces[name.slice('xmlns:'.length)] ??= value;
    }
    xml += '>';
    open.push({ element, next: 0 });
  };
  begin(root);
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    yield* turns.pause();
    const child = top.element.children[top.next++];
    if (child === undefined) {
      xml += `</${top.element.name}>`;
      open.pop();
    } else if (typeof child === 'string') xml += escaped(child);
    else begin(child);
  }
  return { xml, namespaces };
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, (one) => ESCAPES[one] ?? `&#${String(one.charCodeAt(0))};`);
}
