/** Predicates of the query AST as SQL conditions. Every condition is 0 or 1, never NULL, so that NOT is exact. */
import { GraphError } from '../../errors.js';
import type { Predicate } from '../../query.js';
import type { ScalarValue } from '../../types.js';
import type { Step } from '../../access.js';
import { farFits, nodeFits } from './access-sql.js';
import type { Catalog } from './catalog.js';
import { encodeArray } from '../connection/codec.js';
import { fold } from '../connection/functions.js';
import { ends, inTypes, jsonPath } from '../connection/parts.js';
import { idList, idOf, keysOf, storedId } from '../connection/records.js';
import { pathIn } from '../connection/shapes.js';
import { jsonOf, valueExpression } from '../connection/stamps.js';
import { hasPart } from './part-of-text.js';
import { alive, combine, FALSE_SQL, join, list, raw, type Sql, sql, TRUE_SQL } from '../connection/sql.js';
import { ABOVE_TEXT, ARRAY, afterPrefix, FALSE, MISSING, sqlValue, TRUE } from '../connection/values.js';

/** The row a condition is about. */
export interface Scope {
  readonly kind: 'nodes' | 'relationships';
  /** Alias of the row's table. */
  readonly alias: string;
  /** How deep in nested steps: makes aliases unique. */
  readonly depth: number;
  readonly catalog: Catalog;
}

const RELATIONSHIP_FIELDS = new Set(['relType', 'sourceId', 'targetId']);

/** True for keys that are fields of the entity, not properties. */
export function isField(kind: Scope['kind'], key: string): boolean {
  return key === 'id' || key === 'type' || (kind === 'relationships' && RELATIONSHIP_FIELDS.has(key));
}

/** The value of a key in comparable form. Fields lose their column's affinity: '5' is not 5. */
export function value(scope: Scope, key: string): Sql {
  const { alias } = scope;
  if (!isField(scope.kind, key)) return valueExpression(alias, key, scope.kind);
  switch (key) {
    case 'id':
      return raw(idOf(alias));
    case 'type':
    case 'relType':
      return raw(`(SELECT text||'' FROM name_table WHERE id=${alias}.${key})`);
    default:
      return raw(`(SELECT ${idOf('e')} FROM node e WHERE e.pk=${alias}.${key === 'sourceId' ? 'source' : 'target'})`);
  }
}

/** Splits values by how they can be listed: blobs (Booleans) cannot be in a JSON list. */
function membership(expression: Sql, values: readonly ScalarValue[]): Sql {
  const plain: (string | number | bigint)[] = [];
  const terms: Sql[] = [];
  for (const item of values) {
    const bound = sqlValue(item);
    if (typeof bound === 'object') {
      // NaN equals nothing, itself included.
      if (bound !== null && bound !== MISSING) terms.push(sql`${expression}=${bound}`);
    } else plain.push(bound);
  }
  if (plain.length > 0) terms.push(sql`${expression} IN (${list(plain)})`);
  return combine(terms, 'OR');
}

/** Conditions on a comparable value, used on the column of the property index and on the JSON of a row alike. */
export function comparison(expression: Sql, predicate: Predicate): Sql | undefined {
  switch (predicate.op) {
    case 'equals': {
      const bound = sqlValue(predicate.value);
      const missing = sql`${expression}=${MISSING}`;
      if (bound === MISSING) return predicate.orNull === true ? missing : FALSE_SQL;
      return predicate.orNull === true ? sql`${expression} IN (${bound},${MISSING})` : sql`${expression}=${bound}`;
    }
    case 'in':
      return membership(expression, predicate.values);
    case 'isNull':
      return sql`${expression}=${MISSING}`;
    case 'startsWith': {
      if (predicate.ignoreCase === true) return undefined;
      return sql`(${expression}>=${predicate.value} AND ${expression}<${afterPrefix(predicate.value) ?? ABOVE_TEXT})`;
    }
    case 'range':
      return range(expression, predicate);
    default:
      return undefined;
  }
}

