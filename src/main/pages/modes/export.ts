/** The form in which pages, components and templates are kept outside of the database (docs/interface/pages.md 8.3). */
import { TimeSlice } from '../../../shared/time-slice.js';
import type { GraphNode, ReadTransaction } from '../../graph/index.js';
import { holdersOf, namesTo, type Schema } from '../../schema/index.js';
import { isSandboxed, shownChildren, textOf, type PageNode } from '../model/page-node.js';
import { readTree } from '../model/read-tree.js';
import { escapeAttribute, escapeText, isTag, isVoidTag } from '../model/tags.js';
import {
  attributesIn,
  isExact,
  metaAttribute,
  metaAttributes,
  writeSource,
  type Attribute,
  type WrittenAs,
} from './source-text.js';

/** What the export form says of nodes that is not in their trees. */
interface Facts {
  readonly schema: Schema;
  /** By the id of a node: the name of its owner. */
  readonly owners: ReadonlyMap<string, string>;
  /** By the id of a node: `name,rwda` for each who was granted something. */
  readonly grants: ReadonlyMap<string, readonly string[]>;
  /** By the id of a page or file: the instruction that links it. */
  readonly links: ReadonlyMap<string, string>;
  /** Elements of the service before which stands a blank text, of which instructions alone are written: they would count for these. */
  readonly followers: ReadonlySet<PageNode>;
}

/**
 * A page, a component of the shadow document, or any other node, in the form of exports. Everything of it is written, whoever may see it. Throws `TreeError`
 * for a tree that is too large.
 */
export async function exportForm(tx: ReadTransaction, schema: Schema, root: GraphNode): Promise<string> {
  const tree = await readTree(tx, schema, root);
  const facts = await readFacts(tx, schema, [...tree.byId.values()]);
  return writeSource(tree.root, {
    indentation: true,
    as: (node) => writtenAs(node, facts),
    comment: (node) => commentOf(node, facts),
    childrenOf: (node) => (node.kind !== 'template' && node.component !== undefined ? [] : shownChildren(node)),
    text: (node) => {
      const text = escapeText(contentOf(node));
      // Instructions are in comments of their own.
      if (node.kind === 'comment') return `<!--${text.replace(INSTRUCTION, '&#64;')}-->`;
      return isExact(node) && text.trim() !== '' ? text : withoutEnds(text);
    },
  });
}

/** `name-id`, or the id of what has no name. */
export function exportKey({ id, properties }: GraphNode): string {
  const { name } = properties;
  return typeof name === 'string' && name !== '' ? `${name}-${id}` : id;
}

/** The text of a content or comment. */
function contentOf(node: PageNode): string {
  const content = textOf(node, 'content');
  if (node.kind !== 'comment' || !/@svc:/i.test(content)) return content;
  // Instructions that somebody else has written, or has put there, are not for whoever imports this.
  return isSandboxed(node) || node.isPlacedByOthers ? '' : content;
}

const INSTRUCTION = /@(?=svc:)/gi;

/** What would be taken for indentation where it stands, escaped. */
function withoutEnds(text: string): string {
  const escaped = (blanks: string): string => blanks.replace(/[\n\r\t ]/g, (one) => `&#${String(one.charCodeAt(0))};`);
  if (text.trim() === '') return escaped(text);
  return text.replace(/^[\n\r\t]+/, escaped).replace(/[\n\r\t]+$/, escaped);
}

/** References and templates are elements of the service, which no other element may look like. */
function writtenAs(node: PageNode, facts: Facts): WrittenAs {
  if (node.kind === 'template' || node.component !== undefined) {
    const src = { name: 'src', value: exportKey((node.component ?? node).node) };
    const tag = node.kind === 'template' ? 'svc:template' : 'svc:component';
    return { tag, opening: `<${tag}${written([src, ...ownAttributes(node, facts)])}>`, isVoid: false };
  }
  if (node.kind !== 'element') return 'text';
  const tag = textOf(node, 'tag');
  if (!isTag(tag) || /^svc:/i.test(tag)) return 'nothing';
  // What has no end is decided by whoever reads the tag.
  return { tag, opening: `<${tag}${written(elementAttributes(node, facts))}>`, isVoid: isVoidTag(tag) };
}

function elementAttributes(node: PageNode, facts: Facts): Attribute[] {
  const { html } = attributesIn(node, facts.schema);
  html.sort((a, b) => (a.name < b.name ? -1 : 1));
  // As it stands it could be any markup.
  const opening = node.node.type === 'Html' ? textOf(node, 'customOpeningTag') : '';
  const all = [...html, ...ownAttributes(node, facts)];
  return opening === '' ? all : [...all, metaAttribute('custom-opening-tag', opening)];
}

/** What references keep of their own, and everything else has beside the attributes of HTML. */
function ownAttributes(node: PageNode, { schema }: Facts): Attribute[] {
  const { custom, settings } = attributesIn(node, schema);
  const configuration = textOf(node, 'sharedComponentConfiguration');
  const name = textOf(node, 'name');
  const events = textOf(node, 'eventMapping');
  return [
    ...(configuration.trim() === '' ? [] : [metaAttribute('shared-component-configuration', configuration)]),
    ...custom,
    ...settings,
    ...(name === '' ? [] : [metaAttribute('name', name)]),
    metaAttribute('id', node.node.id),
    ...metaAttributes(node),
    ...(events.trim() === '' ? [] : [metaAttribute('event-mapping', events)]),
  ];
}

function written(attributes: readonly Attribute[]): string {
  return attributes.map(({ name, value }) => ` ${name}="${escapeAttribute(value)}"`).join('');
}

