/**
 * Reading a whole Neo4j database in pages, each a short statement that goes on in an index: nodes by type and position
 * in the order of creation, relationships by type and id. Nodes of another client that the engine has adopted (setup.ts)
 * have positions far below zero; they are shown close to zero and all others behind them. What has no position at all
 * comes behind everything that has one, as in the order of queries.
 */
import {
  BATCH_BYTES,
  BATCH_ITEMS,
  type Belongings,
  type BulkBatch,
  type BulkCounts,
  type BulkItem,
  type BulkKind,
  type BulkReader,
  roughSize,
} from '../../bulk.js';
import { GraphError } from '../../errors.js';
import { Database } from '../connection/database.js';
import type { Values } from '../connection/statement.js';
import { FAR } from '../connection/limits.js';
import { nodeOf, relationshipOf } from '../reading/entities.js';
import { COMMON, META, quoted, SEQUENCE } from '../connection/names.js';
import { ALL_NOTES } from '../instances/notes.js';
import type { Neo4jOptions } from '../connection/options.js';
import { BEFORE } from '../indexes/setup.js';

/** Our entities; other clients may have more in the database, which the service does not see either. */
const OUR_NODE = "n.id >= '' AND n.type >= ''";
const OUR_RELATIONSHIP = "r.id >= '' AND r.type >= ''";
const BETWEEN = (pattern: string): string => `MATCH (a:${COMMON})-[${pattern}]->(b:${COMMON})`;
const COUNT_NODES = `MATCH (n:${COMMON}) WHERE ${OUR_NODE} RETURN n.type, count(*), count(n.${SEQUENCE}), max(CASE WHEN n.${SEQUENCE} < 0 THEN n.${SEQUENCE} END)`;
const COUNT_RELATIONSHIPS = `${BETWEEN('r')} WHERE ${OUR_RELATIONSHIP} RETURN r.type, count(*), type(r)`;
const NODES =
  `MATCH (n:${COMMON}) USING INDEX n:${COMMON}(type, ${SEQUENCE}) WHERE n.type = $group AND n.${SEQUENCE} > $after ` +
  `AND ${OUR_NODE} RETURN properties(n), n.${SEQUENCE} ORDER BY n.type, n.${SEQUENCE} LIMIT $limit`;
const NODES_WITHOUT_POSITION =
  `MATCH (n:${COMMON}) WHERE n.id > $after AND n.type = $group AND n.${SEQUENCE} IS NULL ` +
  `RETURN properties(n), null ORDER BY n.id LIMIT $limit`;
/** Less than any position. */
const BELOW_ALL = -Number(BEFORE) - 2;
/** Rows of the first page of a group: nobody knows yet how large they are. */
const FIRST_PAGE = 100;

/** Where reading goes on: behind `after` in a group (a type of nodes, a type of relationships in the database). */
interface Place {
  readonly group: string;
  readonly after: number | string;
  /** Entities without a position so far. */
  readonly extra: number;
}

export class Neo4jBulkReader implements BulkReader {
  protected readonly database: Database;
  #identity = '';

  constructor(options: Neo4jOptions) {
    this.database = new Database(options);
  }

  get identity(): string {
    return this.#identity;
  }

  /** The database must be prepared. */
  async start(): Promise<void> {
    const [row] = await this.run('CALL db.info() YIELD id RETURN id');
    this.#identity = `neo4j ${String(row?.[0])}`;
  }

  protected run(text: string, params: Record<string, unknown> = {}, write = false): Promise<Values[]> {
    return this.database.run({ text, params }, { deadline: FAR }, write);
  }

  async counts(): Promise<BulkCounts> {
    const total = (rows: readonly Values[]): ReadonlyMap<string, number> => {
      const counts = new Map<string, number>();
      for (const [type, n] of rows) counts.set(String(type), (counts.get(String(type)) ?? 0) + Number(n));
      return counts;
    };
    return {
      nodes: total(await this.run(COUNT_NODES)),
      relationships: total(await this.run(COUNT_RELATIONSHIPS)),
    };
  }

  /** Every transaction of the service takes positions. */
  async revision(): Promise<string> {
    return String(await this.#free());
  }

  async belongings(): Promise<Belongings> {
    const [row] = await this.run(`MATCH (m:${META} {name: 'writer'}) RETURN m.commit`);
    const notes = (await this.run(ALL_NOTES)).map(([name, text]) => [String(name), String(text)] as const);
    return { notes: new Map(notes), commit: Number(row?.[0] ?? 0) };
  }

  /** The first position that is free. */
  async #free(): Promise<number> {
    const [row] = await this.run(`MATCH (m:${META} {name: 'writer'}) RETURN m.seq`);
    return Number(row?.[0] ?? 0);
  }

  read(kind: BulkKind, after?: string): AsyncGenerator<BulkBatch> {
    const from = after === undefined ? undefined : (JSON.parse(after) as Place);
    return kind === 'nodes' ? this.#nodes(from) : this.#relationships(from);
  }

