/** Lists that a transaction has read: those that ask for certain values are found by them, so that thousands cost little. */
import type { Query, RelationshipQuery } from '../query.js';
import type { GraphEntity, GraphRelationship } from '../types.js';
import type { Effect, Effects } from './effects.js';
import { equalityOf, nameIn } from './equality.js';
import { matches } from './matches.js';

export interface ListRead {
  readonly query: Query;
  /** Only how many there are. */
  readonly counts: boolean;
  readonly since: number;
}

type Kind = Query['kind'];
type ByValue = Map<string, ListRead[]>;

export class ListReads {
  /** Those that any entity may concern. */
  #wide: ListRead[] = [];
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
    const renewed = (reads: readonly ListRead[]): ListRead[] => reads.map((read) => ({ ...read, since }));
    this.#wide = renewed(this.#wide);
    for (const keys of Object.values(this.#narrow)) {
      for (const values of keys.values()) for (const [name, reads] of values) values.set(name, renewed(reads));
    }
  }

  /** Whether the unit with this number may have changed a list that was read before it. */
  concerns(effects: Effects, number: number): boolean {
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
      for (const name of [nameIn(effect.before, key), nameIn(effect.after, key)]) {
        if (name !== undefined && values.get(name)?.some((read) => isConcerned(read, effect)) === true) return true;
      }
    }
    return wide.some((read) => isConcerned(read, effect));
  });
}

function listConcerned(read: ListRead, { before, after }: Effect<GraphEntity>): boolean {
  const was = before !== undefined && inList(read.query, before);
  const is = after !== undefined && inList(read.query, after);
  // Undefined: perhaps.
  if (was === false && is === false) return false;
  return !(read.counts && was === true && is === true);
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
