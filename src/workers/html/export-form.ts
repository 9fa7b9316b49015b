/**
 * The form in which pages are exported (docs/interface/pages.md 8.3), read as it is written: every element is closed, what is not a tag is escaped, and
 * `svc:template` may stand where HTML has no place for it. Elements and comments with what instructions (`@svc:...`) say of them.
 */
import type { HtmlElement, HtmlNode, Mark } from './nodes.js';

const VOID = /^(?:area|base|br|col|command|embed|hr|img|input|keygen|link|meta|param|source|track|wbr)$/;
const EXACT = /^(?:pre|textarea|listing|script|style)$/;
const TOKEN =
  /<!--([^]*?)-->|<!doctype[^>]*>|<\/([a-z][\w:.-]*)\s*>|<([a-z][\w:.-]*)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'))?)*)\s*\/?>|([^<]+)/giy;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/g;

interface Open {
  readonly tag: string;
  readonly attributes: readonly (readonly [string, string])[];
  readonly children: HtmlNode[];
  /** Behind its opening tag. */
  readonly from: number;
}

/** The nodes of a text of this form; undefined: it is not, but perhaps other HTML. */
export function readExport(text: string): HtmlNode[] | undefined {
  const roots: HtmlNode[] = [];
  const open: Open[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const match = TOKEN.exec(text);
    if (match === null) return undefined;
    const [, comment, closing, opening, attributes = '', words] = match;
    const into = open.at(-1)?.children ?? roots;
    if (comment !== undefined) {
      const said = decoded(comment);
      if (said === undefined) return undefined;
      // Instructions have their own escapes.
      into.push({ kind: 'comment', text: isInstruction(comment) ? comment : said });
    } else if (closing !== undefined) {
      const element = open.pop();
      if (element?.tag !== closing.toLowerCase()) return undefined;
      (open.at(-1)?.children ?? roots).push(closed(element, text.slice(element.from, match.index)));
    } else if (opening !== undefined) {
      const pairs = attributesIn(attributes);
      if (pairs === undefined) return undefined;
      const element = { tag: opening.toLowerCase(), attributes: pairs, children: [], from: TOKEN.lastIndex };
      if (VOID.test(element.tag)) into.push(closed(element, ''));
      else open.push(element);
    } else if (words !== undefined) {
      const isExact = open.some(({ tag }) => EXACT.test(tag));
      const said = decoded(isExact ? words : words.replace(/^[\n\r\t]+|[\n\r\t]+$/g, ''));
      if (said === undefined) return undefined;
      if (said.trim() !== '') into.push({ kind: 'text', text: said });
    }
  }
  return open.length === 0 ? roots : undefined;
}

function closed({ tag, attributes, children }: Open, source: string): HtmlElement {
  return { kind: 'element', tag, attributes, children, ...(tag.startsWith('svc:') ? { source } : {}) };
}

function attributesIn(text: string): [string, string][] | undefined {
  const pairs: [string, string][] = [];
  for (const [, name = '', quoted, single] of text.matchAll(ATTRIBUTE)) {
    const value = decoded(quoted ?? single ?? '');
    if (value === undefined) return undefined;
    pairs.push([name.toLowerCase(), value]);
  }
  return pairs;
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The code of `@`, where a value would look like an instruction. */
const AT = '64';

/** Text with the escapes of exports; undefined: it has others. */
function decoded(text: string): string | undefined {
  let isOurs = true;
  const said = text.replace(/&(?:([a-z][a-z\d]*)|#(\d+)|#x([\da-f]+));/gi, (all, name?: string, code?: string) => {
    const sign = name === undefined ? (code === AT ? '@' : undefined) : NAMED[name];
    if (sign === undefined) isOurs = false;
    return sign ?? all;
  });
  return isOurs ? said : undefined;
}

function isInstruction(comment: string): boolean {
  return /^\s*@svc:/i.test(comment);
}

/** Takes instructions out of a list of nodes and puts them to what they are about; a content of which nothing but them is there is an empty one. */
export function annotated(nodes: readonly HtmlNode[]): HtmlNode[] {
  const made: HtmlNode[] = [];
  let pending: Mark[] = [];
  const has = (): boolean => pending.some(([name]) => name === 'content');
  const marked = (node: HtmlNode): void => {
    made.push(pending.length === 0 ? node : { ...node, marks: pending });
    pending = [];
  };
  const empty = (): void => {
    if (has()) marked({ kind: 'text', text: '' });
  };
  for (const node of nodes) {
    if (node.kind === 'comment' && isInstruction(node.text)) {
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

function marksIn(comment: string): Mark[] {
  return comment
    .trim()
    .split(/,\s*(?=@svc:)/i)
    .map((one): Mark => {
      const [, name = '', value = ''] = /^@svc:([\w-]+)\s*(?:\(([^]*)\))?/i.exec(one) ?? [];
      return [name, decoded(value) ?? value];
    });
}
