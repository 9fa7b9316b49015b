/** The source of a tree for those who edit it: modes WIDGET and RAW (docs/interface/pages.md 2.11). */
import type { Schema } from '../../schema/index.js';
import { shownChildren, textOf, type PageNode } from '../model/page-node.js';
import { isTag, VOID } from '../model/tags.js';
import {
  attributesIn,
  metaAttribute,
  metaAttributes,
  writeSource,
  type Attribute,
  type WrittenAs,
} from './source-text.js';

export type RawMode = 'WIDGET' | 'RAW';

/** Scripts, values and texts as they are stored; nothing is escaped, and nothing left out. */
export function rawSource(root: PageNode, mode: RawMode, schema: Schema, indentation: boolean): Promise<string> {
  return writeSource(root, {
    indentation,
    as: (node) => writtenAs(node, mode, schema),
    comment: () => '',
    childrenOf: shownChildren,
    text: (node) => (node.kind === 'comment' ? commentText(textOf(node, 'content')) : textOf(node, 'content')),
  });
}

function writtenAs(node: PageNode, mode: RawMode, schema: Schema): WrittenAs {
  if (node.kind !== 'element') return 'text';
  const tag = textOf(node, 'tag');
  if (!isTag(tag)) return 'nothing';
  const { type } = node.node;
  const own = type === 'Html' ? textOf(node, 'customOpeningTag') : '';
  const opening = own === '' ? `<${tag}${attributesOf(node, mode, schema)}>` : own;
  return { tag, opening, isVoid: VOID.has(type) };
}

/** Instructions are not shown, as on the page itself. */
function commentText(text: string): string {
  return text.includes('@svc:') ? '' : `<!--${text}-->`;
}

function attributesOf(node: PageNode, mode: RawMode, schema: Schema): string {
  const { html, custom, settings } = attributesIn(node, schema);
  const meta: Attribute[] = [];
  const add = (name: string, key: string): void => {
    const value = textOf(node, key);
    if (value.trim() !== '') meta.push(metaAttribute(name, value));
  };
  add('shared-component-configuration', 'sharedComponentConfiguration');
  add('name', 'name');
  meta.push(...metaAttributes(node));
  add('event-mapping', 'eventMapping');
  if (mode === 'RAW') meta.push({ name: 'data-svc-hash', value: node.node.id });
  // A hash of its own would be a second one.
  const own = [...html, ...custom, ...settings].filter(({ name }) => mode !== 'RAW' || name !== 'data-svc-hash');
  return [...own, ...meta].map(({ name, value }) => ` ${name}="${value}"`).join('');
}
