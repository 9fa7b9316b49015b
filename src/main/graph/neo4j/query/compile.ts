/**
 * Queries to Cypher. A node query is entered from the node it comes from, by id, by an index of the common label
 * (`type` and one key), by the order of creation of one type, or by label.
 */
import type { NodeQuery, Predicate, Query, RelationshipQuery, SortKey } from '../../query.js';
import { allowed, matchStep, pattern } from './access.js';
import { COMMON, labels, quoted, relationshipLabel, SEQUENCE } from '../connection/names.js';
import { condition, conjuncts, field, indexedValue, isList, type Scope, wholeValue } from './predicates.js';
import type { Reach } from './reach.js';
import { candidates, GATHERED, type Part, partAmong } from './parts.js';
import { SLOTTED, sortedByIndex } from './segments.js';
import { pageByEitherIndex } from './either-index.js';
import { pageOfHub } from './hub.js';
import { Parameters, type Statement } from '../connection/statement.js';
import type { Knowledge } from './knowledge.js';

/** A row of a node query is `[properties]`, of a relationship query `[properties, type, source id, target id]`. */
const RELATIONSHIP_ROW = 'properties(n), type(n), startNode(n).id, endNode(n).id';

/** A key with an index that serves one of the terms; `id` is the best. */
function entryKey(terms: readonly Predicate[], knowledge: Knowledge): string | undefined {
  let found: string | undefined;
  for (const term of terms) {
    if (!('key' in term)) continue;
    if (term.key === 'id' && (term.op === 'equals' || term.op === 'in')) return 'id';
    const served =
      (term.op === 'equals' && term.orNull !== true) ||
      term.op === 'in' ||
      term.op === 'startsWith' ||
      term.op === 'range';
    if (served && !('ignoreCase' in term && term.ignoreCase === true) && knowledge.indexed(term.key))
      found ??= term.key;
  }
  return found;
}

/** Conditions that restrict `n` to types by its property, which is part of the indexes. */
export function typeIn(types: readonly string[], params: Parameters): string {
  const wanted = [...new Set(types)];
  return wanted.length === 1 ? `n.type = ${params.bind(wanted[0])}` : `n.type IN ${params.bind(wanted)}`;
}

/** `MATCH ... WHERE ...` that binds each match to `n` once; undefined: nothing can match. `fromHub`: the node that all are linked to is there as `f`. */
export function matchNodes(
  query: NodeQuery,
  params: Parameters,
  knowledge: Knowledge,
  fromHub = false,
): string | undefined {
  const { types, from } = query;
  if (types?.length === 0) return undefined;
  const scope: Scope = { kind: 'nodes', alias: 'n', depth: 0, params };
  const terms = conjuncts(query.where);
  const conditions = (rest: readonly Predicate[]): string[] => [
    ...rest.map((term) => condition(scope, term)),
    ...allowed('n', query.access, params, types),
  ];
  const where = (all: readonly string[]): string => (all.length === 0 ? '' : ` WHERE ${all.join(' AND ')}`);
  const typed = types === undefined ? [] : [`n:${labels(types)}`];
  if (from !== undefined) {
    if (from.step.types?.length === 0) return undefined;
    const start = `(f:${COMMON} {id: ${params.bind(from.id)}})`;
    const walk = matchStep('f', from.step, 'n', params);
    return `${fromHub ? '' : `MATCH ${start} `}${walk} WITH DISTINCT n${where([...typed, ...conditions(terms)])}`;
  }
  const linked = terms.find(
    (term) => (term.op === 'relatedAll' || term.op === 'relatedExactly') && term.ids.length > 0,
  );
  if (linked?.op === 'relatedAll' || linked?.op === 'relatedExactly') {
    const { step, ids } = linked;
    if (step.types?.length === 0) return undefined;
    const fits = step.types === undefined ? [] : [`f:${labels(step.types)}`];
    fits.push(...allowed('f', step.access, params, step.types));
    const start = `MATCH (f:${COMMON} {id: ${params.bind(ids[0])}})${where(fits)}`;
    const walk = pattern('n', { relType: step.relType, direction: step.direction }, 'f');
    const rest = ids.length === 1 && linked.op === 'relatedAll' ? terms.filter((term) => term !== linked) : terms;
    return `${fromHub ? '' : `${start} `}MATCH ${walk} WITH DISTINCT n${where([...typed, ...conditions(rest)])}`;
  }
  const key = entryKey(terms, knowledge);
  if (key === 'id' || types === undefined) {
    return `MATCH (n:${COMMON})${where([...typed, ...conditions(terms)])}`;
  }
  const part = key === undefined ? partAmong(terms, knowledge) : undefined;
  if (part !== undefined) {
    return `${candidates(part, types, params)}${where([typeIn(types, params), ...conditions(terms)])}`;
  }
  if (key !== undefined) return `MATCH (n:${COMMON})${where([typeIn(types, params), ...conditions(terms)])}`;
  return `MATCH (n:${labels(types)})${where(conditions(terms))}`;
}

