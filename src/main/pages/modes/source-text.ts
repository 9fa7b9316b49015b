/** Writes the source of a tree: its scripts are not run, and nothing of it depends on who asks (docs/interface/pages.md 2.11). */
import { TimeSlice } from '../../../shared/time-slice.js';
import type { Schema } from '../../schema/index.js';
import { shownChildren, textOf, type PageNode } from '../model/page-node.js';
import { DEEPEST, TreeError } from '../model/read-tree.js';
import { INLINE, isAttribute } from '../model/tags.js';

/** Characters of one source. */
const MOST = 64 * 1024 * 1024;

export interface Attribute {
  readonly name: string;
  readonly value: string;
}

/** Settings of elements, which are no attributes of an application. */
const SETTINGS: ReadonlySet<string> = new Set(
  `data-svc-insert data-svc-from-widget data-svc-tree-children data-svc-reload-target data-svc-manual-reload-target
   data-svc-rendering-mode data-svc-delay-or-interval`.split(/\s+/),
);

const HTML = '_html_';
const CUSTOM = '_custom_html_';

/** The attributes of a node as they are stored: those that its type has, those of the application, settings of the service. */
export function attributesIn({ node }: PageNode, schema: Schema): Record<'html' | 'custom' | 'settings', Attribute[]> {
  const { properties } = schema.typeOf(node);
  const found = { html: [] as Attribute[], custom: [] as Attribute[], settings: [] as Attribute[] };
  const add = (to: Attribute[], name: string, value: unknown): void => {
    if (isAttribute(name)) to.push({ name, value: String(value) });
  };
  for (const [key, value] of Object.entries(node.properties)) {
    if (value === null || value === undefined) continue;
    if (key.startsWith(HTML)) {
      if (properties.has(key)) add(found.html, key.slice(HTML.length), value);
    } else if (value !== false && SETTINGS.has(key)) add(found.settings, key, value);
    else if (value !== false && key.startsWith('data-')) add(found.custom, key, value);
    else if (key.startsWith(CUSTOM)) add(found.custom, key.slice(CUSTOM.length), value);
  }
  const byName = (a: Attribute, b: Attribute): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  found.custom.sort(byName);
  found.settings.sort(byName);
  return found;
}

/** Fields of a node that are written as attributes, by their name behind `data-svc-meta-`. */
const META = [
  ['data-key', 'dataKey'],
  ['cypher-query', 'cypherQuery'],
  ['function-query', 'functionQuery'],
  ['selected-values', 'selectedValues'],
  ['show-for-locales', 'showForLocales'],
  ['hide-for-locales', 'hideForLocales'],
  ['show-conditions', 'showConditions'],
  ['hide-conditions', 'hideConditions'],
] as const;

export function metaAttribute(name: string, value: string): Attribute {
  return { name: `data-svc-meta-${name}`, value };
}

/** What is set of these fields. */
export function metaAttributes(node: PageNode): Attribute[] {
  return META.flatMap(([name, key]) => {
    const value = textOf(node, key);
    return value.trim() === '' ? [] : [metaAttribute(name, value)];
  });
}

/** An element with its opening tag, a text, or nothing. */
export type WrittenAs =
  { readonly tag: string; readonly opening: string; readonly isVoid: boolean } | 'text' | 'nothing';

/** What the form of a source says of each kind of node. */
export interface SourceForm {
  /** What a node is written as. */
  readonly as: (node: PageNode) => WrittenAs;
  /** Before a node; empty: nothing. */
  readonly comment: (node: PageNode) => string;
  /** What is written below a node. */
  readonly childrenOf: (node: PageNode) => readonly PageNode[];
  /** Of `Content`, `Comment`, and templates that are no element here. */
  readonly text: (node: PageNode) => string;
  readonly indentation: boolean;
}

/** Elements in which line ends and blanks are a part of what is in them. */
const EXACT = /^(?:pre|textarea|listing|script|style)$/i;

/** Whether a node is in one of these. */
export function isExact(node: PageNode): boolean {
  for (let at = node.parent; at !== undefined; at = at.parent)
    if (at.kind === 'element' && EXACT.test(textOf(at, 'tag'))) return true;
  return false;
}

/** The source of a node and of all that is in it. Throws `TreeError` when that has no end. */
export async function writeSource(root: PageNode, form: SourceForm): Promise<string> {
  const slice = new TimeSlice();
  const writer = new Writer(form);
  for (const length of writer.all(root)) {
    if (length > MOST) throw new TreeError(`The source becomes longer than ${String(MOST)} characters.`);
    if (slice.due) await slice.pause();
  }
  return writer.text;
}

class Writer {
  text = '';

  constructor(private readonly form: SourceForm) {}

  /** Its steps, with what is written so far. */
  *all(root: PageNode): Generator<number> {
    if (root.kind !== 'page') {
      yield* this.#node(root, 0, 0, false);
      return;
    }
    for (const child of root.children) {
      if (child.node.type === 'Html') this.text += '<!DOCTYPE html>\n';
      yield* this.#node(child, 0, 0, false);
    }
  }

  /** `levels`: how deep it is, shared components included, which may be in themselves. `exact`: blanks would be a part of what is written. */
  *#node(node: PageNode, depth: number, levels: number, exact: boolean): Generator<number> {
    yield this.text.length;
    if (levels > DEEPEST * 2) throw new TreeError(`${node.node.type} ${node.node.id} is in itself.`);
    const written = this.form.as(node);
    if (written === 'nothing') return;
    const comment = this.form.comment(node);
    if (written === 'text') {
      this.text += comment + this.form.text(node);
      return;
    }
    const isElement = node.kind === 'element';
    const line = this.form.indentation && !exact ? `\n${'\t'.repeat(depth)}` : '';
    const inside = exact || (isElement && EXACT.test(written.tag));
    if (isElement && depth > 0 && !INLINE.has(node.node.type)) this.text += line;
    if (comment !== '') this.text += comment + (isElement && depth > 0 ? line : '');
    this.text += written.opening;
    if (written.isVoid) return;
    for (const child of this.form.childrenOf(node)) yield* this.#node(child, depth + 1, levels + 1, inside);
    if (!inside && shownChildren(node).some((one) => one.kind === 'element' && !INLINE.has(one.node.type)))
      this.text += line;
    this.text += `</${written.tag}>`;
  }
}
