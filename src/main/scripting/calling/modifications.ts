/** What a transaction did to each object, in the order in which it first touched them (docs/interface/scripting.md 6.6). */
import {
  OWNS,
  SECURITY,
  type Change,
  type GraphEntity,
  type GraphRelationship,
  type StoredValue,
} from '../../graph/index.js';
import type { RelationProperty, Schema, Type, ValueProperty } from '../../schema/index.js';
import { fromStored } from '../language/conversion.js';
import type { ScriptMap, ScriptValue } from '../language/values.js';

/** What happened to one object or relationship. */
export interface Modification {
  readonly id: string;
  /** As it was when it was touched last; a deleted one as it was before. */
  entity: GraphEntity | undefined;
  created: boolean;
  deleted: boolean;
  /** Stored keys with their first value and their last one. */
  readonly changed: Map<string, { readonly before: StoredValue | null; after: StoredValue | null }>;
  readonly linked: GraphRelationship[];
  readonly unlinked: GraphRelationship[];
}

/** Relationships that say who may do what are no property of anybody. */
const INTERNAL: ReadonlySet<string> = new Set([OWNS, SECURITY]);

/** Changes `begin` to before `end` of a transaction, which methods of one object made. */
export interface OwnChanges {
  readonly id: string;
  readonly begin: number;
  readonly end: number;
}

/** What of a transaction's changes counts. All lists are in the order of the changes, and nothing in them overlaps. */
export interface Counted {
  /** The first that counts. */
  readonly from: number;
  /** Ranges that do not count. */
  readonly without: readonly (readonly [begin: number, end: number])[];
  /** What does not count for the object whose methods made it, though for others. */
  readonly own: readonly OwnChanges[];
}

export function modificationsOf(changes: readonly Change[], counted?: Counted): Modification[] {
  const byId = new Map<string, Modification>();
  /** Takes what counts for nobody. */
  const none = blank('');
  /** Whose methods made the change at hand. */
  let maker: string | undefined;
  const of = (id: string): Modification => {
    if (id === maker) return none;
    let one = byId.get(id);
    if (one === undefined) byId.set(id, (one = blank(id)));
    return one;
  };
  const { from = 0, without = [], own = [] } = counted ?? {};
  const inside = new Ranges(without);
  const made = new Ranges(own.map(({ id, begin, end }) => [begin, end, id] as const));
  for (let at = from; at < changes.length; at++) {
    const change = changes[at];
    if (change === undefined || inside.at(at) !== undefined) continue;
    const by = made.at(at)?.[2];
    // To be deleted is something else than to be changed.
    maker = change.verb === 'delete' ? undefined : by;
    take(change, of);
  }
  return [...byId.values()];
}

function blank(id: string): Modification {
  const none = { entity: undefined, created: false, deleted: false };
  return { id, ...none, changed: new Map(), linked: [], unlinked: [] };
}

/** Which of some ranges an index is in, asked in rising order. */
class Ranges<T extends readonly [begin: number, end: number, ...rest: unknown[]]> {
  private next = 0;

  constructor(private readonly ranges: readonly T[]) {}

  at(index: number): T | undefined {
    while ((this.ranges[this.next]?.[1] ?? Infinity) <= index) this.next++;
    const range = this.ranges[this.next];
    return range !== undefined && range[0] <= index ? range : undefined;
  }
}

function take(change: Change, of: (id: string) => Modification): void {
  if (change.verb === 'change') {
    const one = of(change.entity.id);
    one.entity = change.entity;
    const known = one.changed.get(change.key);
    if (known === undefined) one.changed.set(change.key, { before: change.previous, after: change.value });
    else known.after = change.value;
  } else if (change.entity.kind === 'node') {
    const one = of(change.entity.id);
    one.entity = change.entity;
    if (change.verb === 'create') one.created = true;
    else one.deleted = true;
  } else {
    const relationship = change.entity;
    const own = of(relationship.id);
    own.entity = relationship;
    if (change.verb === 'link') own.created = true;
    else own.deleted = true;
    if (INTERNAL.has(relationship.relType)) return;
    for (const end of [relationship.sourceId, relationship.targetId]) {
      const one = of(end);
      (change.verb === 'link' ? one.linked : one.unlinked).push(relationship);
    }
  }
}

/** Whether anything of the object itself, or what it is linked to, is another than before. */
export function isModified({ changed, linked, unlinked }: Modification): boolean {
  return changed.size > 0 || linked.length > 0 || unlinked.length > 0;
}

/** `{ before, after, added, removed }`, as `onSave` gets it. */
export function modificationMap(one: Modification, type: Type, schema: Schema): ScriptMap {
  const before: ScriptMap = new Map();
  const after: ScriptMap = new Map();
  const properties = [...type.properties.values()];
  for (const [key, values] of one.changed) {
    const property = properties.find((p): p is ValueProperty => p.kind === 'value' && p.key === key);
    // What the service keeps for itself.
    if (property === undefined && !type.acceptsUnknownKeys) continue;
    const name = property?.name ?? key;
    before.set(name, fromStored(property, values.before ?? undefined));
    after.set(name, fromStored(property, values.after ?? undefined));
  }
  return new Map<string, ScriptValue>([
    ['before', before],
    ['after', after],
    ['added', partners(one.linked, one.id, type, schema)],
    ['removed', partners(one.unlinked, one.id, type, schema)],
  ]);
}

/** Ids of the other ends by the property that shows them. */
function partners(links: readonly GraphRelationship[], id: string, type: Type, schema: Schema): ScriptMap {
  const found: ScriptMap = new Map();
  const relations = [...type.properties.values()].filter((p): p is RelationProperty => p.kind === 'relation');
  for (const link of links) {
    const relation = schema.relations.get(link.type);
    for (const property of relations) {
      if (property.relation !== relation) continue;
      const [own, other] =
        property.direction === 'out' ? [link.sourceId, link.targetId] : [link.targetId, link.sourceId];
      if (own !== id) continue;
      const known = found.get(property.name);
      if (!property.isCollection) found.set(property.name, other);
      else if (Array.isArray(known)) known.push(other);
      else found.set(property.name, [other]);
    }
  }
  return found;
}
