/** The read half of a transaction: one statement a call. */
import { type AccessRule, allowsItself, type Step } from '../../access.js';
import type { CypherResult, CypherStatement } from '../../cypher.js';
import type { ReadTransaction, TextMatch } from '../../graph.js';
import type { CountResult, EntityOf, NodeQuery, Query } from '../../query.js';
import type { TextQuery } from '../../text/text-query.js';
import { GraphError } from '../../errors.js';
import type { GraphNode, GraphRelationship } from '../../types.js';
import { allowed, matchStep } from '../query/access.js';
import type { Catalog } from '../query/catalog.js';
import { compileCount, compileRows, type CountStatement, type RowsOptions } from '../query/compile.js';
import type { Knowledge } from '../query/knowledge.js';
import { decoded, type RawResult, relationshipsIn } from '../query/cypher.js';
import { nodeOf, relationshipOf, relTypeOf } from './entities.js';
import type { Indexes } from '../indexes/indexes.js';
import { COMMON, relationshipLabel, SEQUENCE } from '../connection/names.js';
import { Reach } from '../query/reach.js';
import { NODE_BY_ID, NODES_BY_ID } from '../connection/sharing.js';
import { listed, Parameters, type Statement, type Values } from '../connection/statement.js';
import { type KeptLists, type KeptRun, windowOf } from '../kept/kept-lists.js';
import { luceneQuery } from '../indexes/text-indexes.js';

/** Whose reads these are. */
export interface ReadContext {
  readonly catalog: Catalog;
  readonly knowledge: Knowledge;
  readonly texts: Pick<Indexes, 'text' | 'lost'>;
  run(statement: Statement): Promise<Values[]>;
  /** A statement of somebody else. */
  raw(statement: CypherStatement): Promise<RawResult>;
  /** The same, where others may get the same rows. Absent in a write transaction, as are the next three. */
  shared?(statement: Statement): Promise<readonly Values[]>;
  /** Properties of the node with this id. */
  lookUp?(id: string): Promise<unknown>;
  /** What is kept of lists, and how it is found anew. */
  readonly kept?: { readonly lists: KeptLists; readonly fresh: KeptRun['fresh'] };
  /** The connection of a write transaction cannot do anything else meanwhile. */
  stream?(statement: Statement): AsyncIterable<Values[]>;
  /** Throws when the transaction is over or cancelled. */
  check(): void;
}

const BATCH = 256;
const RELATIONSHIP = 'properties(r), type(r), startNode(r).id, endNode(r).id';

export class Reads implements ReadTransaction {
  #reach: Reach | undefined;

  constructor(protected readonly context: ReadContext) {}

  /** What rules allow. It stays as it is for the whole transaction, unless that may change it itself. */
  protected get reach(): Reach {
    if (this.context.shared === undefined) return new Reach((statement) => this.context.run(statement));
    this.#reach ??= new Reach((statement) => this.#shared(statement));
    return this.#reach;
  }

  async node(id: string): Promise<GraphNode | undefined> {
    this.context.check();
    const raw = await this.#lookUp(id.toWellFormed());
    return raw === undefined ? undefined : nodeOf(raw);
  }

