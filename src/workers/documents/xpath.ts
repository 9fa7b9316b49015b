/** Evaluates XPath on a thread of its own: an expression may take as long as it likes (`scripting/functions/formats/xpath.ts`). */
import { createRequire } from 'node:module';
import { DOMParser, type Element, type Node } from '@xmldom/xmldom';
import { outcomeOf, type Outcome } from '../outcome.js';

export interface XPathJob {
  /** A document without entities of its own. */
  readonly xml: string;
  readonly expression: string;
  readonly type: 'STRING' | 'NUMBER' | 'BOOLEAN' | 'NODESET' | 'NODE';
  /** URIs by prefix. */
  readonly namespaces: Readonly<Record<string, string>>;
  /** Nodes, attributes and texts in what is answered. */
  readonly most: number;
  /** Characters of it. */
  readonly longest: number;
}

/** An element; attributes and texts are answered as such. */
export interface FoundElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (FoundElement | string)[];
}

export type XPathValue = string | number | boolean | readonly (FoundElement | string)[];

/** The library; its own types lack this, and would bring those of browsers into all files. */
interface Found {
  stringValue(): string;
  numberValue(): number;
  booleanValue(): boolean;
  toArray?(): Node[];
}
interface Parser {
  parse(expression: string): {
    evaluate(options: {
      readonly node: Node;
      readonly namespaces: Readonly<Record<string, string>>;
      readonly allowAnyNamespaceForNoPrefix: boolean;
    }): Found;
  };
}

const xpath = createRequire(import.meta.url)('xpath') as Parser;

const ELEMENT = 1;
const TEXT = 3;
const CDATA = 4;
const DOCUMENT = 9;

export default function evaluate(job: XPathJob): Promise<Outcome<XPathValue>> {
  return outcomeOf(() => {
    const parser = new DOMParser({ onError: (level, message) => refuse(level, message) });
    const node = parser.parseFromString(job.xml, 'text/xml');
    const found = xpath
      .parse(job.expression)
      .evaluate({ node, namespaces: job.namespaces, allowAnyNamespaceForNoPrefix: true });
    switch (job.type) {
      case 'STRING':
        return bounded(found.stringValue(), job.longest);
      case 'NUMBER':
        return found.numberValue();
      case 'BOOLEAN':
        return found.booleanValue();
      default:
        return nodesOf(found, job);
    }
  });
}

function refuse(level: string, message: string): void {
  if (level !== 'warning') throw new Error(message);
}

function bounded(text: string, longest: number): string {
  if (text.length > longest) throw new Error(`it leads to more than ${String(longest)} characters`);
  return text;
}

function nodesOf(found: Found, { type, most, longest }: XPathJob): (FoundElement | string)[] {
  if (found.toArray === undefined) throw new Error('the expression does not lead to nodes');
  const nodes = found.toArray();
  let count = 0;
  let length = 0;
  // An element holds all that is in it, also where that is found, too.
  const text = (value: string): string => {
    length += value.length;
    if (length > longest) throw new Error(`it leads to more than ${String(longest)} characters`);
    return value;
  };
  const plain = (node: Node): FoundElement | string => {
    if (++count > most) throw new Error(`it leads to more than ${String(most)} nodes`);
    if (node.nodeType === DOCUMENT) return node.firstChild === null ? '' : plain(elementIn(node));
    if (node.nodeType !== ELEMENT) return text(node.nodeValue ?? '');
    const element = node as Element;
    const attributes = Array.from({ length: element.attributes.length }, (_, i) => element.attributes.item(i));
    count += attributes.length;
    const children: (FoundElement | string)[] = [];
    for (let child = element.firstChild; child !== null; child = child.nextSibling) {
      if ([ELEMENT, TEXT, CDATA].includes(child.nodeType)) children.push(plain(child));
    }
    return {
      name: text(element.nodeName),
      attributes: new Map(attributes.map((one) => [text(one?.name ?? ''), text(one?.value ?? '')])),
      children,
    };
  };
  return (type === 'NODE' ? nodes.slice(0, 1) : nodes).map(plain);
}

function elementIn(document: Node): Node {
  let child = document.firstChild;
  while (child !== null && child.nodeType !== ELEMENT) child = child.nextSibling;
  return child ?? document;
}
