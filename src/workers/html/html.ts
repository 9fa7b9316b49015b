/** HTML as browsers read it. */
import { parse, parseFragment, serialize, serializeOuter, type DefaultTreeAdapterTypes } from 'parse5';
import { keepsSource, type ParsedNode } from './parsed.js';

type Node = DefaultTreeAdapterTypes.ChildNode;

/** A whole page, or a part of one: rows of tables are kept without their table. */
export function parseHtml(html: string, isDocument: boolean, deepest: number): ParsedNode[] {
  const { childNodes } = isDocument ? parse(html) : parseFragment(html);
  return childNodes.flatMap((node) => parsed(node, deepest));
}

function parsed(node: Node, left: number): ParsedNode[] {
  if (node.nodeName === '#text' && 'value' in node) return [{ kind: 'text', text: node.value }];
  if (node.nodeName === '#comment' && 'data' in node) return [{ kind: 'comment', text: node.data }];
  // The doctype says nothing that pages could keep.
  if (!('tagName' in node)) return [];
  if (left < 0) throw new Error('it has too many levels');
  if (node.tagName === 'svg') return [{ kind: 'svg', source: serializeOuter(node) }];
  const inside = 'content' in node ? node.content : node;
  return [
    {
      kind: 'element',
      tag: node.tagName.toLowerCase(),
      attributes: node.attrs.map(({ prefix, name, value }) => [
        prefix === undefined || prefix === '' ? name : `${prefix}:${name}`,
        value,
      ]),
      children: inside.childNodes.flatMap((child) => parsed(child, left - 1)),
      ...(keepsSource(node.tagName) ? { source: serialize(inside) } : {}),
    },
  ];
}
