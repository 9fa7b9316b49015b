/**
 * Predicates to Cypher. Missing values make comparisons null; null counts as false everywhere, and only `not` has to
 * say so, because wrapping every comparison would hide it from the planner's indexes. Comparisons hold among values of
 * one kind: Cypher's are null between kinds, which makes `n.key >= ''` a test for text that works on every version.
 */
import { GraphError } from '../../errors.js';
import type { Predicate } from '../../query.js';
import { fold } from '../../sqlite/connection/functions.js';
import type { ScalarValue } from '../../types.js';
import { matchStep } from './access.js';
import { beginning, comparedList, INDEXED_LENGTH, LONG, scalarParameter } from '../connection/codec.js';
import { propertyName, quoted } from '../connection/names.js';
import { combine, type Parameters } from '../connection/statement.js';

/** The node or relationship a condition is about. */
export interface Scope {
  readonly kind: 'nodes' | 'relationships';
  /** Its variable in the statement. */
  readonly alias: string;
  /** How deep in nested steps: makes variables unique. */
  readonly depth: number;
  readonly params: Parameters;
}

const RELATIONSHIP_FIELDS: Readonly<Record<string, (alias: string) => string>> = {
  relType: (alias) => `type(${alias})`,
  sourceId: (alias) => `startNode(${alias}).id`,
  targetId: (alias) => `endNode(${alias}).id`,
};
const EARTH_RADIUS_KM = '6371.0088';
const KILOMETRES_A_DEGREE = 111.19;

/** The expression of a field of the entity; undefined: the key is a property. */
export function field(scope: Scope, key: string): string | undefined {
  if (key === 'id' || key === 'type') return `${scope.alias}.${key}`;
  return scope.kind === 'relationships' && Object.hasOwn(RELATIONSHIP_FIELDS, key)
    ? RELATIONSHIP_FIELDS[key]?.(scope.alias)
    : undefined;
}

/** The value of a key as an index has it: long ones are cut. */
export function indexedValue(scope: Scope, key: string): string {
  return field(scope, key) ?? `${scope.alias}.${quoted(propertyName(key))}`;
}

/** The whole value of a key. */
export function wholeValue(scope: Scope, key: string): string {
  const direct = field(scope, key);
  if (direct !== undefined) return direct;
  const name = propertyName(key);
  return `coalesce(${scope.alias}.${quoted(LONG + name)}, ${scope.alias}.${quoted(name)})`;
}

/** Without the type predicates of newer versions: only lists have a value and no text. */
export function isList(expression: string): string {
  return `(${expression} IS NOT NULL AND toStringOrNull(${expression}) IS NULL)`;
}

/** What must hold together. */
export function conjuncts(where: Predicate | undefined): readonly Predicate[] {
  if (where === undefined) return [];
  return where.op === 'and' ? where.terms.flatMap(conjuncts) : [where];
}

/** Whether the predicate is about other nodes as well. */
export function hasSteps(predicate: Predicate): boolean {
  if ('terms' in predicate) return predicate.terms.some(hasSteps);
  return predicate.op === 'not' ? hasSteps(predicate.term) : 'step' in predicate;
}

/** A condition on the entity of `scope`; null means false. */
export function condition(scope: Scope, predicate: Predicate): string {
  if (scope.depth > 40) throw new GraphError('invalid_query', 'The query is nested too deeply.');
  const { params, alias } = scope;
  switch (predicate.op) {
    case 'and':
    case 'or':
      return combine(
        predicate.terms.map((term) => condition(scope, term)),
        predicate.op === 'and' ? 'AND' : 'OR',
      );
    case 'not':
      return `NOT coalesce(${condition(scope, predicate.term)}, false)`;
    case 'relatedNone':
    case 'relatedSome':
    case 'relatedAll':
    case 'relatedExactly':
      return related(scope, predicate);
    case 'distance':
      return distance(scope, predicate);
    case 'isNull':
      return field(scope, predicate.key) === undefined ? `${indexedValue(scope, predicate.key)} IS NULL` : 'false';
    case 'isEmpty': {
      if (field(scope, predicate.key) !== undefined) return 'false';
      const v = indexedValue(scope, predicate.key);
      return `(${v} IS NULL OR ${v} = '' OR ${v} = [])`;
    }
    case 'arrayEquals':
    case 'arrayContains':
      return field(scope, predicate.key) === undefined ? array(scope, predicate) : 'false';
    case 'equals':
      return equals(scope, predicate);
    case 'in': {
      const terms = predicate.values.filter((one) => typeof one === 'string' && one.length > INDEXED_LENGTH);
      // NaN equals nothing.
      const plain = predicate.values.filter((one) => !terms.includes(one) && !Number.isNaN(one));
      const parts = terms.map((one) => equalsTo(scope, predicate.key, one));
      const v = indexedValue(scope, predicate.key);
      if (plain.length > 0) parts.push(`${v} IN ${params.bind(plain.map((one) => scalarParameter(one)))}`);
      return combine(parts, 'OR');
    }
    case 'range':
      return range(scope, predicate);
    default:
      return text(scope, predicate, alias);
  }
}

