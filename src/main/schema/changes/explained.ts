/**
 * A commit that explains itself: who set it off, through which door, when and what for, and what it has changed, with old and new
 * values, but for secrets.
 */
import type { Change, Ending, GraphEntity, PropertyMap, StoredValue } from '../../graph/index.js';
import type { Schema, Type } from '../model/schema.js';
import { isWithheld } from './secrets.js';

export interface ExplainedChange {
  readonly verb: Change['verb'];
  readonly kind: GraphEntity['kind'];
  readonly id: string;
  /** After the change, as in the schema. */
  readonly type: string;
  /** Of relationships: type in the database and the ends. */
  readonly relType?: string;
  readonly sourceId?: string;
  readonly targetId?: string;
  /** Values by stored key that were there before, and that are there after it: all of what comes or goes, else the one that changed. */
  readonly before: PropertyMap;
  readonly after: PropertyMap;
  /** Keys whose values are left out of both. */
  readonly withheld: readonly string[];
}

export interface ExplainedCommit extends Pick<Ending, 'number' | 'time' | 'origin'> {
  /** In the order in which they were made; made one after the other as they are asked for. */
  readonly changes: Iterable<ExplainedChange>;
}

/** What a commit, or a transaction at its end (`Graph.journal`), tells of itself. `schema`: the one that holds for it. */
export function explained({ number, time, origin, changes }: Ending, schema: Schema): ExplainedCommit {
  return { number, time, origin, changes: { [Symbol.iterator]: () => each(changes, schema) } };
}

function* each(changes: readonly Change[], schema: Schema): IterableIterator<ExplainedChange> {
  const before = typesBefore(changes);
  for (const change of changes) {
    const { verb, entity } = change;
    const { kind, id, type } = entity;
    // What was secret as an object of another type is no less so now.
    const types = [type, ...(before.get(id) ?? [])].map((name) => schema.typeOf({ kind, type: name }));
    const ends =
      entity.kind === 'node' ? {} : { relType: entity.relType, sourceId: entity.sourceId, targetId: entity.targetId };
    yield { verb, kind, id, type, ...ends, ...valuesOf(change, types) };
  }
}

type Values = Pick<ExplainedChange, 'before' | 'after' | 'withheld'>;

function valuesOf(change: Change, types: readonly Type[]): Values {
  if (change.verb === 'change') {
    const { key, previous, value } = change;
    if (key !== 'type' && types.some((type) => isWithheld(type, key)))
      return { before: {}, after: {}, withheld: [key] };
    return { before: single(key, previous), after: single(key, value), withheld: [] };
  }
  const told = Object.create(null) as Record<string, StoredValue>;
  const withheld: string[] = [];
  for (const [key, value] of Object.entries(change.entity.properties)) {
    if (types.some((type) => isWithheld(type, key))) withheld.push(key);
    else told[key] = value;
  }
  const comes = change.verb === 'create' || change.verb === 'link';
  return comes ? { before: {}, after: told, withheld } : { before: told, after: {}, withheld };
}

function single(key: string, value: StoredValue | null): PropertyMap {
  return value === null ? {} : { [key]: value };
}

/** Types that nodes have had in between, by their ids. */
function typesBefore(changes: readonly Change[]): Map<string, string[]> {
  const types = new Map<string, string[]>();
  for (const change of changes) {
    if (change.verb !== 'change' || change.key !== 'type' || change.entity.kind !== 'node') continue;
    const { id } = change.entity;
    types.set(id, [...(types.get(id) ?? []), String(change.previous), String(change.value)]);
  }
  return types;
}
