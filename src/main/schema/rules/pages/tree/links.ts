/** Relationships that trees of pages are made of, and what a change of one of them changes. */
import type { GraphRelationship, Step } from '../../../../graph/index.js';
import type { Schema } from '../../../model/schema.js';
import { typesOf } from '../../../model/lookup.js';

export type LinkKind =
  /** From a parent to a child. */
  | 'child'
  /** From a node to its page. */
  | 'page'
  /** From a shared component to what stands for it. */
  | 'sync'
  /** Seen where it begins. */
  | 'source'
  /** Seen at both ends. */
  | 'both'
  /** From a node to the mapping of an event that reloads it, or tells something there: seen there and at what triggers it. */
  | 'target'
  /** From a mapping to its parameter. */
  | 'parameter'
  /** From an element to a parameter that is read from it. */
  | 'input';

/** By type in the database. */
const KINDS: ReadonlyMap<string, LinkKind> = new Map<string, LinkKind>([
  ['CONTAINS', 'child'],
  ['PAGE', 'page'],
  ['SYNC', 'sync'],
  ['LINK', 'source'],
  ['FLOW', 'source'],
  ['HAS_PATH', 'source'],
  ['TRIGGERED_BY', 'source'],
  ['RELOADS', 'both'],
  ['SUCCESS_TARGET', 'target'],
  ['FAILURE_TARGET', 'target'],
  ['SUCCESS_NOTIFICATION_ELEMENT', 'target'],
  ['FAILURE_NOTIFICATION_ELEMENT', 'target'],
  ['PARAMETER', 'parameter'],
  ['INPUT_ELEMENT', 'input'],
]);

/** Traits that an end has to have, since other relations share the type in the database. */
const SOURCES: Readonly<Record<LinkKind, string>> = {
  child: 'DOMNode',
  page: 'DOMNode',
  sync: 'DOMNode',
  source: 'DOMNode',
  both: 'DOMNode',
  target: 'DOMNode',
  parameter: 'ActionMapping',
  input: 'DOMElement',
};

const bySchema = new WeakMap<Schema, Map<string, LinkKind | undefined>>();

/** What a relationship is to a tree; undefined: nothing. */
export function kindOfLink(
  schema: Schema,
  { type, relType }: Pick<GraphRelationship, 'type' | 'relType'>,
): LinkKind | undefined {
  const kind = KINDS.get(relType);
  if (kind === undefined) return undefined;
  let known = bySchema.get(schema);
  if (known === undefined) bySchema.set(schema, (known = new Map<string, LinkKind | undefined>()));
  if (known.has(type)) return known.get(type);
  const found = fits(schema, type, kind) ? kind : undefined;
  known.set(type, found);
  return found;
}

function fits(schema: Schema, name: string, kind: LinkKind): boolean {
  const relation = schema.relations.get(name);
  if (relation === undefined) return false;
  const has = (end: string, trait: string): boolean => schema.type(end)?.hasTrait(trait) === true;
  if (relation.source === 'LinkSource') return kind === 'source';
  if (!has(relation.source, SOURCES[kind])) return false;
  return kind === 'child' || kind === 'sync' ? has(relation.target, 'DOMNode') : true;
}

/** Names of the relations that lead from parents to children. */
export function childRelations(schema: Schema): string[] {
  return [...schema.relations.values()]
    .filter(({ relType, name }) => relType === 'CONTAINS' && fits(schema, name, 'child'))
    .map(({ name }) => name);
}

/** Steps through a tree. */
export interface TreeSteps {
  readonly children: Step;
  readonly parent: Step;
  readonly page: Step;
  readonly component: Step;
  readonly references: Step;
}

export function stepsOf(schema: Schema): TreeSteps {
  const types = typesOf(schema, 'DOMNode');
  return {
    children: { relType: 'CONTAINS', direction: 'out', ...types },
    parent: { relType: 'CONTAINS', direction: 'in', ...types },
    page: { relType: 'PAGE', direction: 'out', ...typesOf(schema, 'Page') },
    component: { relType: 'SYNC', direction: 'in', ...types },
    references: { relType: 'SYNC', direction: 'out', ...types },
  };
}

/** Nodes that the graph is asked for at a time. */
export const AT_ONCE = 500;

/** A list in parts of at most `AT_ONCE`. */
export function* inParts<T>(list: Iterable<T>): Generator<T[]> {
  let part: T[] = [];
  for (const one of list) {
    part.push(one);
    if (part.length < AT_ONCE) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