function equals(scope: Scope, predicate: Extract<Predicate, { op: 'equals' }>): string {
  const { key, value } = predicate;
  const same = Number.isNaN(value) ? 'false' : equalsTo(scope, key, value);
  if (predicate.orNull !== true || field(scope, key) !== undefined) return same;
  return `(${same} OR ${indexedValue(scope, key)} IS NULL)`;
}

function equalsTo(scope: Scope, key: string, value: ScalarValue): string {
  const v = indexedValue(scope, key);
  const bound = scope.params.bind(scalarParameter(value));
  if (typeof value !== 'string' || value.length < INDEXED_LENGTH - 1 || field(scope, key) !== undefined) {
    return `${v} = ${bound}`;
  }
  // What the index has of it may be shorter by a character or two, as others cut.
  const start = scope.params.bind(beginning(value.toWellFormed(), INDEXED_LENGTH / 2));
  return `(${v} STARTS WITH ${start} AND ${wholeValue(scope, key)} = ${bound})`;
}

function kindOf(bound: ScalarValue): string {
  return typeof bound === 'bigint' ? 'number' : typeof bound;
}

function range(scope: Scope, predicate: Extract<Predicate, { op: 'range' }>): string {
  const { key, from, to } = predicate;
  const v = indexedValue(scope, key);
  if (from === undefined && to === undefined) return `${v} IS NOT NULL`;
  if (from !== undefined && to !== undefined && kindOf(from) !== kindOf(to)) return 'false';
  if (Number.isNaN(from) || Number.isNaN(to)) return 'false';
  if (typeof (from ?? to) === 'boolean') {
    // Not as a range: in a transaction that has written, Neo4j fails to make one of Booleans.
    const within = (one: boolean): boolean =>
      (from === undefined || (predicate.fromExclusive === true ? one > from : one >= from)) &&
      (to === undefined || (predicate.toExclusive === true ? one < to : one <= to));
    const equal = [false, true].filter(within).map((one) => `${v} = ${String(one)}`);
    return equal.length === 0 ? 'false' : combine(equal, 'OR');
  }
  const terms: string[] = [];
  const limit = (bound: ScalarValue, operator: string, exclusive: boolean | undefined): void => {
    const sign = exclusive === true ? operator : `${operator}=`;
    const parameter = scope.params.bind(scalarParameter(bound));
    if (typeof bound !== 'string' || field(scope, key) !== undefined) {
      terms.push(`${v} ${sign} ${parameter}`);
      return;
    }
    // The index has the beginning of long text, which sorts before the text: good for an upper bound, and for a lower
    // one that is shorter.
    const start =
      bound.length < INDEXED_LENGTH / 2 ? parameter : scope.params.bind(beginning(bound, INDEXED_LENGTH / 2));
    terms.push(
      operator === '<' ? `${v} <= ${parameter}` : `${v} >= ${start}`,
      `${wholeValue(scope, key)} ${sign} ${parameter}`,
    );
  };
  if (from !== undefined) limit(from, '>', predicate.fromExclusive);
  if (to !== undefined) limit(to, '<', predicate.toExclusive);
  return combine(terms, 'AND');
}

/** As `fold` makes it. The test for text comes first: toLower fails on anything else. */
function folded(expression: string, test: string): string {
  const same = `replace(toLower(toUpper(toLower(${expression}))), 'ς', 'σ')`;
  return `CASE WHEN ${expression} >= '' THEN ${same} ${test} ELSE false END`;
}

const OPERATORS = { contains: 'CONTAINS', startsWith: 'STARTS WITH', endsWith: 'ENDS WITH' } as const;