function matchRelationships(query: RelationshipQuery, params: Parameters, knowledge: Knowledge): string | undefined {
  const { types, sourceTypes, targetTypes, sourceId, targetId } = query;
  if (types?.length === 0 || sourceTypes?.length === 0 || targetTypes?.length === 0) return undefined;
  const scope: Scope = { kind: 'relationships', alias: 'n', depth: 0, params };
  const where: string[] = [];
  let kinds = '';
  if (types !== undefined) {
    const relTypes = knowledge.relTypes(types);
    if (relTypes?.length === 0) return undefined;
    if (relTypes !== undefined) kinds = ':' + relTypes.map(relationshipLabel).join('|');
    const all = relTypes?.every((one) => [...knowledge.sharing(one)].every((type) => types.includes(type)));
    if (all !== true) where.push(`n.type IN ${params.bind([...new Set(types)])}`);
  }
  const terms = conjuncts(query.where);
  const end = (
    name: string,
    ids: (string | undefined)[],
    types: readonly string[] | undefined,
    key: string,
  ): string => {
    if (types !== undefined) where.push(`${name}:${labels(types)}`);
    const known = ids.filter((id) => id !== undefined);
    for (const id of known) where.push(`${name}.id = ${params.bind(id)}`);
    const among = terms.find((one) => one.op === 'in' && one.key === key);
    if (among?.op === 'in') where.push(`${name}.id IN ${params.bind(among.values.map(String))}`);
    const access = allowed(name, query.access, params, types);
    where.push(...access);
    if (among !== undefined) return `(${name}:${COMMON})`;
    return known.length === 0 && types === undefined && access.length === 0
      ? '()'
      : known.length === 0
        ? `(${name})`
        : `(${name}:${COMMON})`;
  };
  const fixed = (key: string): string | undefined => {
    const term = terms.find((one) => one.op === 'equals' && one.key === key && typeof one.value === 'string');
    return term?.op === 'equals' ? String(term.value) : undefined;
  };
  const source = end('a', [sourceId, fixed('sourceId')], sourceTypes, 'sourceId');
  const target = end('b', [targetId, fixed('targetId')], targetTypes, 'targetId');
  for (const term of terms) where.push(condition(scope, term));
  return `MATCH ${source}-[n${kinds}]->${target}${where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`}`;
}

/** Numbers before texts before Booleans before arrays before what is missing. */
function rank(whole: string, plain: string, params: Parameters): string {
  const number = `${plain} >= ${params.bind(-Infinity)}`;
  return `CASE WHEN ${plain} IS NULL THEN 4 WHEN ${number} THEN 0 WHEN ${plain} >= '' THEN 1 WHEN ${isList(whole)} THEN 3 ELSE 2 END`;
}

/** Terms of ORDER BY. Ties follow the last key's direction, in the order of creation. */
function order(scope: Scope, sort: readonly SortKey[]): string {
  const terms: string[] = [];
  for (const { key, descending } of sort) {
    const direction = descending === true ? ' DESC' : '';
    const whole = wholeValue(scope, key);
    if (field(scope, key) !== undefined) terms.push(whole + direction);
    else {
      const kind = rank(whole, indexedValue(scope, key), scope.params);
      terms.push(kind + direction, `CASE WHEN ${isList(whole)} THEN null ELSE ${whole} END${direction}`);
    }
  }
  const last = sort[sort.length - 1]?.descending === true ? ' DESC' : '';
  return [...terms, `n.${SEQUENCE}${last}`, `n.id${last}`].join(', ');
}

export interface RowsOptions {
  /** Only the ids of nodes. */
  readonly ids?: boolean;
  /** One row: the ids of all nodes of the page, and the properties of those from one on and before another. */
  readonly within?: { readonly from: number; readonly to: number } | undefined;
  readonly reach?: Reach | undefined;
}

/** The page of a query in order; undefined: it is empty whatever is stored. */
export function compileRows(
  query: Query,
  knowledge: Knowledge,
  { ids = false, within, reach }: RowsOptions = {},
): Statement | undefined {
  const params = new Parameters(reach);
  const { offset = 0, limit, sort = [] } = query;
  if (limit === 0) return undefined;
  const nodes = query.kind === 'nodes';
  const row = ids ? 'n.id' : nodes ? 'properties(n)' : RELATIONSHIP_ROW;
  const page =
    // All pages have one statement, the first one, too: it is planned once.
    (offset > 0 || limit !== undefined ? ` SKIP ${params.bind(BigInt(offset))}` : '') +
    (limit === undefined ? '' : ` LIMIT ${params.bind(BigInt(limit))}`);
  const cut =
    within === undefined
      ? `RETURN ${row}`
      : windowEnd(params.bind(BigInt(within.from)), params.bind(BigInt(within.to)));
  const end = within === undefined ? `${cut}${page}` : `WITH n${page} ${cut}`;
  const by = (): string => order({ kind: query.kind, alias: 'n', depth: 0, params }, sort);
  const terms = conjuncts(query.where);
  if (nodes) {
    const gathered = (fromHub = false): string | undefined => {
      const match = matchNodes(query, params, knowledge, fromHub);
      return match === undefined ? undefined : `${match} WITH n ORDER BY ${by()}`;
    };
    const entry = entryKey(terms, knowledge);
    const { access: _access, ...all } = query;
    const matching = (where: Predicate): string | undefined => matchNodes({ ...all, where }, params, knowledge);
    const found =
      pageOfHub(query, params, knowledge, entry, gathered) ??
      pageByEitherIndex(query, params, knowledge, entry, { gathered, matching });
    if (found !== undefined) return { text: `${SLOTTED} ${found} ${end}`, params: params.values };
  }
  const walk = nodes ? sortedByIndex(query, params, knowledge, entryKey(terms, knowledge)) : undefined;
  if (walk !== undefined) {
    const part = nodes ? partAmong(terms, knowledge) : undefined;
    const few = part === undefined || !nodes ? undefined : fewWithPart(query, part, params);
    if (few === undefined) return { text: `${SLOTTED} ${walk} ${end}`, params: params.values };
    const text =
      `${SLOTTED} ${few.gathered} CALL { ${few.chosen} WITH n ORDER BY ${by()}${page} RETURN n ` +
      `UNION ALL ${few.otherwise} ${walk} RETURN n${page} } ${cut}`;
    return { text, params: params.values };
  }
  const match = nodes ? matchNodes(query, params, knowledge) : matchRelationships(query, params, knowledge);
  if (match === undefined) return undefined;
  // The page is cut before rows are made: the properties of what is left out are never read.
  return { text: `${match} WITH n ORDER BY ${by()}${page} ${cut}`, params: params.values };
}

/** `RETURN` of one row: what `within` asks for. */
function windowEnd(from: string, to: string): string {
  return `WITH collect(n) AS found RETURN [n IN found | n.id], [n IN found[${from}..${to}] | properties(n)]`;
}

/** Beginnings of the two ways to a page of texts with a part: of the few that have it, or by walking where there are many. */
function fewWithPart(
  query: NodeQuery,
  part: Part,
  params: Parameters,
): { gathered: string; chosen: string; otherwise: string } {
  const { types = [], access } = query;
  const scope: Scope = { kind: 'nodes', alias: 'n', depth: 0, params };
  const most = params.bind(BigInt(GATHERED));
  const where = [
    typeIn(types, params),
    ...conjuncts(query.where).map((term) => condition(scope, term)),
    ...allowed('n', access, params, types),
  ];
  const limit = ` LIMIT ${params.bind(BigInt(GATHERED + 1))}`;
  return {
    gathered: `${candidates(part, types, params, limit)} WITH collect(n) AS found`,
    chosen: `WITH found WITH found WHERE size(found) <= ${most} UNWIND found AS n WITH n WHERE ${where.join(' AND ')}`,
    otherwise: `WITH found WITH found WHERE size(found) > ${most}`,
  };
}

/** `free`: Neo4j knows the number without looking at anything. */
export type CountStatement = Statement & { readonly free: boolean };

/** One number: matches, counted up to `most`; undefined: there are none. */
export function compileCount(
  query: Query,
  knowledge: Knowledge,
  most: number,
  reach?: Reach,
): CountStatement | undefined {
  const params = new Parameters(reach);
  const match =
    query.kind === 'nodes' ? matchNodes(query, params, knowledge) : matchRelationships(query, params, knowledge);
  if (match === undefined) return undefined;
  // Without conditions Neo4j knows the number of a label's nodes or a type's relationships, a limit would make it count.
  const free = !match.includes(' WHERE ') && !match.includes('|') && !match.includes('WITH DISTINCT');
  const until = free || !Number.isFinite(most) ? '' : ` WITH n LIMIT ${params.bind(BigInt(most) + 1n)}`;
  return { text: `${match}${until} RETURN count(${free || until === '' ? '*' : 'n'})`, params: params.values, free };
}

/** A quoted property of the schema's, for statements written by hand. */
export function property(alias: string, name: string): string {
  return `${alias}.${quoted(name)}`;
}
