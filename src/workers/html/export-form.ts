/**
 * The form in which pages are exported (docs/interface/pages.md 8.3), read as it is written: every element is closed, what is not a tag is escaped, and
 * `svc:template` may stand where HTML has no place for it. Elements and comments with what instructions (`@svc:...`) say of them.
 */
import { parseFragment } from 'parse5';
import type { HtmlElement, HtmlNode, Mark } from './nodes.js';

/** Elements that are not closed. */
export const VOID = /^(?:area|base|br|col|command|embed|hr|img|input|keygen|link|meta|param|source|track|wbr)$/;
const EXACT = /^(?:pre|textarea|listing|script|style)$/;
const TOKEN =
  /<!--([^]*?)-->|<!doctype[^>]*>|<\/([a-z][\w:.-]*)\s*>|<([a-z][\w:.-]*)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'))?)*)\s*\/?>|([^<]+)/giy;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/g;

interface Open {
  readonly tag: string;
  readonly attributes: readonly (readonly [string, string])[];
  readonly children: HtmlNode[];
  /** Where its opening tag begins, and what is behind it. */
  readonly start: number;
  readonly from: number;
  readonly line: number;
}

/**
 * The nodes of a text of this form; undefined: it is not, but perhaps other HTML. `asWritten`: of files that belong to an application: the case of names
 * counts, texts may have any escapes of HTML, blanks on one line are texts, and `svg` that is no element of a page stays markup.
 */
export function readExport(text: string, asWritten = false): HtmlNode[] | undefined {
  const decoded = asWritten ? decodedAll : decodedOwn;
  const roots: HtmlNode[] = [];
  const open: Open[] = [];
  const lines = new Lines(text);
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const match = TOKEN.exec(text);
    if (match === null) return undefined;
    const [, comment, closing, opening, attributes = '', words] = match;
    const into = open.at(-1)?.children ?? roots;
    if (comment !== undefined) {
      const said = decoded(comment);
      if (said === undefined) return undefined;
      // Instructions have their own escapes; what only becomes one by them is a text.
      into.push(
        isInstruction(comment) ? { kind: 'comment', text: comment } : { kind: 'comment', text: said, marks: [] },
      );
    } else if (closing !== undefined) {
      const element = open.pop();
      if (element?.tag.toLowerCase() !== closing.toLowerCase()) return undefined;
      const isMarkup = asWritten && element.tag === 'svg' && !element.attributes.some(([name]) => name === ID);
      (open.at(-1)?.children ?? roots).push(
        isMarkup
          ? { kind: 'source', text: text.slice(element.start, TOKEN.lastIndex) }
          : closed(element, text.slice(element.from, match.index)),
      );
    } else if (opening !== undefined) {
      const pairs = attributesIn(attributes, decoded);
      if (pairs === undefined) return undefined;
      const names = asWritten ? pairs : pairs.map(([name, value]) => [name.toLowerCase(), value] as const);
      const tag = asWritten && !/^svc:/i.test(opening) ? opening : opening.toLowerCase();
      const element = {
        tag,
        attributes: names,
        children: [],
        start: match.index,
        from: TOKEN.lastIndex,
        line: lines.at(match.index),
      };
      const isMarkup = tag === 'svg' && !names.some(([name]) => name === ID);
      const isClosed = asWritten && match[0].endsWith('/>');
      if (isClosed && isMarkup) into.push({ kind: 'source', text: match[0] });
      else if (isClosed || VOID.test(tag.toLowerCase())) into.push(closed(element, ''));
      else open.push(element);
    } else if (words !== undefined) {
      const isExact = open.some(({ tag }) => EXACT.test(tag.toLowerCase()));
      const stripped = isExact ? words : words.replace(/^[\n\r\t]+|[\n\r\t]+$/g, '');
      const said = decoded(stripped);
      if (said === undefined) return undefined;
      // What a line ends in is the indentation of what follows.
      const isBlank = asWritten ? /^[ \n\r\t]*$/.test(stripped) && /^$|[\n\r]/.test(words) : said.trim() === '';
      if (!isBlank) into.push({ kind: 'text', text: said });
    }
  }
  return open.length === 0 ? roots : undefined;
}

function closed({ tag, attributes, children, line }: Open, source: string): HtmlElement {
  return { kind: 'element', tag, attributes, children, line, ...(tag.startsWith('svc:') ? { source } : {}) };
}

/** Lines of a text, for places that come one after the other. */
class Lines {
  #line = 1;
  #from = 0;

  constructor(private readonly text: string) {}

