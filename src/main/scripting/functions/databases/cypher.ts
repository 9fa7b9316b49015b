/** Statements in Cypher on the database of the service (docs/interface/script-runtime.md 8.6). */
import type {
  CypherParameter,
  CypherResult,
  CypherStatement,
  CypherValue,
  GraphEntity,
  GraphNode,
  ReadTransaction,
} from '../../../graph/index.js';
import { secretKeysOf, type Schema } from '../../../schema/index.js';
import type { ScriptContext } from '../../run/run.js';
import { toJsonValue } from '../../language/conversion.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { isMap, type ScriptMap, type ScriptValue } from '../../language/values.js';
import { isOn, LONGEST_TEXT } from '../../run/function/arguments.js';
import { pairsIn, type Pairs } from '../../run/function/pairs.js';

/** Rows of the largest result. */
const MOST_ROWS = 10_000;
const LONGEST_STATEMENT = 1_000_000;
const DEEPEST = 20;
/** Nodes whose rights are asked for at once. */
const AT_ONCE = 1000;

const cypherFunction: ScriptFunction = {
  name: 'cypher',
  signature: 'cypher(query [, key, value... | map [, newTransaction = false]])',
  meaning:
    'Rows of a statement in Cypher, with these parameters, in the transaction of the script: of one column its value (nodes and ' +
    'relationships as objects, lists and maps as such, everything else as a map of the name of the column), of several a list of values. ' +
    'Rows with objects that the user may not read are null; other values are what the statement makes of all objects, so they are the ' +
    'decision of its author. Statements that write, and those that call procedures, need the rights of an administrator ' +
    '(`doPrivileged`); what they write sets off no methods and is checked by no rule of the schema. At most 10,000 rows, within ' +
    'the time of a query. Only with `database.driver = neo4j`: otherwise 422, and `find` is the way.',
  example: "cypher('MATCH (n:Project) WHERE n.name = $name RETURN n', 'name', 'Garden')",
  min: 1,
  run: async (args, context) => {
    const { given, alone } = parametersIn(args);
    const [query = null] = args;
    if (typeof query !== 'string' || query.trim() === '') throw new ScriptError(422, 'cypher() needs a statement.');
    const statement = statementOf(query, given);
    const result = await execute(statement, alone, context);
    return rowsOf(result, context);
  },
};

export const cypherFunctions: FunctionCategory = { title: 'Cypher', functions: [cypherFunction] };

/** Pairs, or a map with whether the statement runs in a transaction of its own behind it. */
function parametersIn(args: readonly ScriptValue[]): { readonly given: Pairs; readonly alone: boolean } {
  const [, first = null, second] = args;
  if (args.length === 3 && (first === null || isMap(first))) {
    return { given: first === null ? [] : [...first], alone: isOn(second) };
  }
  return { given: pairsIn(args, 1), alone: false };
}

/** Throws `ScriptError` 422 for what cannot be sent. */
export function statementOf(text: string, given: Pairs): CypherStatement {
  if (text.length > LONGEST_STATEMENT) throw new ScriptError(422, 'The statement is too long.');
  return {
    text,
    parameters: Object.fromEntries(given.map(([key, value]) => [key, parameterOf(value)])),
    mostRows: MOST_ROWS,
    mostText: LONGEST_TEXT,
  };
}

/** Objects as their ids, dates as they are stored: milliseconds. */
function parameterOf(value: ScriptValue, depth = 0): CypherParameter {
  if (depth > DEEPEST) throw new ScriptError(422, 'A parameter is nested too deeply, or holds itself.');
  if (value instanceof Date) return value.getTime();
  if (Array.isArray(value)) return value.map((one) => parameterOf(one, depth + 1));
  if (isMap(value)) return Object.fromEntries([...value].map(([key, one]) => [key, parameterOf(one, depth + 1)]));
  return typeof value === 'bigint' ? value : toJsonValue(value);
}