/** Bounds hold among values of their own kind only. */
function range(expression: Sql, predicate: Extract<Predicate, { op: 'range' }>): Sql {
  const { from, to } = predicate;
  const bound = from ?? to;
  if (bound === undefined) return sql`${expression}<>${MISSING}`;
  if (from !== undefined && to !== undefined && kindOf(from) !== kindOf(to)) return FALSE_SQL;
  if (Number.isNaN(from) || Number.isNaN(to)) return FALSE_SQL;
  const terms: Sql[] = [];
  if (from !== undefined) {
    terms.push(sql`${expression}${raw(predicate.fromExclusive === true ? '>' : '>=')}${sqlValue(from)}`);
  } else if (kindOf(bound) === 'text') terms.push(sql`${expression}>=${''}`);
  else if (kindOf(bound) === 'boolean') terms.push(sql`${expression}>=${FALSE}`);
  if (to !== undefined) {
    terms.push(sql`${expression}${raw(predicate.toExclusive === true ? '<' : '<=')}${sqlValue(to)}`);
  } else if (kindOf(bound) === 'text') terms.push(sql`${expression}<${ABOVE_TEXT}`);
  else if (kindOf(bound) === 'boolean') terms.push(sql`${expression}<=${TRUE}`);
  else terms.push(sql`${expression}<${''}`);
  return combine(terms, 'AND');
}

function kindOf(bound: ScalarValue): 'text' | 'boolean' | 'number' {
  return typeof bound === 'string' ? 'text' : typeof bound === 'boolean' ? 'boolean' : 'number';
}

/** A condition on the row of `scope`. */
export function condition(scope: Scope, predicate: Predicate): Sql {
  if (scope.depth > 40) throw new GraphError('invalid_query', 'The query is nested too deeply.');
  switch (predicate.op) {
    case 'and':
    case 'or':
      return combine(
        predicate.terms.map((term) => condition(scope, term)),
        predicate.op === 'and' ? 'AND' : 'OR',
      );
    case 'not':
      return sql`(NOT ${condition(scope, predicate.term)})`;
    case 'relatedNone':
    case 'relatedSome':
    case 'relatedAll':
    case 'relatedExactly':
      return related(scope, predicate);
    case 'distance': {
      const lat = value(scope, predicate.latitudeKey);
      const lon = value(scope, predicate.longitudeKey);
      return sql`coalesce(svc_distance(${lat},${lon},${predicate.latitude},${predicate.longitude})<${predicate.kilometres},0)`;
    }
    case 'arrayEquals':
    case 'arrayContains':
      return isField(scope.kind, predicate.key) ? FALSE_SQL : array(scope, predicate);
    default:
      return onValue(scope, predicate);
  }
}

function onValue(
  scope: Scope,
  predicate: Extract<
    Predicate,
    { op: 'equals' | 'in' | 'isNull' | 'isEmpty' | 'contains' | 'startsWith' | 'endsWith' | 'range' }
  >,
): Sql {
  const { key } = predicate;
  if (isField(scope.kind, key)) {
    const direct = onField(scope, predicate);
    if (direct !== undefined) return direct;
  }
  const v = value(scope, key);
  const compared = comparison(v, predicate);
  if (compared !== undefined) return compared;
  switch (predicate.op) {
    case 'isEmpty':
      return isField(scope.kind, key)
        ? FALSE_SQL
        : sql`CASE ${v} WHEN ${MISSING} THEN 1 WHEN '' THEN 1 WHEN ${ARRAY} THEN json_array_length(${jsonOf(scope.alias, key)},${pathOf(scope, key)})=0 ELSE 0 END`;
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return hasPart(v, predicate);
    default:
      return FALSE_SQL;
  }
}

/** Equality of fields by what the tables store, so that their indexes serve it. */
function onField(scope: Scope, predicate: Predicate): Sql | undefined {
  let wanted: readonly ScalarValue[];
  let key: string;
  if (predicate.op === 'equals') [wanted, key] = [[predicate.value], predicate.key];
  else if (predicate.op === 'in') [wanted, key] = [predicate.values, predicate.key];
  else if (predicate.op === 'isNull') return FALSE_SQL;
  else return undefined;
  const texts = wanted.filter((item) => typeof item === 'string');
  if (texts.length === 0) return FALSE_SQL;
  const { alias } = scope;
  switch (key) {
    case 'id':
      return sql`${raw(alias)}.id IN (${idList(texts)})`;
    case 'type':
    case 'relType':
      return inTypes(`${alias}.${key}`, texts, scope.catalog);
    default:
      return sql`${raw(`${alias}.${key === 'sourceId' ? 'source' : 'target'}`)} IN (${keysOf(texts)})`;
  }
}

/** Where in its JSON a property of the row is. */
function pathOf({ kind, alias }: Scope, key: string): Sql {
  return kind === 'nodes' ? pathIn(alias, key) : sql`${jsonPath(key)}`;
}

