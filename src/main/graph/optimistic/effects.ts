/** What a transaction has done to each entity, as a whole. */
import { OWNS, SECURITY } from '../access.js';
import type { Change, GraphEntity, GraphNode, GraphRelationship, StoredValue } from '../types.js';

/** An entity before a transaction and after it; undefined: it was not there, or is not any more. */
export interface Effect<E extends GraphEntity> {
  readonly before: E | undefined;
  readonly after: E | undefined;
}

/** A change of which only the last state is known while the list is read. */
interface Draft {
  readonly created: boolean;
  deleted: boolean;
  last: GraphEntity;
  /** Known when it was deleted, as another with its id may come after it. */
  before: GraphEntity | undefined;
  /** First values of what was changed; `type` for the type of a node. */
  readonly first: Map<string, StoredValue | null>;
}

export class Effects {
  readonly nodes: readonly Effect<GraphNode>[];
  readonly relationships: readonly Effect<GraphRelationship>[];
  /** A node has another type now: conditions on types of others' ends may hold or not hold any more. */
  readonly retypes: boolean;
  readonly #created = new Set<string>();
  readonly #deleted = new Set<string>();

  constructor(changes: readonly Change[]) {
    const nodes: Effect<GraphNode>[] = [];
    const relationships: Effect<GraphRelationship>[] = [];
    let retypes = false;
    for (const draft of draftsOf(changes).values()) {
      const { created, deleted, last } = draft;
      if (created && deleted) continue;
      const before = created ? undefined : (draft.before ?? beforeOf(draft));
      const after = deleted ? undefined : last;
      if (created) this.#created.add(last.id);
      if (deleted) this.#deleted.add(last.id);
      if (last.kind === 'node') {
        retypes ||= before !== undefined && after !== undefined && before.type !== after.type;
        nodes.push({ before: before as GraphNode | undefined, after: after as GraphNode | undefined });
      } else {
        relationships.push({
          before: before as GraphRelationship | undefined,
          after: after as GraphRelationship | undefined,
        });
      }
    }
    this.nodes = nodes;
    this.relationships = relationships;
    this.retypes = retypes;
  }

  /** Whether the node was there before, and is there still. */
  stays(id: string): boolean {
    return !this.#created.has(id) && !this.#deleted.has(id);
  }
}

function draftsOf(changes: readonly Change[]): Map<string, Draft> {
  const drafts = new Map<string, Draft>();
  for (const change of changes) {
    const { entity, verb } = change;
    // Ids of nodes and of relationships may be the same.
    const name = entity.kind + entity.id;
    let draft = drafts.get(name);
    if (draft === undefined) {
      const created = verb === 'create' || verb === 'link';
      draft = { created, deleted: false, last: entity, before: undefined, first: new Map() };
      drafts.set(name, draft);
    }
    draft.last = entity;
    draft.deleted = verb === 'delete' || verb === 'unlink';
    if (draft.deleted) draft.before ??= beforeOf(draft);
    if (verb === 'change' && !draft.first.has(change.key)) draft.first.set(change.key, change.previous);
  }
  return drafts;
}

function beforeOf({ last, first }: Draft): GraphEntity {
  if (first.size === 0) return last;
  const properties = Object.assign(Object.create(null) as object, last.properties) as Record<string, StoredValue>;
  let { type } = last;
  for (const [key, value] of first) {
    // A property may have this name as well; its other values decide nothing then.
    if (key === 'type' && last.kind === 'node' && typeof value === 'string') type = value;
    if (value === null) Reflect.deleteProperty(properties, key);
    else if (key !== 'type' || last.properties['type'] !== undefined) properties[key] = value;
  }
  return { ...last, type, properties };
}

/** Whether relationships of this type in the database say who may do what. */
export function carriesRights(relType: string): boolean {
  return relType === OWNS || relType === SECURITY;
}