  at(index: number): number {
    for (
      let end = this.text.indexOf('\n', this.#from);
      end >= 0 && end < index;
      end = this.text.indexOf('\n', end + 1)
    ) {
      this.#line++;
      this.#from = end + 1;
    }
    return this.#line;
  }
}

/** The attribute that says the id of an element of a page. */
export const ID = 'data-svc-meta-id';

function attributesIn(
  text: string,
  decoded: (text: string) => string | undefined,
): (readonly [string, string])[] | undefined {
  const pairs: (readonly [string, string])[] = [];
  for (const [, name = '', quoted, single] of text.matchAll(ATTRIBUTE)) {
    const value = decoded(quoted ?? single ?? '');
    if (value === undefined) return undefined;
    pairs.push([name, value]);
  }
  return pairs;
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Codes of `@`, where a value would look like an instruction, and of what stands at an end of a text, where it would be taken for indentation. */
const CODES: Readonly<Record<string, string>> = { '64': '@', '9': '\t', '10': '\n', '13': '\r', '32': ' ' };
const ESCAPE = /&(?:([a-z][a-z\d]*)|#(\d+)|#x([\da-f]+));/gi;

/** Text with the escapes of exports; undefined: it has others. */
function decodedOwn(text: string): string | undefined {
  let isOurs = true;
  const said = text.replace(ESCAPE, (all, name?: string, code?: string) => {
    const sign = name === undefined ? CODES[code ?? ''] : NAMED[name];
    if (sign === undefined) isOurs = false;
    return sign ?? all;
  });
  return isOurs ? said : undefined;
}

const others = new Map<string, string>();

/** Text with any escapes of HTML. */
function decodedAll(text: string): string {
  return text.replace(ESCAPE, (all, name?: string, code?: string) => {
    const sign = name === undefined ? CODES[code ?? ''] : NAMED[name];
    if (sign !== undefined) return sign;
    let known = others.get(all);
    if (known === undefined) {
      const [node] = parseFragment(all).childNodes;
      known = node !== undefined && 'value' in node ? node.value : all;
      if (others.size < MOST_ESCAPES) others.set(all, known);
    }
    return known;
  });
}

/** Escapes that are remembered: HTML has about two thousand names. */
const MOST_ESCAPES = 5000;

function isInstruction(comment: string): boolean {
  return /^\s*@svc:/i.test(comment);
}

/** Takes instructions out of a list of nodes and puts them to what they are about; a content of which nothing but them is there is an empty one. */
export function annotated(nodes: readonly HtmlNode[]): HtmlNode[] {
  const made: HtmlNode[] = [];
  let pending: Mark[] = [];
  const has = (): boolean => pending.some(([name]) => name === 'content');
  const marked = (node: HtmlNode): void => {
    made.push(pending.length === 0 ? unmarked(node) : { ...node, marks: pending });
    pending = [];
  };
  const empty = (): void => {
    if (has()) marked({ kind: 'text', text: '' });
  };
  for (const node of nodes) {
    if (node.kind === 'comment' && node.marks === undefined && isInstruction(node.text)) {
      empty();
      pending = [...pending, ...marksIn(node.text)];
    } else if (node.kind !== 'element') {
      if (node.kind !== 'comment' || node.text.trim() !== '' || has()) marked(node);
    } else {
      if (node.tag !== 'svc:template' && node.tag !== 'svc:shared-template') empty();
      marked({ ...node, children: annotated(node.children) });
    }
  }
  empty();
  return made;
}

/** A part of a comment, as exports of this service write it: whatever is between the outer brackets is the value. */
const PART = /^@svc:([\w-]+)\s*(?:\(([^]*)\))?$/i;
const NEXT = /[\s,;()]*@svc:([\w-]+)\s*/iy;

function unmarked(node: HtmlNode): HtmlNode {
  if (node.marks === undefined) return node;
  const { marks: _none, ...rest } = node;
  return rest;
}

function marksIn(comment: string): Mark[] {
  const parts = comment.trim().split(/,\s*(?=@svc:)/i);
  const marks = parts.map((one): Mark | undefined => {
    const [, name = '', value = ''] = PART.exec(one) ?? [];
    // A value that begins another instruction is two of them without a comma.
    return name === '' || /@svc:/i.test(value) ? undefined : [name, decodedOwn(value) ?? value];
  });
  return marks.every((one) => one !== undefined) ? marks : olderMarksIn(comment);
}

/** Instructions with anything between them; the value of one ends with its bracket. */
function olderMarksIn(comment: string): Mark[] {
  const marks: Mark[] = [];
  NEXT.lastIndex = 0;
  for (let match = NEXT.exec(comment); match !== null; match = NEXT.exec(comment)) {
    const from = NEXT.lastIndex;
    let end = from;
    if (comment[from] === '(') {
      let depth = 0;
      for (; end < comment.length; end++) {
        if (comment[end] === '(') depth++;
        else if (comment[end] === ')' && --depth === 0) break;
      }
    }
    const value = comment.slice(from + 1, end);
    marks.push([match[1] ?? '', decodedOwn(value) ?? value]);
    NEXT.lastIndex = comment[from] === '(' ? end + 1 : from;
  }
  return marks;
}
