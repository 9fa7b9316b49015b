/**
 * Elements of old pages name what they reload by selectors (`data-svc-reload-target`): when they are saved, what these match in the page is
 * linked (docs/interface/pages.md 7.2).
 */
import type { GraphNode } from '../../../../graph/index.js';
import { SchemaError } from '../../../model/errors.js';
import { typesOf } from '../../../model/lookup.js';
import type { ObjectTransaction } from '../../../writing/object-transaction.js';
import { inParts } from './links.js';
import { TreeReads } from './reads.js';
import type { TreeState } from './state.js';

const KEY = 'data-svc-reload-target';
const RELATION = 'DOMElementRELOADSDOMElement';
/** Selectors of one element that are looked at. */
const MOST = 100;
/** Elements that those saved together may reload. */
const MOST_TARGETS = 100_000;

/** Throws `SchemaError` for those that reload too much. */
export async function settleReloadTargets(objects: ObjectTransaction, state: TreeState): Promise<void> {
  const { created, written } = state.pending;
  const saved = new Set<string>();
  for (const [id, { properties }] of created) if (properties[KEY] !== undefined) saved.add(id);
  for (const [id, values] of written) if (values.has(KEY)) saved.add(id);
  if (saved.size === 0) return;
  const reads = new TreeReads(objects, state);
  await reads.pages(saved);
  const byPage = new Map<string, GraphNode[]>();
  for (const part of inParts(saved)) {
    for (const node of await objects.tx.nodes(part)) {
      const page = node === undefined ? undefined : state.page.get(node.id)?.id;
      if (node === undefined || page === undefined) continue;
      const list = byPage.get(page);
      if (list === undefined) byPage.set(page, [node]);
      else list.push(node);
    }
  }
  for (const [page, nodes] of byPage) await linkTargets(objects, page, nodes);
}

/** One look through the page for all of its elements that were saved. */
async function linkTargets(objects: ObjectTransaction, page: string, nodes: readonly GraphNode[]): Promise<void> {
  const wanted = nodes.map((node) => ({ node, selectors: selectorsOf(node), targets: new Set<string>() }));
  const byName = new Map<string, (readonly [matches: Selector['matches'], targets: Set<string>])[]>();
  for (const { selectors, targets } of wanted)
    for (const { first, matches } of selectors) {
      const list = byName.get(first);
      if (list === undefined) byName.set(first, [[matches, targets]]);
      else list.push([matches, targets]);
    }
  let count = 0;
  const elements = { relType: 'PAGE', direction: 'in', ...typesOf(objects.schema, 'DOMElement') } as const;
  if (wanted.some(({ selectors }) => selectors.length > 0)) {
    for await (const batch of objects.tx.stream({ kind: 'nodes', from: { id: page, step: elements } })) {
      for (const element of batch) {
        await objects.breathe();
        for (const name of namesOf(element)) {
          for (const [matches, targets] of byName.get(name) ?? []) {
            if (targets.has(element.id) || !matches(element)) continue;
            targets.add(element.id);
            if (++count > MOST_TARGETS) throw tooMany(element.type);
          }
        }
      }
    }
  }
  const step = { relType: 'RELOADS', direction: 'out', ...typesOf(objects.schema, 'DOMElement') } as const;
  for (const { node, targets } of wanted) {
    const [links = []] = await objects.tx.links([node.id], step);
    for (const { relationship, node: old } of links)
      if (!targets.delete(old.id)) await objects.tx.deleteRelationship(relationship.id);
    for (const target of targets) {
      await objects.breathe();
      const properties = { createdDate: objects.now };
      const ends = { sourceId: node.id, targetId: target };
      const id = objects.newId();
      await objects.tx.createRelationship({ id, type: RELATION, relType: 'RELOADS', ...ends, properties });
    }
  }
}

function tooMany(type: string): SchemaError {
  const message = `Elements that are saved together may reload at most ${String(MOST_TARGETS)} others.`;
  return new SchemaError(message, [{ type, property: KEY, token: 'must_be_shorter_than' }]);
}

interface Selector {
  /** What an element has to have, among others: `#id`, `.class`, `[name`, or a word that is its tag or name. */
  readonly first: string;
  readonly matches: (element: GraphNode) => boolean;
}

/** All that a selector which matches an element may have first. */
function* namesOf({ properties }: GraphNode): Generator<string> {
  const { tag, name, _html_id: id, _html_class: classes } = properties;
  const words = new Set([tag, name]);
  for (const word of words) if (typeof word === 'string') yield word;
  if (typeof id === 'string') yield `#${id}`;
  if (typeof name === 'string') yield `[${name}`;
  if (typeof classes === 'string') for (const one of new Set(classes.split(/\s+/))) yield `.${one}`;
}

function selectorsOf({ properties }: GraphNode): Selector[] {
  const text = properties[KEY];
  if (typeof text !== 'string') return [];
  return text
    .split(',')
    .slice(0, MOST)
    .flatMap((one) => selectorOf(one.trim()) ?? []);
}

const SIMPLE = /^([\w-]+)?((?:[#.][\w-]+|\[name=["']?[^"'\]]+["']?\])*)$/;

/** `#id`, `.class`, `[name=x]`, a tag or a name, also together; undefined: it is something else. */
function selectorOf(text: string): Selector | undefined {
  const found = SIMPLE.exec(text);
  if (text === '' || found === null) return undefined;
  const [, word, rest = ''] = found;
  const parts = (rest.match(/[#.][\w-]+|\[[^\]]+\]/g) ?? []).map((one) =>
    one.replace(/^\[name=["']?([^"'\]]*).*$/, '[$1'),
  );
  const [part = ''] = parts;
  const matches: Selector['matches'] = ({ properties }) => {
    const { tag, name, _html_id: id, _html_class: classes } = properties;
    const inClasses = typeof classes === 'string' ? classes.split(/\s+/) : [];
    if (word !== undefined && word !== tag && word !== name) return false;
    return parts.every((part) => {
      if (part.startsWith('#')) return id === part.slice(1);
      if (part.startsWith('.')) return inClasses.includes(part.slice(1));
      return name === part.slice(1);
    });
  };
  return { first: word ?? part, matches };
}
