/** Statements of others: bounded, explained before they run, their results in values of the graph. */
import neo4j, {
  type Node,
  type Path,
  type Plan,
  type Relationship,
  type Result,
  type ResultSummary,
} from 'neo4j-driver';
import type { CypherFacts, CypherParameter, CypherResult, CypherStatement, CypherValue } from '../../cypher.js';
import { GraphError } from '../../errors.js';
import type { GraphRelationship } from '../../types.js';
import { integer } from '../connection/codec.js';
import { type Database, ignored, unfinished, values } from '../connection/database.js';
import { nodeOf, relationshipOf } from '../reading/entities.js';
import { codeOf, graphError } from '../connection/errors.js';
import { type Limits, serverTimeout, within } from '../connection/limits.js';
import { OWN } from '../connection/names.js';
import type { Statement, Values } from '../connection/statement.js';

/** Rows as the driver has them. */
export interface RawResult {
  readonly columns: readonly string[];
  readonly rows: readonly Values[];
}

/** Rows fetched at once: those of others may be large. */
export const FETCH_OF_OTHERS = 50;
const LONGEST_MESSAGE = 500;

/** What is wrong with a statement is for the one who wrote it; everything else is an error of the database. */
function statementError(error: unknown): unknown {
  if (!(error instanceof neo4j.Neo4jError)) return error;
  const known = graphError(error);
  if (!(known instanceof GraphError) || known.code !== 'unavailable') return known;
  if (!/^Neo\.ClientError\.(?:Statement|Procedure|Schema|Transaction|General)\./.test(codeOf(error))) return known;
  const [line = ''] = error.message.split('\n');
  return new GraphError('invalid_query', `Neo4j: ${line.slice(0, LONGEST_MESSAGE)}`, undefined, { cause: error });
}

function parameter(value: CypherParameter): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? integer(value) : value;
  if (typeof value === 'string') return value.toWellFormed();
  if (value === null || typeof value !== 'object') return value;
  if (isArray(value)) return value.map(parameter);
  return Object.fromEntries(Object.keys(value).map((key) => [key, parameter(value[key] ?? null)]));
}

function isArray(value: object): value is readonly CypherParameter[] {
  return Array.isArray(value);
}

export function parametersOf({ parameters }: CypherStatement): Record<string, unknown> {
  return parameter(parameters) as Record<string, unknown>;
}

/** Reads a result until its end or its limit. Throws `GraphError` `invalid_query` for what the statement does wrong. */
export async function collect(
  result: Result,
  limits: Limits,
  { mostRows, mostText }: CypherStatement,
): Promise<RawResult> {
  const rows: Values[] = [];
  let size = 0;
  try {
    const columns = await within(result.keys(), limits);
    const records = result[Symbol.asyncIterator]();
    for (let next = await within(records.next(), limits); next.done !== true;) {
      const row = values(next.value);
      for (const value of row) size += sizeOf(value);
      if (rows.length === mostRows || size > mostText) {
        // The rest is left alone: whoever asked closes the session, which resets the connection. Throwing it away meanwhile
        // (`return`) confuses the driver about whose answers come: the connection's next user waits for his in vain.
        const [most, what] = size > mostText ? [mostText, 'characters and values'] : [mostRows, 'rows'];
        throw new GraphError(
          'invalid_query',
          `The result has more than ${String(most)} ${what}: let the statement end with LIMIT.`,
        );
      }
      rows.push(row);
      next = await within(records.next(), limits);
    }
    return { columns: columns.map(String), rows };
  } catch (error) {
    throw statementError(error);
  }
}

/** Characters of text in a value, and 1 for each value in it. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 1;
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof Int8Array) return value.length;
  let size = 1;
  for (const one of Array.isArray(value) ? value : Object.values(value)) size += sizeOf(one);
  return size;
}

/** Runs a statement that only reads as a transaction of its own; the server refuses it when it writes. */
export async function readAlone(database: Database, statement: CypherStatement, limits: Limits): Promise<RawResult> {
  const session = database.session(false, FETCH_OF_OTHERS);
  const since = performance.now();
  try {
    const tx = unfinished(session, serverTimeout(limits));
    return await collect(tx.run(statement.text, parametersOf(statement)), limits, statement);
  } finally {
    // Ends what is still running on the server.
    session.close().catch(ignored);
    database.ran({ text: statement.text, params: {} }, since);
  }
}

