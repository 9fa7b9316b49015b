/** Lists that a transaction has read: those that ask for certain values are found by them, so that thousands cost little. */
import type { Predicate, Query, RelationshipQuery } from '../query.js';
import type { GraphEntity, GraphRelationship } from '../types.js';
import type { Effect, Effects, KeySet } from './effects.js';
import { equalityOf, nameIn } from './own-writes/equality.js';
import { matches } from './own-writes/matches.js';

export interface ListRead {
  readonly query: Query;
  /** Only how many there are. */
  readonly counts: boolean;
  since: number;
  /** Ids of what was found, as soon as that is known. */
  found?: ReadonlySet<string>;
}

/** Lists that are compared one by one with what others have changed, where that is told without values. */
const MOST_COMPARED = 5000;

function withoutValues({ nodes, relationships }: Effects): boolean {
  return nodes.some(({ keys }) => keys !== undefined) || relationships.some(({ keys }) => keys !== undefined);
}

type Kind = Query['kind'];
type ByValue = Map<string, ListRead[]>;

export class ListReads {
  /** Those that any entity may concern. */
  readonly #wide: ListRead[] = [];
  /** By kind, key, and the name of a value. */
  readonly #narrow: Readonly<Record<Kind, Map<string, ByValue>>> = { nodes: new Map(), relationships: new Map() };
  #size = 0;

  /** How many are looked at for each change of others. */
  get wide(): number {
    return this.#wide.length;
  }

  /** How many there are in all. */
  get size(): number {
    return this.#size;
  }

  add(read: ListRead): void {
    this.#size++;
    const equality = equalityOf(read.query);
    if (equality === undefined) {
      this.#wide.push(read);
      return;
    }
    const keys = this.#narrow[read.query.kind];
    let values = keys.get(equality.key);
    if (values === undefined) keys.set(equality.key, (values = new Map<string, ListRead[]>()));
    for (const name of equality.names) {
      const lists = values.get(name);
      if (lists === undefined) values.set(name, [read]);
      else lists.push(read);
    }
  }

  refresh(since: number): void {
    for (const read of this.#all()) read.since = since;
  }

  /** Whether any was read before the unit with this number. */
  readBefore(number: number): boolean {
    for (const { since } of this.#all()) if (since < number) return true;
    return false;
  }

  /** One that asks for several values comes several times. */
  *#all(): Generator<ListRead> {
    yield* this.#wide;
    for (const keys of Object.values(this.#narrow)) {
      for (const values of keys.values()) for (const reads of values.values()) yield* reads;
    }
  }

  /** Whether the unit with this number may have changed a list that was read before it. */
  concerns(effects: Effects, number: number): boolean {
    // Effects without values are compared with every list.
    if (this.#size > MOST_COMPARED && withoutValues(effects)) return this.readBefore(number);
    return (
      concerned(this.#wide, this.#narrow.nodes, 'nodes', effects.nodes, number) ||
      concerned(this.#wide, this.#narrow.relationships, 'relationships', effects.relationships, number)
    );
  }
}

function concerned(
  wide: readonly ListRead[],
  narrow: ReadonlyMap<string, ByValue>,
  kind: Kind,
  changed: readonly Effect<GraphEntity>[],
  number: number,
): boolean {
  const isConcerned = (read: ListRead, effect: Effect<GraphEntity>): boolean =>
    read.since < number && read.query.kind === kind && listConcerned(read, effect);
  return changed.some((effect) => {
    for (const [key, values] of narrow) {
      if (effect.keys !== undefined) {
        // Its values are not known, so that any of these lists may ask for them.
        for (const reads of values.values()) if (reads.some((read) => isConcerned(read, effect))) return true;
        continue;
      }
      for (const name of [nameIn(effect.before, key), nameIn(effect.after, key)]) {
        if (name !== undefined && values.get(name)?.some((read) => isConcerned(read, effect)) === true) return true;
      }
    }
    return wide.some((read) => isConcerned(read, effect));
  });
}

function listConcerned(read: ListRead, effect: Effect<GraphEntity>): boolean {
  const { before, after, keys } = effect;
  if (keys !== undefined) return perhapsConcerned(read, effect, keys);
  const was = before !== undefined && inList(read.query, before);
  const is = after !== undefined && inList(read.query, after);
  // Undefined: perhaps.
  if (was === false && is === false) return false;
  return !(read.counts && was === true && is === true);
}

/** The same for an entity whose values are not known. */
function perhapsConcerned(
  { query, counts, found }: ListRead,
  { before, after }: Effect<GraphEntity>,
  keys: KeySet,
): boolean {
  const fits = (entity: GraphEntity | undefined): boolean =>
    entity !== undefined &&
    (query.types === undefined || hasType(query.types, entity.type)) &&
    (entity.kind === 'node' || atEnds(query as RelationshipQuery, entity));
  if (!fits(before) && !fits(after)) return false;
  if (before === undefined || after === undefined || before.type !== after.type) return true;
  if (query.where !== undefined && looksAt(query.where, keys)) return true;
  if (counts) return false;
  return found?.has(before.id) !== false || query.sort?.some(({ key }) => keys.has(key)) === true;
}

/** Whether a condition on an entity looks at one of these keys of it. */
function looksAt(predicate: Predicate, keys: KeySet): boolean {
  if (predicate.op === 'and' || predicate.op === 'or') return predicate.terms.some((term) => looksAt(term, keys));
  if (predicate.op === 'not') return looksAt(predicate.term, keys);
  // What is at the other end has a list of its own.
  if ('step' in predicate) return false;
  return !('key' in predicate) || keys.has(predicate.key);
}

const typeSets = new WeakMap<readonly string[], ReadonlySet<string>>();

function hasType(types: readonly string[], type: string): boolean {
  let set = typeSets.get(types);
  if (set === undefined) typeSets.set(types, (set = new Set(types)));
  return set.has(type);
}

function inList(query: Query, entity: GraphEntity): boolean | undefined {
  if (query.types !== undefined && !hasType(query.types, entity.type)) return false;
  if (entity.kind === 'relationship' && !atEnds(query as RelationshipQuery, entity)) return false;
  return query.where === undefined ? true : matches(entity, query.where);
}

/** The types of its ends are not looked at. */
function atEnds({ sourceId, targetId }: RelationshipQuery, relationship: GraphRelationship): boolean {
  return (
    (sourceId === undefined || relationship.sourceId === sourceId) &&
    (targetId === undefined || relationship.targetId === targetId)
  );
}
