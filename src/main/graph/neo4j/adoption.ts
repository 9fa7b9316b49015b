/**
 * Nodes and relationships that other clients of the database have written, made the service's own: ids, labels, a place in the order of
 * creation. In transactions of bounded size, each under the writers' lock; all who keep something are told that anything may have changed.
 */
import type { CypherParameter, CypherValue } from '../cypher.js';
import type { Adoption, OwnedRelation, OwnedType, Steps, WriteTransaction } from '../graph.js';
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

type Write = <T>(work: (tx: WriteTransaction) => Promise<T>) => Promise<T>;

export class Neo4jAdoption implements Adoption {
  constructor(
    private readonly write: Write,
    private readonly newId: () => string,
  ) {}

  async relabel({ name, traits }: OwnedType, types: readonly string[], steps: Steps): Promise<number> {
    const ours = `MATCH (n:${COMMON}|${quoted(name.toWellFormed())}) WHERE n.type = $type AND n.id IS NOT NULL`;
    const [row] = await this.#run(`${ours} RETURN count(n)`, { type: name });
    const total = Number(row?.[0] ?? 0);
    steps.begin(`labels of ${name}`, total);
    if (total === 0) return 0;
    const wanted = allLabels(name, traits);
    const lacks = wanted
      .slice(1)
      .split(':')
      .map((label) => `NOT n:${label}`)
      .join(' OR ');
    const place = `n.${SEQUENCE} = coalesce(n.${SEQUENCE}, id(n) - $before)`;
    let changed = await this.#all(
      `${ours} AND (${lacks} OR n.${SEQUENCE} IS NULL) WITH n LIMIT $most SET n${wanted}, ${place} RETURN count(n)`,
      { type: name, most: NODES, before: BEFORE },
      NODES,
    );
    if (types.length > 0) changed += await this.#unlabel(ours, name, traits, types);
    await steps.done(total);
    return changed;
  }

  /** Takes labels of types away that these nodes do not have any more. Others are somebody's. */
  async #unlabel(ours: string, name: string, traits: readonly string[], types: readonly string[]): Promise<number> {
    const kept = [COMMON, ...traits];
    const stale = types.filter((type) => !kept.includes(type));
    const found = await this.#run(
      `${ours} UNWIND labels(n) AS label WITH DISTINCT label WHERE label IN $stale OR (label STARTS WITH $own) RETURN label`,
      { type: name, stale, own: TYPE },
    );
    let changed = 0;
    for (const [label] of found) {
      // As it stands in a statement: odd names are coded.
      if (typeof label !== 'string' || quoted(label) === labelOf(name)) continue;
      changed += await this.#all(
        `${ours} AND n:${quoted(label)} WITH n LIMIT $most REMOVE n:${quoted(label)} RETURN count(n)`,
        { type: name, most: NODES },
        NODES,
      );
    }
    return changed;
  }

  async identify({ name }: OwnedType, steps: Steps): Promise<number> {
    const label = quoted(name.toWellFormed());
    const lacking = `MATCH (n:${COMMON}|${label}) WHERE n.id IS NULL AND (n.type = $type OR (n.type IS NULL AND n:${label}))`;
    return this.#identified(
      `ids of ${name}`,
      lacking,
      'n',
      'SET n.id = $ids[i], n.type = $type',
      { type: name },
      steps,
    );
  }

  async identifyRelationships(relation: OwnedRelation, steps: Steps): Promise<number> {
    const { name, relType, sources, targets } = relation;
    const lacking =
      `MATCH (a:${COMMON})-[n:${relationshipLabel(relType)}]->(b:${COMMON}) WHERE n.id IS NULL AND coalesce(n.type, $type) = $type ` +
      'AND a.id IS NOT NULL AND b.id IS NOT NULL AND ($sources IS NULL OR a.type IN $sources) AND ($targets IS NULL OR b.type IN $targets)';
    const set = `SET n.id = $ids[i], n.type = $type, n.${SEQUENCE} = coalesce(n.${SEQUENCE}, id(n) - $before)`;
    const parameters = { type: name, sources: sources ?? null, targets: targets ?? null, before: BEFORE };
    const changed = await this.#identified(`ids of ${name}`, lacking, 'n', set, parameters, steps);
    if (changed > 0) {
      const named = { type: name, relType: relationshipName(relType) };
      await this.#run(`MERGE (:${CATALOG} {type: $type, relType: $relType})`, named);
    }
    return changed;
  }

  async #identified(
    what: string,
    lacking: string,
    variable: string,
    set: string,
    parameters: Readonly<Record<string, CypherParameter>>,
    steps: Steps,
  ): Promise<number> {
    const [row] = await this.#run(`${lacking} RETURN count(${variable})`, parameters);
    steps.begin(what, Number(row?.[0] ?? 0));
    const some = `WITH collect(${variable}) AS all UNWIND range(0, size(all) - 1) AS i WITH all[i] AS ${variable}, i`;
    const text = `${lacking} WITH ${variable} LIMIT $most ${some} ${set} RETURN count(${variable})`;
    let changed = 0;
    for (;;) {
      const ids = Array.from({ length: IDENTIFIED }, this.newId);
      const [counted] = await this.#run(text, { ...parameters, ids, most: IDENTIFIED });
      const count = Number(counted?.[0] ?? 0);
      changed += count;
      await steps.done(count);
      if (count < IDENTIFIED) return changed;
    }
  }

  /** The same statement until it finds less than it may change. */
  async #all(text: string, parameters: Readonly<Record<string, CypherParameter>>, most: number): Promise<number> {
    for (let changed = 0; ;) {
      const [row] = await this.#run(text, parameters);
      const count = Number(row?.[0] ?? 0);
      changed += count;
      if (count < most) return changed;
    }
  }

  #run(
    text: string,
    parameters: Readonly<Record<string, CypherParameter>>,
  ): Promise<readonly (readonly CypherValue[])[]> {
    const statement = { text, parameters, mostRows: 10_000, mostText: 1_000_000 };
    return this.write(async (tx) => (await tx.cypherWrite?.(statement))?.rows ?? []);
  }
}