  async *#nodes(from: Place | undefined): AsyncGenerator<BulkBatch> {
    const groups = (await this.run(COUNT_NODES)).map(([type, n, placed, below]) => ({
      type: String(type),
      foreign: Number(n) > Number(placed),
      adopted: typeof below === 'bigint' ? Number(below + BEFORE) + 1 : 0,
    }));
    // The least position of a node of ours: 0 where nothing was adopted.
    const shift = groups.reduce((most, { adopted }) => Math.max(most, adopted), 0);
    const pages = new Pages((await this.#free()) + shift, from);
    const itemOf = (row: Values): Read => nodeItem(row, shift);
    for (const { type, foreign } of groups.sort((a, b) => (a.type < b.type ? -1 : 1))) {
      // A text in `after` is an id: those with a position have all been read.
      if (!pages.passed(type, 'number')) {
        yield* pages.of(type, BELOW_ALL, (params) => this.run(NODES, params), itemOf);
      }
      if (foreign && !pages.passed(type, 'string')) {
        yield* pages.of(type, '', (params) => this.run(NODES_WITHOUT_POSITION, params), itemOf);
      }
    }
  }

  async *#relationships(from: Place | undefined): AsyncGenerator<BulkBatch> {
    const names = (await this.run(COUNT_RELATIONSHIPS)).map((row) => String(row[2]));
    const groups = [...new Set(names)].sort();
    for (const name of groups) {
      const index = `CREATE RANGE INDEX IF NOT EXISTS FOR ()-[r:${quoted(name)}]-() ON (r.id)`;
      await this.run(index, {}, true);
    }
    await this.run('CALL db.awaitIndexes(86400)');
    const pages = new Pages(await this.#free(), from);
    for (const name of groups) {
      if (pages.passed(name, 'string')) continue;
      const label = quoted(name);
      const text =
        `${BETWEEN(`r:${label}`)} USING INDEX r:${label}(id) WHERE r.id > $after AND ${OUR_RELATIONSHIP} ` +
        `RETURN properties(r), type(r), a.id, b.id, r.${SEQUENCE} ORDER BY r.id LIMIT $limit`;
      yield* pages.of(name, '', (params) => this.run(text, params), relationshipItem);
    }
  }

  async close(): Promise<void> {
    await this.database.close();
  }
}

/** An entity with what the next page of its group begins behind. */
interface Read {
  readonly entity: BulkItem['entity'];
  readonly position: number | undefined;
  readonly after: number | string;
}

/** `shift`: how many adopted entities may come before the first of ours. */
function positionOf(value: unknown, shift: number): number | undefined {
  if (typeof value !== 'bigint') return undefined;
  const position = value < 0n ? Number(value + BEFORE) : Number(value) + shift;
  if (position >= 0 && Number.isSafeInteger(position)) return position;
  throw new GraphError('unavailable', `The position ${String(value)} in the order of creation is out of range.`);
}

function nodeItem(row: Values, shift: number): Read {
  const entity = nodeOf(row[0]);
  return {
    entity,
    position: positionOf(row[1], shift),
    after: typeof row[1] === 'bigint' ? Number(row[1]) : entity.id,
  };
}

function relationshipItem(row: Values): Read {
  const entity = relationshipOf(row);
  return { entity, position: positionOf(row[4], 0), after: entity.id };
}

/** Reads group by group, with pages as large as fit into memory, and knows where it is. */
class Pages {
  #extra: number;

  constructor(
    private readonly free: number,
    private readonly from: Place | undefined,
  ) {
    this.#extra = from?.extra ?? 0;
  }

  /** Whether a part of a group was read before; `part`: what its places look like. */
  passed(group: string, part: 'number' | 'string'): boolean {
    const { from } = this;
    if (from === undefined) return false;
    return group < from.group || (group === from.group && part === 'number' && typeof from.after === 'string');
  }

  async *of(
    group: string,
    first: number | string,
    run: (params: Record<string, unknown>) => Promise<Values[]>,
    itemOf: (row: Values) => Read,
  ): AsyncGenerator<BulkBatch> {
    const { from } = this;
    let after = from?.group === group && typeof from.after === typeof first ? from.after : first;
    for (let limit = FIRST_PAGE; ;) {
      const found = (
        await run({ group, after: typeof after === 'number' ? BigInt(after) : after, limit: BigInt(limit) })
      ).map(itemOf);
      const last = found[found.length - 1];
      if (last === undefined) return;
      after = last.after;
      let bytes = 0;
      const items = found.map(({ entity, position }) => {
        bytes += roughSize(entity.properties);
        return { entity, position: position ?? this.free + this.#extra++ };
      });
      const place: Place = { group, after, extra: this.#extra };
      yield { items, cursor: JSON.stringify(place) };
      if (found.length < limit) return;
      const fitting = Math.floor(BATCH_BYTES / (bytes / found.length));
      limit = Math.max(1, Math.min(BATCH_ITEMS, limit * 4, fitting));
    }
  }
}