function array(scope: Scope, predicate: Extract<Predicate, { op: 'arrayEquals' | 'arrayContains' }>): Sql {
  const props = jsonOf(scope.alias, predicate.key);
  const at = pathOf(scope, predicate.key);
  const isArray = sql`coalesce(json_type(${props},${at}),'')='array'`;
  if (predicate.op === 'arrayEquals')
    return sql`(${isArray} AND ${sameArray(sql`json_extract(${props},${at})`, predicate.values)})`;
  const each = `e${String(scope.depth)}`;
  const wanted = predicate.value;
  let test: Sql;
  if (predicate.partial === true) {
    test = sql`${raw(each)}.type='text' AND svc_contains_fold(${raw(each)}.atom,${fold(String(wanted))})`;
  } else if (typeof wanted === 'boolean') test = sql`${raw(each)}.type=${wanted ? 'true' : 'false'}`;
  else if (typeof wanted === 'string') test = sql`${raw(each)}.type='text' AND ${raw(each)}.atom=${wanted}`;
  else test = sql`${raw(each)}.type IN ('integer','real') AND ${raw(each)}.atom=${sqlValue(wanted)}`;
  return sql`(${isArray} AND EXISTS (SELECT 1 FROM json_each(${props},${at}) ${raw(each)} WHERE ${test}))`;
}

/** Arrays are compared by their JSON, in which 0 has two spellings, and NaN one that equals itself. */
function sameArray(stored: Sql, values: readonly ScalarValue[]): Sql {
  if (values.some(Number.isNaN)) return FALSE_SQL;
  const wanted = encodeArray(values);
  if (!values.includes(0) || !values.every((one) => typeof one === 'number' || typeof one === 'bigint'))
    return sql`${stored}=${wanted}`;
  // -0.05 becomes 05, which no other number does; texts keep their quotes.
  return sql`replace(${stored},'-0.0','0')=${wanted.replaceAll('-0.0', '0')}`;
}

function related(
  scope: Scope,
  predicate: Extract<Predicate, { op: 'relatedNone' | 'relatedSome' | 'relatedAll' | 'relatedExactly' }>,
): Sql {
  const { step } = predicate;
  const { catalog } = scope;
  const relType = catalog.idOf(step.relType);
  if (scope.kind !== 'nodes') throw new GraphError('invalid_query', 'Only nodes have related nodes.');
  const nothing = predicate.op === 'relatedNone' || ('ids' in predicate && predicate.ids.length === 0);
  if (relType === undefined) return nothing ? TRUE_SQL : FALSE_SQL;
  const { near, far } = ends(step);
  const r = `r${String(scope.depth)}`;
  const m = `n${String(scope.depth + 1)}`;
  const from = sql`rel ${raw(r)} WHERE ${raw(r)}.${raw(near)}=${raw(scope.alias)}.pk AND ${raw(r)}.relType=${relType} AND ${alive(raw(`${r}.pk`))} AND ${farFits(`${r}.${far}`, m, step, catalog)}`;
  switch (predicate.op) {
    case 'relatedNone':
      return sql`NOT EXISTS (SELECT 1 FROM ${from})`;
    case 'relatedSome': {
      const inner = condition({ kind: 'nodes', alias: m, depth: scope.depth + 1, catalog }, predicate.where);
      const fits = [...nodeFits(m, step, catalog), inner];
      return sql`EXISTS (SELECT 1 FROM rel ${raw(r)} CROSS JOIN node ${raw(m)} ON ${raw(m)}.pk=${raw(r)}.${raw(far)} WHERE ${raw(r)}.${raw(near)}=${raw(scope.alias)}.pk AND ${raw(r)}.relType=${relType} AND ${alive(raw(`${r}.pk`))} AND ${join(fits, ' AND ')})`;
    }
    default: {
      const ids = [...new Set(predicate.ids)];
      const all = ids.map((id) => {
        return sql`${raw(scope.alias)}.pk IN (${linkedTo(step, relType, id, catalog)})`;
      });
      if (predicate.op === 'relatedAll') return combine(all, 'AND');
      const count = sql`(SELECT count(DISTINCT ${raw(r)}.${raw(far)}) FROM ${from})=${ids.length}`;
      return combine([...all, count], 'AND');
    }
  }
}

/** Keys of the nodes from which `step` leads to the node with this id. */
export function linkedTo(step: Step, relType: number, id: string, catalog: Catalog): Sql {
  const { near, far } = ends(step);
  const fits = join([sql`t.id=${storedId(id)}`, ...nodeFits('t', step, catalog)], ' AND ');
  return sql`SELECT ${raw(near)} FROM rel WHERE relType=${relType} AND ${raw(far)} IN (SELECT t.pk FROM node t WHERE ${fits}) AND ${alive(raw('pk'))}`;
}