/** What a statement would do. Throws `GraphError` `invalid_query` when it cannot be understood. */
export async function explained(database: Database, statement: CypherStatement, limits: Limits): Promise<CypherFacts> {
  const session = database.session(false);
  try {
    const result = session.run(`EXPLAIN ${statement.text}`, parametersOf(statement), {
      timeout: serverTimeout(limits),
    });
    const { summary } = await within(result, limits);
    return factsOf(summary);
  } catch (error) {
    throw statementError(error);
  } finally {
    session.close().catch(ignored);
  }
}

function factsOf({ queryType, plan }: ResultSummary): CypherFacts {
  const operators: string[] = [];
  const visit = (one: Plan): void => {
    operators.push(one.operatorType);
    one.children.forEach(visit);
  };
  if (plan !== false) visit(plan);
  const has = (name: string): boolean => operators.some((one) => one.startsWith(name));
  return {
    writes: queryType !== 'r',
    // What is planned in no way that we know is no reading.
    administers: !['r', 'rw', 'w'].includes(queryType) || operators.length === 0,
    loads: has('LoadCSV'),
    calls: has('ProcedureCall'),
  };
}

const RELATIONSHIP = 'properties(r), type(r), a.id, b.id';

/** The relationships among values of rows, by the ids that the database has for them. */
export async function relationshipsIn(
  rows: readonly Values[],
  run: (statement: Statement) => Promise<readonly Values[]>,
): Promise<ReadonlyMap<string, GraphRelationship>> {
  const ids = new Set<string>();
  const visit = (value: unknown): void => {
    if (neo4j.isRelationship(value)) ids.add(value.elementId);
    else if (neo4j.isPath(value)) for (const { relationship } of value.segments) ids.add(relationship.elementId);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (isPlainMap(value)) Object.values(value).forEach(visit);
  };
  for (const row of rows) row.forEach(visit);
  if (ids.size === 0) return new Map();
  const text = `UNWIND $all AS e MATCH (a)-[r]->(b) WHERE elementId(r) = e RETURN e, ${RELATIONSHIP}`;
  const found = await run({ text, params: { all: [...ids] } });
  return new Map(
    found
      .filter(([, properties]) => isObject(properties))
      .map((row) => [String(row[0]), relationshipOf(row, 1)] as const),
  );
}

/** Rows in values of the graph; without relationships of ours, nodes and relationships as maps of their properties. */
export function decoded(
  { columns, rows }: RawResult,
  relationships: ReadonlyMap<string, GraphRelationship> | undefined,
): CypherResult {
  const node = ({ properties }: Node): CypherValue => {
    if (relationships === undefined) return decode(properties);
    return isObject(properties) ? nodeOf(properties) : null;
  };
  const relationship = ({ elementId, properties }: Relationship): CypherValue =>
    relationships === undefined ? decode(properties) : (relationships.get(elementId) ?? null);
  const path = ({ start, segments }: Path): CypherValue => [
    node(start),
    ...segments.flatMap((segment) => [relationship(segment.relationship), node(segment.end)]),
  ];
  const decode = (value: unknown): CypherValue => {
    if (value === null || value === undefined) return null;
    if (
      typeof value === 'string' ||
      typeof value === 'boolean' ||
      typeof value === 'number' ||
      typeof value === 'bigint'
    )
      return value;
    if (neo4j.isNode(value)) return node(value);
    if (neo4j.isRelationship(value)) return relationship(value);
    if (neo4j.isPath(value)) return path(value);
    if (Array.isArray(value)) return value.map(decode);
    if (value instanceof Int8Array) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    if (neo4j.isDateTime(value)) return value.toStandardDate();
    if (isPlainMap(value)) {
      // What the engine keeps for itself is of no use to others.
      const keys = Object.keys(value).filter((key) => !key.startsWith(OWN));
      return new Map(keys.map((key) => [key, decode(value[key])]));
    }
    // Other kinds of dates, durations, points: their text.
    return (value as { toString(): string }).toString();
  };
  return { columns, rows: rows.map((row) => row.map(decode)) };
}

/** Whether properties are those of an object of the service. */
function isObject(properties: unknown): boolean {
  const { id, type } = properties as { readonly id?: unknown; readonly type?: unknown };
  return typeof id === 'string' && typeof type === 'string';
}

function isPlainMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