  async #lookUp(id: string): Promise<unknown> {
    if (this.context.lookUp !== undefined) return this.context.lookUp(id);
    const [row] = await this.byIds([id]);
    return row?.[0];
  }

  /** Properties of the nodes with these ids, of those that there are. */
  protected byIds(ids: readonly string[]): Promise<Values[]> {
    return this.context.run(byIds(ids));
  }

  async nodes(ids: readonly string[]): Promise<(GraphNode | undefined)[]> {
    this.context.check();
    if (ids.length === 0) return [];
    const wanted = [...new Set(ids.map((id) => id.toWellFormed()))];
    const found = new Map<string, GraphNode>();
    for (const [raw] of await this.byIds(wanted)) {
      const node = nodeOf(raw);
      found.set(node.id, node);
    }
    return ids.map((id) => found.get(id.toWellFormed()));
  }

  async relationship(id: string): Promise<GraphRelationship | undefined> {
    this.context.check();
    const { catalog } = this.context;
    const before = catalog.all.length;
    const found = await this.#relationship(id);
    if (found !== undefined) return found;
    await catalog.load((statement) => this.context.run(statement));
    return catalog.all.length > before ? this.#relationship(id) : undefined;
  }

  /** Neo4j indexes relationships by type, so each type is asked. */
  async #relationship(id: string): Promise<GraphRelationship | undefined> {
    const { all } = this.context.catalog;
    if (all.length === 0) return undefined;
    const each = all.map((one) => `MATCH ()-[r:${relationshipLabel(one)} {id: $id}]->() RETURN r`);
    const text = `CALL { ${each.join(' UNION ALL ')} } RETURN ${RELATIONSHIP} LIMIT 1`;
    const [row] = await this.context.run({ text, params: { id: id.toWellFormed() } });
    return row === undefined ? undefined : relationshipOf(row);
  }

  async find<Q extends Query>(query: Q): Promise<EntityOf<Q>[]> {
    this.context.check();
    await this.#prepare(query);
    const page = await this.#keptPage(query);
    if (page !== undefined) return page.map((raw) => entityOf(query, [raw]));
    const statement = await this.#rows(query);
    if (statement === undefined) return [];
    return (await this.#shared(statement)).map((row) => entityOf(query, row));
  }

  async #rows(query: Query, options: Pick<RowsOptions, 'ids' | 'within'> = {}): Promise<Statement | undefined> {
    const { reach } = this;
    return reach.knowing(() => compileRows(query, this.context.knowledge, { ...options, reach }));
  }

  /** Properties of the nodes of a page far from the beginning; undefined: it is none. */
  async #keptPage(query: Query): Promise<readonly unknown[] | undefined> {
    const { kept } = this.context;
    const window = query.kind === 'nodes' ? windowOf(query) : undefined;
    if (kept === undefined || query.kind !== 'nodes' || window === undefined) return undefined;
    const { start: offset, size: limit } = window;
    const statement = await this.#rows({ ...query, offset, limit }, { within: window });
    return statement === undefined ? [] : kept.lists.page(query, window, statement, this.#keptRun(kept));
  }

  #keptRun({ fresh }: NonNullable<ReadContext['kept']>): KeptRun {
    return { shared: (statement) => this.#shared(statement), fresh };
  }

  #shared(statement: Statement): Promise<readonly Values[]> {
    return this.context.shared?.(statement) ?? this.context.run(statement);
  }

  async *stream<Q extends Query>(query: Q): AsyncGenerator<EntityOf<Q>[]> {
    this.context.check();
    await this.#prepare(query);
    if (this.context.stream === undefined) {
      yield* this.#inParts(query);
      return;
    }
    const statement = await this.#rows(query);
    if (statement === undefined) return;
    for await (const rows of this.context.stream(statement)) {
      this.context.check();
      yield rows.map((row) => entityOf(query, row));
    }
  }

  /**
   * In a write transaction the consumer may change what it reads: the order is fixed first, then each batch shows what
   * is there by then.
   */
  async *#inParts<Q extends Query>(query: Q): AsyncGenerator<EntityOf<Q>[]> {
    if (query.kind === 'relationships') {
      const all = await this.find(query);
      for (let at = 0; at < all.length; at += BATCH) yield all.slice(at, at + BATCH);
      return;
    }
    const statement = await this.#rows(query, { ids: true });
    const ids = statement === undefined ? [] : (await this.context.run(statement)).map(([id]) => String(id));
    for (let at = 0; at < ids.length; at += BATCH) {
      this.context.check();
      const part = ids.slice(at, at + BATCH);
      const among = { op: 'in', key: 'id', values: part } as const;
      const where: NodeQuery['where'] = query.where === undefined ? among : { op: 'and', terms: [among, query.where] };
      const { offset: _offset, limit: _limit, sort: _sort, ...rest }: NodeQuery = query;
      const found = new Map((await this.find<NodeQuery>({ ...rest, where })).map((node) => [node.id, node]));
      const batch = part.flatMap((id) => found.get(id) ?? []);
      if (batch.length > 0) yield batch as EntityOf<Q>[];
    }
  }

  async count(query: Query, limit?: number): Promise<CountResult> {
    this.context.check();
    await this.#prepare(query);
    const most = limit ?? Infinity;
    const { reach } = this;
    const statement = await reach.knowing(() => compileCount(query, this.context.knowledge, most, reach));
    if (statement === undefined) return { count: 0, exact: true };
    const count = Number(await this.#counted(query, most, statement));
    return { count: Math.min(count, most), exact: count <= most };
  }

  async #counted(query: Query, most: number, statement: CountStatement): Promise<unknown> {
    const { kept } = this.context;
    if (kept !== undefined && query.kind === 'nodes' && !statement.free)
      return kept.lists.count(query, most, statement, this.#keptRun(kept));
    const [row] = await this.#shared(statement);
    return row?.[0] ?? 0;
  }

  async related(ids: readonly string[], step: Step, limit?: number): Promise<GraphNode[][]> {
    return this.#walk(ids, step, limit, 'properties(n)', (row) => nodeOf(row[1]));
  }

  async links(
    ids: readonly string[],
    step: Step,
    limit?: number,
  ): Promise<{ relationship: GraphRelationship; node: GraphNode }[][]> {
    return this.#walk(ids, step, limit, `properties(n), ${RELATIONSHIP}`, (row) => ({
      node: nodeOf(row[1]),
      relationship: relationshipOf(row, 2),
    }));
  }

  async relTypes(id: string, direction: Step['direction']): Promise<string[]> {
    this.context.check();
    const pattern = direction === 'out' ? '-[r]->()' : '<-[r]-()';
    const text = `MATCH (:${COMMON} {id: $id})${pattern} RETURN DISTINCT type(r)`;
    const rows = await this.context.run({ text, params: { id: id.toWellFormed() } });
    return rows.map(([name]) => relTypeOf(name));
  }

  async search(name: string, query: TextQuery, page: { offset: number; limit: number }): Promise<TextMatch[]> {
    this.context.check();
    const index = this.context.texts.text(name);
    if (index === undefined) return [];
    const params = {
      index: index.name,
      query: luceneQuery(query),
      types: listed(index.types),
      offset: BigInt(page.offset),
      limit: BigInt(page.limit),
    };
    const nodes = index.kind === 'nodes';
    const text =
      `CALL db.index.fulltext.${nodes ? 'queryNodes' : 'queryRelationships'}($index, $query) ` +
      `YIELD ${nodes ? 'node' : 'relationship'} AS e, score WHERE e.type IN $types.all RETURN e.id, score ` +
      `ORDER BY score DESC, e.${SEQUENCE} SKIP $offset LIMIT $limit`;
    try {
      return (await this.context.run({ text, params })).map(([id, score]) => ({
        id: String(id),
        score: Number(score),
      }));
    } catch (error) {
      const cause = error instanceof GraphError && error.cause instanceof Error ? error.cause.message : '';
      if (/no such fulltext schema index/.test(cause)) throw this.context.texts.lost(index, name);
      if (!/TooManyClauses|TooComplexToDeterminize/.test(cause)) throw error;
      throw new GraphError('invalid_query', 'What is looked for is too complex.', undefined, { cause: error });
    }
  }

  async permitted(nodes: readonly GraphNode[], rule: AccessRule): Promise<boolean[]> {
    this.context.check();
    const undecided = new Set(nodes.filter((node) => !allowsItself(node, rule)).map((node) => node.id.toWellFormed()));
    if (undecided.size === 0) return nodes.map(() => true);
    const params = new Parameters();
    const ids = params.among([...undecided]);
    const where = allowed('n', { ...rule, keys: [] }, params).join(' AND ');
    const text = `UNWIND ${ids} AS id MATCH (n:${COMMON} {id: id}) WHERE ${where} RETURN n.id`;
    const found = new Set((await this.#shared({ text, params: params.values })).map(([id]) => String(id)));
    return nodes.map(({ id }) => !undecided.has(id.toWellFormed()) || found.has(id.toWellFormed()));
  }

  async cypher(statement: CypherStatement): Promise<CypherResult> {
    this.context.check();
    const found = await this.context.raw(statement);
    return decoded(found, await relationshipsIn(found.rows, (one) => this.context.run(one)));
  }

  async #walk<T>(
    ids: readonly string[],
    step: Step,
    limit: number | undefined,
    columns: string,
    make: (row: Values) => T,
  ): Promise<T[][]> {
    this.context.check();
    const results: T[][] = ids.map(() => []);
    if (ids.length === 0 || limit === 0 || step.types?.length === 0) return results;
    const { reach } = this;
    const statement = await reach.knowing(() => {
      const params = new Parameters(reach);
      const list = `${params.bind(listed(ids.map((id) => id.toWellFormed())))}.all`;
      const most = limit === undefined || !Number.isFinite(limit) ? '' : ` LIMIT ${params.bind(BigInt(limit))}`;
      const match = matchStep('f', step, 'n', params, { relationship: 'r' });
      const walk = `${match} RETURN r, n ORDER BY r.${SEQUENCE}, r.id${most}`;
      const text =
        `UNWIND range(0, size(${list}) - 1) AS i MATCH (f:${COMMON} {id: ${list}[i]}) ` +
        `CALL { WITH f ${walk} } RETURN i, ${columns} ORDER BY i, r.${SEQUENCE}, r.id`;
      return { text, params: params.values };
    });
    for (const row of await this.context.run(statement)) results[Number(row[0])]?.push(make(row));
    return results;
  }

  async #prepare(query: Query): Promise<void> {
    if (query.kind !== 'relationships') return;
    await this.context.catalog.ensure(query.types, (statement) => this.context.run(statement));
  }
}

/** Looks nodes up. */
export function byIds(ids: readonly string[]): Statement {
  const [id] = ids;
  return ids.length === 1 ? { text: NODE_BY_ID, params: { id } } : { text: NODES_BY_ID, params: { ids: listed(ids) } };
}

function entityOf<Q extends Query>(query: Q, row: Values): EntityOf<Q> {
  return (query.kind === 'nodes' ? nodeOf(row[0]) : relationshipOf(row)) as EntityOf<Q>;
}