function text(
  scope: Scope,
  predicate: Extract<Predicate, { op: 'contains' | 'startsWith' | 'endsWith' }>,
  _alias: string,
): string {
  const { op, key, value } = predicate;
  const whole = wholeValue(scope, key);
  if (predicate.ignoreCase === true) {
    return folded(whole, `${OPERATORS[op]} ${scope.params.bind(fold(value.toWellFormed()))}`);
  }
  const bound = scope.params.bind(value.toWellFormed());
  if (op !== 'startsWith' || value.length > INDEXED_LENGTH / 2) return `${whole} ${OPERATORS[op]} ${bound}`;
  return `${indexedValue(scope, key)} STARTS WITH ${bound}`;
}

function array(scope: Scope, predicate: Extract<Predicate, { op: 'arrayEquals' | 'arrayContains' }>): string {
  const v = wholeValue(scope, predicate.key);
  if (predicate.op === 'arrayEquals') return `${v} = ${scope.params.bind(comparedList(predicate.values))}`;
  const wanted = predicate.value;
  if (predicate.partial !== true) {
    // Cypher takes a single value for a list of one.
    return `(${isList(v)} AND ${scope.params.bind(scalarParameter(wanted))} IN ${v})`;
  }
  const x = `x${String(scope.depth)}`;
  const bound = scope.params.bind(fold(String(wanted).toWellFormed()));
  return `(${isList(v)} AND any(${x} IN ${v} WHERE ${folded(x, `CONTAINS ${bound}`)}))`;
}

function distance(scope: Scope, predicate: Extract<Predicate, { op: 'distance' }>): string {
  const { latitude, longitude, kilometres } = predicate;
  const { params } = scope;
  if (Number.isNaN(latitude) || Number.isNaN(longitude) || Number.isNaN(kilometres)) return 'false';
  const lat = indexedValue(scope, predicate.latitudeKey);
  const lon = indexedValue(scope, predicate.longitudeKey);
  const least = params.bind(-Infinity);
  const [lat2, lon2, within] = [params.bind(latitude), params.bind(longitude), params.bind(kilometres)];
  // A band of latitudes holds the circle, and an index can give it.
  const degrees = kilometres / KILOMETRES_A_DEGREE;
  const band = `${lat} >= ${params.bind(latitude - degrees)} AND ${lat} <= ${params.bind(latitude + degrees)}`;
  const half = (a: string, b: string): string => `sin(radians(${b} - ${a}) / 2.0)`;
  const h = `${half(lat, lat2)} ^ 2 + cos(radians(${lat})) * cos(radians(${lat2})) * ${half(lon, lon2)} ^ 2`;
  const x = `h${String(scope.depth)}`;
  const angle = `[${x} IN [sqrt(${h})] | CASE WHEN ${x} > 1.0 THEN asin(1.0) ELSE asin(${x}) END][0]`;
  const close = `2.0 * ${EARTH_RADIUS_KM} * ${angle} < ${within}`;
  return `(${band} AND CASE WHEN ${lat} >= ${least} AND ${lon} >= ${least} THEN ${close} ELSE false END)`;
}

function related(
  scope: Scope,
  predicate: Extract<Predicate, { op: 'relatedNone' | 'relatedSome' | 'relatedAll' | 'relatedExactly' }>,
): string {
  if (scope.kind !== 'nodes') throw new GraphError('invalid_query', 'Only nodes have related nodes.');
  const { step } = predicate;
  const { params } = scope;
  const m = `m${String(scope.depth + 1)}`;
  const none = step.types?.length === 0;
  const to = (where: readonly string[]): string => matchStep(scope.alias, step, m, params, { where });
  switch (predicate.op) {
    case 'relatedNone':
      return none ? 'true' : `NOT EXISTS { ${to([])} }`;
    case 'relatedSome': {
      if (none) return 'false';
      const inner = condition({ kind: 'nodes', alias: m, depth: scope.depth + 1, params }, predicate.where);
      return `EXISTS { ${to([inner])} }`;
    }
    default: {
      const ids = [...new Set(predicate.ids)];
      if (none) return ids.length === 0 ? 'true' : 'false';
      const steps = ids.map((id) => `EXISTS { ${to([`${m}.id = ${params.bind(id)}`])} }`);
      if (predicate.op === 'relatedExactly') {
        steps.push(`NOT EXISTS { ${to([`NOT ${m}.id IN ${params.bind(ids)}`])} }`);
      }
      return combine(steps, 'AND');
    }
  }
}