async function execute(statement: CypherStatement, alone: boolean, context: ScriptContext): Promise<CypherResult> {
  const { run, actor, access } = context;
  const { graph } = run.parts;
  if (graph.explainCypher === undefined) {
    throw new ScriptError(
      422,
      'cypher() needs a Neo4j database (setting database.driver = neo4j): the embedded one does not speak Cypher. Use find() with ' +
        'predicates, or move the data with `svc graph copy`.',
    );
  }
  const { writes, administers, loads, calls } = await graph.explainCypher(statement);
  if (administers) {
    throw new ScriptError(
      422,
      'Statements of scripts do not change indexes, constraints or databases: the schema does.',
    );
  }
  if (loads)
    throw new ScriptError(422, 'LOAD CSV would pass by the rules for calls of scripts: use GET() and fromCsv().');
  if ((writes || calls) && !actor.isAdmin) {
    throw new ScriptError(
      403,
      `A statement that ${writes ? 'writes' : 'calls procedures'} needs an administrator's rights.`,
    );
  }
  if (!writes)
    return alone ? graph.read((tx) => read(tx, statement)) : run.transaction.read((tx) => read(tx, statement));
  run.transaction.refuseReading();
  if (alone && run.transaction.writes) {
    throw new ScriptError(
      422,
      'A statement in a new transaction would wait for the one of its script, which has written already.',
    );
  }
  const write = async ({ run: inside }: ScriptContext): Promise<CypherResult> => {
    const objects = await inside.transaction.objects(actor, access);
    const result = await objects.tx.cypherWrite?.(statement);
    objects.lookAgain();
    return result ?? NOTHING;
  };
  try {
    return alone ? await run.parts.inTransaction(context.title, context, write) : await write(context);
  } finally {
    run.transaction.changedUnseen();
  }
}

const NOTHING: CypherResult = { columns: [], rows: [] };

async function read(tx: ReadTransaction, statement: CypherStatement): Promise<CypherResult> {
  return (await tx.cypher?.(statement)) ?? NOTHING;
}

/** Marks what the user may not see. */
const HIDDEN = Symbol('hidden');

async function rowsOf({ columns, rows }: CypherResult, context: ScriptContext): Promise<ScriptValue[]> {
  const sees = await sight(rows, context);
  const { entities, schema } = context.run;
  const convert = (value: CypherValue): ScriptValue | typeof HIDDEN => {
    if (value === null || typeof value !== 'object' || value instanceof Date || value instanceof Uint8Array)
      return value;
    if (isEntity(value)) return sees(value) ? entities.of(value) : HIDDEN;
    if (isList(value)) return value.map(convert).filter((one) => one !== HIDDEN);
    const map: ScriptMap = new Map();
    const secrets = secretKeys(value, schema);
    for (const [key, one] of value) {
      const converted = secrets.has(key) ? null : convert(one);
      map.set(key, converted === HIDDEN ? null : converted);
    }
    return map;
  };
  const [only = ''] = columns;
  return rows.map((row) => {
    const values = row.map(convert);
    const shown = values.filter((one) => one !== HIDDEN);
    if (shown.length < values.length) return null;
    if (columns.length > 1) return shown;
    const [value = null] = shown;
    const isScalar = value === null || typeof value !== 'object' || value instanceof Date;
    return isScalar ? new Map([[only, value]]) : value;
  });
}

/** Which of the objects in rows the user may read: relationships, when he may read both ends. */
async function sight(
  rows: CypherResult['rows'],
  { run, access }: ScriptContext,
): Promise<(entity: GraphEntity) => boolean> {
  const rule = access.rule('read');
  if (rule === undefined) return () => true;
  const nodes = new Map<string, GraphNode>();
  const ends = new Set<string>();
  const visit = (value: CypherValue): void => {
    if (value === null || typeof value !== 'object' || value instanceof Date || value instanceof Uint8Array) return;
    if (isEntity(value)) {
      if (value.kind === 'node') nodes.set(value.id, value);
      else ends.add(value.sourceId).add(value.targetId);
    } else if (isList(value)) value.forEach(visit);
    else for (const one of value.values()) visit(one);
  };
  for (const row of rows) row.forEach(visit);
  const allowed = new Set<string>();
  await run.transaction.read(async (tx) => {
    const missing = [...ends].filter((id) => !nodes.has(id));
    // As they are, not as the statement may have made them up.
    const all = [...nodes.keys(), ...missing];
    for (let at = 0; at < all.length; at += AT_ONCE) {
      const part = (await tx.nodes(all.slice(at, at + AT_ONCE))).filter((node) => node !== undefined);
      const permitted = await tx.permitted(part, rule);
      for (const [i, { id }] of part.entries()) if (permitted[i] === true) allowed.add(id);
    }
  });
  return (one) => (one.kind === 'node' ? allowed.has(one.id) : allowed.has(one.sourceId) && allowed.has(one.targetId));
}

function isEntity(value: object): value is GraphEntity {
  return 'kind' in value;
}

function isList(value: object): value is readonly CypherValue[] {
  return Array.isArray(value);
}

const NO_KEYS: ReadonlySet<string> = new Set();

/** Keys of an object's properties, as `properties(n)` answers them, that no script reads. */
function secretKeys(map: ReadonlyMap<string, CypherValue>, schema: Schema): ReadonlySet<string> {
  const named = map.get('type');
  const type = typeof named === 'string' && map.has('id') ? schema.type(named) : undefined;
  return type === undefined ? NO_KEYS : secretKeysOf(type);
}
