/**
 * Nodes and relationships that other clients of the database have written, made the service's own: ids, labels, a place in the order of
 * creation. What is written comes in transactions of bounded size, each under the writers' lock, and all who keep something are told that
 * anything may have changed; so it is looked first, by reads, what there is to write.
 */
import type { CypherParameter, CypherValue } from '../cypher.js';
import type { Adoption, OwnedRelation, OwnedType, ReadTransaction, Steps, WriteTransaction } from '../graph.js';
import {
  allLabels,
  CATALOG,
  COMMON,
  labelOf,
  quoted,
  relationshipLabel,
  relationshipName,
  SEQUENCE,
  TYPE,
} from './connection/names.js';
import { BEFORE } from './indexes/setup.js';

/** Entities of one transaction. */
const NODES = 10_000;
const IDENTIFIED = 1000;

type Parameters = Readonly<Record<string, CypherParameter>>;
type Rows = readonly (readonly CypherValue[])[];

/** What runs statements; without a limit of time. */
export interface AdoptionContext {
  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  write<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  newId(): string;
}

export class Neo4jAdoption implements Adoption {
  constructor(private readonly context: AdoptionContext) {}

  async relabel(types: readonly OwnedType[], names: readonly string[], steps: Steps): Promise<number> {
    steps.begin('looking at labels');
    // By type: all nodes, and those that our own queries do not find.
    const counted = await this.#read(
      `MATCH (n:${COMMON}) WHERE n.id IS NOT NULL AND n.type IS NOT NULL ` +
        `RETURN n.type, count(n), count(CASE WHEN $own + n.type IN labels(n) AND n.${SEQUENCE} IS NOT NULL THEN 1 END)`,
      { own: TYPE },
    );
    const counts = new Map(counted.map(([type, all, found]) => [type, { all: Number(all), found: Number(found) }]));
    const used = await this.#labels();
    let changed = 0;
    for (const type of types) {
      const { name } = type;
      const { all, found } = counts.get(name) ?? { all: 0, found: 0 };
      const others = used.has(name)
        ? await this.#count(`MATCH (n:${quoted(name)}) WHERE NOT n:${COMMON} AND n.id IS NOT NULL AND n.type = $name`, {
            name,
          })
        : 0;
      if (all + others === 0) continue;
      steps.begin(`labels of ${name}`, all + others);
      if (others > 0) changed += await this.#label(type, `(n:${quoted(name)}) WHERE NOT n:${COMMON}`);
      if (found < all) changed += await this.#label(type, `(n:${COMMON}) WHERE NOT n:${labelOf(name)}`);
      changed += await this.#label(type, `(n:${labelOf(name)}) WHERE true`);
      changed += await this.#unlabel(type, names);
      await steps.done(all + others);
    }
    return changed;
  }

  async #labels(): Promise<ReadonlySet<CypherValue | undefined>> {
    return new Set((await this.#read('CALL db.labels() YIELD label RETURN label')).map(([label]) => label));
  }

  /** Sets what is lacking on the nodes of a type among those of a pattern. */
  async #label({ name, traits }: OwnedType, pattern: string): Promise<number> {
    const wanted = allLabels(name, traits);
    const missing = wanted
      .slice(1)
      .split(':')
      .map((label) => `NOT n:${label}`);
    const lacks = [...missing, `n.${SEQUENCE} IS NULL`].join(' OR ');
    const match = `MATCH ${pattern} AND n.type = $name AND n.id IS NOT NULL AND (${lacks})`;
    if ((await this.#count(match, { name })) === 0) return 0;
    const place = `n.${SEQUENCE} = coalesce(n.${SEQUENCE}, id(n) - $before)`;
    return this.#all(`${match} WITH n LIMIT $most SET n${wanted}, ${place}`, { name, before: BEFORE });
  }

  /** Takes labels of types away that these nodes do not have any more. Others are somebody's. */
  async #unlabel({ name, traits }: OwnedType, names: readonly string[]): Promise<number> {
    const kept = [COMMON, ...traits];
    const stale = names.filter((one) => !kept.includes(one));
    const found = await this.#read(
      `MATCH (n:${labelOf(name)}) UNWIND labels(n) AS label WITH DISTINCT label WHERE label IN $stale OR label STARTS WITH $own RETURN label`,
      { stale, own: TYPE },
    );
    let changed = 0;
    for (const [label] of found) {
      // As it stands in a statement: odd names are coded.
      if (typeof label !== 'string' || quoted(label) === labelOf(name)) continue;
      const match = `MATCH (n:${labelOf(name)}) WHERE n.type = $name AND n:${quoted(label)}`;
      changed += await this.#all(`${match} WITH n LIMIT $most REMOVE n:${quoted(label)}`, { name });
    }
    return changed;
  }

  async identify(types: readonly OwnedType[], steps: Steps): Promise<number> {
    steps.begin('looking for nodes without an id');
    const lacking = await this.#read(`MATCH (n:${COMMON}) WHERE n.id IS NULL RETURN n.type, count(n)`);
    const counts = new Map(lacking.map(([type, count]) => [type, Number(count)]));
    const used = await this.#labels();
    let changed = 0;
    for (const { name } of types) {
      const set = 'SET n.id = $ids[i], n.type = $name';
      const byType = `MATCH (n:${COMMON}) WHERE n.id IS NULL AND n.type = $name`;
      if ((counts.get(name) ?? 0) > 0) changed += await this.#identify(name, byType, set, { name }, steps);
      const byLabel = `MATCH (n:${quoted(name)}) WHERE n.id IS NULL AND coalesce(n.type, $name) = $name`;
      if (used.has(name)) changed += await this.#identify(name, byLabel, set, { name }, steps);
    }
    return changed;
  }

  async identifyRelationships(relations: readonly OwnedRelation[], steps: Steps): Promise<number> {
    steps.begin('looking for relationships without an id');
    const rows = await this.#read('CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType');
    const used = new Set(rows.map(([relType]) => relType));
    let changed = 0;
    for (const { name, relType, sources = null, targets = null } of relations) {
      const stored = relationshipName(relType);
      if (!used.has(stored)) continue;
      const match =
        `MATCH (a:${COMMON})-[n:${relationshipLabel(relType)}]->(b:${COMMON}) WHERE n.id IS NULL AND coalesce(n.type, $name) = $name ` +
        'AND a.id IS NOT NULL AND b.id IS NOT NULL AND ($sources IS NULL OR a.type IN $sources) AND ($targets IS NULL OR b.type IN $targets)';
      const set = `SET n.id = $ids[i], n.type = $name, n.${SEQUENCE} = coalesce(n.${SEQUENCE}, id(n) - $before)`;
      const count = await this.#identify(name, match, set, { name, sources, targets, before: BEFORE }, steps);
      // So that queries look for relationships of this type there.
      if (count > 0) await this.#write(`MERGE (:${CATALOG} {type: $name, relType: $stored})`, { name, stored });
      changed += count;
    }
    return changed;
  }

  async #identify(what: string, match: string, set: string, parameters: Parameters, steps: Steps): Promise<number> {
    const total = await this.#count(match, parameters);
    if (total === 0) return 0;
    steps.begin(`ids of ${what}`, total);
    const some = 'WITH collect(n) AS all UNWIND range(0, size(all) - 1) AS i WITH all[i] AS n, i';
    for (let changed = 0; ;) {
      const ids = Array.from({ length: IDENTIFIED }, () => this.context.newId());
      const text = `${match} WITH n LIMIT $most ${some} ${set} RETURN count(n)`;
      const count = Number((await this.#write(text, { ...parameters, ids, most: IDENTIFIED }))[0]?.[0] ?? 0);
      changed += count;
      await steps.done(count);
      if (count < IDENTIFIED) return changed;
    }
  }

  /** The same statement until it finds less than it may change. */
  async #all(text: string, parameters: Parameters): Promise<number> {
    for (let changed = 0; ;) {
      const [row] = await this.#write(`${text} RETURN count(n)`, { ...parameters, most: NODES });
      const count = Number(row?.[0] ?? 0);
      changed += count;
      if (count < NODES) return changed;
    }
  }

  async #count(match: string, parameters: Parameters): Promise<number> {
    return Number((await this.#read(`${match} RETURN count(n)`, parameters))[0]?.[0] ?? 0);
  }

  #read(text: string, parameters: Parameters = {}): Promise<Rows> {
    return this.context.read(async (tx) => (await tx.cypher?.(bounded(text, parameters)))?.rows ?? []);
  }

  #write(text: string, parameters: Parameters): Promise<Rows> {
    return this.context.write(async (tx) => (await tx.cypherWrite?.(bounded(text, parameters)))?.rows ?? []);
  }
}

function bounded(text: string, parameters: Parameters) {
  return { text, parameters, mostRows: 100_000, mostText: 10_000_000 };
}