function commentOf(node: PageNode, facts: Facts): string {
  const said = [...instructionsOf(node, facts), ...othersOf(node)];
  // A comment ends what was said of the text before.
  if (said.length === 0 && facts.followers.has(node)) said.push(visibilityOf(node.node));
  const all = said.map((one) => `@svc:${one}`);
  return all.length === 0 ? '' : `<!-- ${all.join(', ')} -->`;
}

/**
 * What others than administrators have done: last of all instructions, as there are readers that stop at one they do not know. It is said of each node
 * and counts for no other, so that a part of an export says it as well, and nothing has to say that somebody is trusted.
 */
function othersOf(node: PageNode): string[] {
  const done = [
    ...(isSandboxed(node) ? ['node'] : []),
    ...(node.isPlacedByOthers ? ['place'] : []),
    ...(node.isReferenceOfOthers ? ['component'] : []),
    ...(node.isLinkOfOthers ? ['link'] : []),
  ];
  if (done.length === 0) return [];
  return [done.join() === 'node' ? 'sandboxed' : `sandboxed(${done.join(', ')})`];
}

/** The value of an instruction; a name may look like further ones. */
function valueOf(value: string): string {
  return escapeAttribute(value).replace(/@(?=svc:)/gi, '&#64;');
}

/** Texts of nodes that carry conditions in the comment before them. */
const FIELDS = [
  ['name', 'name'],
  ['show', 'showConditions'],
  ['hide', 'hideConditions'],
  ['show-for-locales', 'showForLocales'],
  ['hide-for-locales', 'hideForLocales'],
] as const;

function instructionsOf(node: PageNode, { owners, grants, links, schema }: Facts): string[] {
  const { id, properties } = node.node;
  const { parent } = node;
  const all: string[] = [];
  const isTop = parent === undefined || schema.typeOf(parent.node).hasTrait('ShadowDocument');
  if (isTop || visibilityOf(parent.node) !== visibilityOf(node.node)) all.push(visibilityOf(node.node));
  const link = node.link === undefined ? undefined : links.get(node.link.id);
  if (link !== undefined) all.push(link);
  const owner = owners.get(id);
  if (owner !== undefined) all.push(`owner(${valueOf(owner)})`);
  for (const grant of grants.get(id) ?? []) all.push(`grant(${valueOf(grant)})`);
  if (properties['hidden'] === true) all.push('hidden');
  // A reference has that of its component.
  if (node.kind === 'element' || (node.kind !== 'template' && node.component !== undefined)) return all;
  const contentType = textOf(node, 'contentType') || typeOfNothing(node);
  if (contentType !== '') all.push(`content(${valueOf(contentType)})`);
  if (node.kind === 'template') return all;
  for (const [name, key] of FIELDS) {
    const value = textOf(node, key);
    if (value.trim() !== '') all.push(`${name}(${valueOf(value)})`);
  }
  return all;
}

/** Of a blank text nothing but its instructions is left, which would count for what follows; this one says that it is there. */
function typeOfNothing(node: PageNode): string {
  if (!isBlank(node)) return '';
  return node.kind === 'comment' ? 'text/html' : 'text/plain';
}

function isBlank(node: PageNode): boolean {
  return (node.kind === 'content' || node.kind === 'comment') && contentOf(node).trim() === '';
}

function visibilityOf({ properties }: GraphNode): string {
  const toUsers = properties['visibleToAuthenticatedUsers'] === true;
  if (properties['visibleToPublicUsers'] === true) return toUsers ? 'public' : 'public-only';
  return toUsers ? 'protected' : 'private';
}

const LETTERS: Readonly<Record<string, string>> = { read: 'r', write: 'w', delete: 'd', accessControl: 'a' };

async function readFacts(tx: ReadTransaction, schema: Schema, nodes: readonly PageNode[]): Promise<Facts> {
  const ids = nodes.map(({ node }) => node.id);
  const holders = await holdersOf(tx, ids);
  const owners = new Map<string, string>();
  const grants = new Map<string, string[]>();
  const slice = new TimeSlice();
  for (const [i, id] of ids.entries()) {
    if (slice.due) await slice.pause();
    const { owner, grantees = [] } = holders[i] ?? {};
    if (owner !== undefined) owners.set(id, owner);
    const all = grantees.map(({ name, allowed }) => `${name},${allowed.map((right) => LETTERS[right] ?? '').join('')}`);
    if (all.length > 0) grants.set(id, all);
  }
  const followers = new Set<PageNode>();
  for (const { children } of nodes) {
    if (slice.due) await slice.pause();
    children.forEach((one, i) => {
      const before = children[i - 1];
      const isOfService = one.kind === 'template' || one.component !== undefined;
      if (isOfService && before !== undefined && isBlank(before)) followers.add(one);
    });
  }
  return { schema, owners, grants, links: await readLinks(tx, schema, nodes), followers };
}

/** Pages by their path, files by theirs. */
async function readLinks(
  tx: ReadTransaction,
  schema: Schema,
  nodes: readonly PageNode[],
): Promise<ReadonlyMap<string, string>> {
  const links = new Map<string, string>();
  for (const { link } of nodes) {
    if (link === undefined || links.has(link.id)) continue;
    const isPage = schema.typeOf(link).hasTrait('Page');
    const path = isPage ? `/${link.id}` : `/${(await namesTo({ tx, schema }, link)).join('/')}`;
    links.set(link.id, `${isPage ? 'pagelink' : 'link'}(${valueOf(path)})`);
  }
  return links;
}
