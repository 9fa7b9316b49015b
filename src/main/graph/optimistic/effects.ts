/** What a transaction has done to each entity, as a whole. */
import { OWNS, SECURITY } from '../access.js';
import type { Change, GraphEntity, GraphNode, GraphRelationship, StoredValue } from '../types.js';

/** An entity before a transaction and after it; undefined: it was not there, or is not any more. */
export interface Effect<E extends GraphEntity> {
  readonly before: E | undefined;
  readonly after: E | undefined;
  /** Values are not known, and entities are shown without properties: these keys differ. Absent: all is as it is shown. */
  readonly keys?: KeySet;
}

export type KeySet = Pick<ReadonlySet<string>, 'has'>;

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
  /** A node has another type now: conditions on types of others' ends may hold or not hold any more. */
  readonly retypes: boolean;
  readonly #created: ReadonlySet<string>;
  readonly #deleted: ReadonlySet<string>;

  constructor(
    readonly nodes: readonly Effect<GraphNode>[],
    readonly relationships: readonly Effect<GraphRelationship>[],
  ) {
    const all: readonly Effect<GraphEntity>[] = [...nodes, ...relationships];
    this.#created = new Set(all.flatMap(({ before, after }) => (before === undefined ? (after?.id ?? []) : [])));
    this.#deleted = new Set(all.flatMap(({ before, after }) => (after === undefined ? (before?.id ?? []) : [])));
    this.retypes = nodes.some(
      ({ before, after }) => before !== undefined && after !== undefined && before.type !== after.type,
    );
  }

  /** Whether the node was there before, and is there still. */
  stays(id: string): boolean {
    return !this.#created.has(id) && !this.#deleted.has(id);
  }
}

/** What a list of changes comes to. */
export function effectsOf(changes: readonly Change[]): Effects {
  const nodes: Effect<GraphNode>[] = [];
  const relationships: Effect<GraphRelationship>[] = [];
  for (const draft of draftsOf(changes).values()) {
    const { created, deleted, last } = draft;
    if (created && deleted) continue;
    const before = created ? undefined : (draft.before ?? beforeOf(draft));
    const after = deleted ? undefined : last;
    if (last.kind === 'node') nodes.push({ before, after } as Effect<GraphNode>);
    else relationships.push({ before, after } as Effect<GraphRelationship>);
  }
  return new Effects(nodes, relationships);
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
