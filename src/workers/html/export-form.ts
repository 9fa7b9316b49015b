/**
 * The form of exports (docs/interface/pages.md 8.3). It looks like HTML, but nothing is added or moved as browsers do it: elements of the service may stand
 * in tables, heads and scripts, and what is in a `p` may be anything.
 */
import { Parser } from 'htmlparser2';
import { parseFragment } from 'parse5';
import { keepsSource, type ParsedNode } from './parsed.js';

type Element = Extract<ParsedNode, { kind: 'element' }>;

const VOID: ReadonlySet<string> = new Set(
  'area base br col command embed hr img input keygen link meta param source track wbr'.split(' '),
);
/** Elements whose text is no markup in HTML. */
const RAW = /(<(script|style|title|textarea)\b(?:[^>"']|"[^"]*"|'[^']*')*>)([^]*?)(<\/\2\s*>)/gi;
const MARKED = /<!--\s*@svc:|<\/?svc:/i;

export function parseExport(text: string, deepest: number): ParsedNode[] {
  const top: ParsedNode[] = [];
  const open: { readonly node: Element; readonly from: number }[] = [];
  const source = text.replace(RAW, (_, begin: string, _tag: string, inside: string, end: string) =>
    // What an export has written there is marked, and escaped; what people write there is not.
    MARKED.test(inside) ? begin + inside + end : begin + inside.replaceAll('&', '&amp;').replaceAll('<', '&lt;') + end,
  );
  const add = (node: ParsedNode): void => {
    (open.at(-1)?.node.children ?? top).push(node);
  };
  let pending = '';
  const endText = (): void => {
    if (pending !== '') add({ kind: 'text', text: decodedText(pending) });
    pending = '';
  };
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        endText();
        const pairs = Object.entries(attributes).map(([name, value]) => [name, decodedValue(value)] as const);
        const node: Element = { kind: 'element', tag, attributes: pairs, children: [] };
        add(node);
        if (open.length > deepest) throw new Error('it has too many levels');
        if (!VOID.has(tag)) open.push({ node, from: parser.endIndex + 1 });
      },
      onclosetag(tag) {
        endText();
        const at = open.findLastIndex(({ node }) => node.tag === tag);
        if (at < 0) return;
        const [first] = open.splice(at);
        if (first !== undefined) finish(first.node, first.from);
      },
      ontext(data) {
        pending += data;
      },
      oncomment(data) {
        endText();
        add({ kind: 'comment', text: data });
      },
    },
    { xmlMode: true, decodeEntities: false, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  const finish = (node: Element, from: number): void => {
    if (keepsSource(node.tag)) Object.assign(node, { source: source.slice(from, Math.max(from, parser.startIndex)) });
  };
  parser.end(source);
  endText();
  return top.map(withSvg);
}

/** An SVG is one text. */
function withSvg(node: ParsedNode): ParsedNode {
  if (node.kind !== 'element') return node;
  if (node.tag === 'svg') return { kind: 'svg', source: written(node) };
  node.children.splice(0, node.children.length, ...node.children.map(withSvg));
  return node;
}

function written(node: ParsedNode): string {
  switch (node.kind) {
    case 'text':
      return escaped(node.text);
    case 'comment':
      return `<!--${node.text}-->`;
    case 'svg':
      return node.source;
    case 'element': {
      const attributes = node.attributes.map(([name, value]) => ` ${name}="${escaped(value)}"`).join('');
      return `<${node.tag}${attributes}>${node.children.map(written).join('')}</${node.tag}>`;
    }
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** With characters in the place of entities, of which HTML has many. */
function decodedText(text: string): string {
  if (!text.includes('&')) return text;
  const { childNodes } = parseFragment(text.replaceAll('<', '&lt;'));
  return childNodes.map((node) => ('value' in node ? node.value : '')).join('');
}

function decodedValue(value: string): string {
  if (!value.includes('&')) return value;
  const [node] = parseFragment(`<p title="${value.replaceAll('"', '&quot;')}">`).childNodes;
  return node !== undefined && 'attrs' in node ? (node.attrs[0]?.value ?? '') : value;
}
