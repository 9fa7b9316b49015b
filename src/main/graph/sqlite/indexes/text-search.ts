/**
 * Looking something up in the parts of a full-text index, one after the other: a statement of FTS5 cannot be interrupted, so
 * whoever runs this can stop, or do something else, only between two of them.
 */
import { GraphError } from '../../errors.js';
import type { TextQuery } from '../../text/text-query.js';
import type { Row } from '../connection/connection.js';
import { tableOfKind } from '../connection/parts.js';
import { idOf } from '../connection/records.js';
import { cutTo, list, raw, type Sql, sql } from '../connection/sql.js';
import { tableOf } from './text-parts.js';
import { edits, fits } from '../../text/text-words.js';

/** Words of one part that all patterns of a query, and words of which letters may differ, stand for: each costs time at each match. */
const MAX_FITTING = 256;
/** Letters of a word of an index that is compared with patterns. */
const LONGEST_WORD = 200;
/** Words of an index that are read together, and ids of what was found. */
const WORDS_AT_ONCE = 250;
const IDS_AT_ONCE = 500;
/** What FTS5 takes a word for that is in more than half of the texts. */
const LEAST_WEIGHT = 1e-6;

export interface TextSearch {
  /** Number of the index. */
  readonly index: number;
  readonly kind: 'nodes' | 'relationships';
  /** Numbers of the types that are asked for. */
  readonly types: readonly number[];
  readonly query: TextQuery;
  readonly offset: number;
  readonly limit: number;
}

/** Where the statements are run. */
export interface TextSource {
  all(sql: string, params: Sql['params']): Row[];
}

type Leaf = Exclude<TextQuery, { op: 'all' }>;
type Open = Extract<Leaf, { op: 'pattern' | 'like' }>;
/** Words and patterns by what they say: those that are there twice are looked for once. */
type Leaves = ReadonlyMap<string, Leaf>;
/** What is asked of FTS5 for each; undefined: nothing in this part fits. */
type Asked = ReadonlyMap<string, string | undefined>;

interface Part {
  readonly table: string;
  readonly entities: number;
  readonly asked: Asked;
  /** Texts that fit, by leaf; not known where there is one part only. */
  readonly hits: ReadonlyMap<string, number> | undefined;
}

/** Rows of id and score, best first. Stops between statements. Throws `GraphError` `invalid_query`. */
export function* searchParts(source: TextSource, search: TextSearch): Generator<undefined, Row[]> {
  const rows = source.all('SELECT id, entities FROM text_part WHERE owner = ? AND entities > 0 ORDER BY id', [
    search.index,
  ]);
  const all = leavesOf(search.query, true);
  const wanted = leavesOf(search.query);
  const parts: Part[] = [];
  for (const [id, entities] of rows) {
    const table = tableOf(Number(id));
    const asked = yield* askedOf(source, table, all);
    const hits = rows.length === 1 ? undefined : yield* hitsOf(source, table, wanted, asked);
    parts.push({ table, entities: Number(entities), asked, hits });
  }
  const weight = weightsOf(parts);
  const most = search.offset + search.limit;
  let best: [pk: number, score: number][] = [];
  for (const part of parts) {
    const match = part.hits?.size === 0 ? undefined : matchOf(search.query, part.asked);
    if (match === undefined) continue;
    const { text, params } = bestOf(part.table, match, search, most);
    const factor = weight(part);
    const found = source
      .all(text, params)
      .map(([pk, score]) => [Number(pk), Number(score) * factor] as (typeof best)[0]);
    best = best.length === 0 ? found : best.concat(found).sort(([a, x], [b, y]) => y - x || a - b);
    best.length = Math.min(best.length, most);
    yield;
  }
  return yield* withIds(source, search.kind, best.slice(search.offset));
}

function bestOf(table: string, match: string, { kind, types }: TextSearch, most: number): Sql {
  const entity = raw(tableOfKind(kind));
  const t = raw(table);
  return sql`SELECT e.pk,-bm25(${t}) AS score FROM ${t} CROSS JOIN ${entity} e ON e.pk=${t}.rowid WHERE ${t} MATCH ${match} AND e.type IN (${list(types)}) ORDER BY score DESC,e.pk${cutTo(most)}`;
}

function* withIds(
  source: TextSource,
  kind: TextSearch['kind'],
  found: readonly (readonly [pk: number, score: number])[],
): Generator<undefined, Row[]> {
  const ids = new Map<number, string>();
  for (let from = 0; from < found.length; from += IDS_AT_ONCE) {
    const keys = list(found.slice(from, from + IDS_AT_ONCE).map(([pk]) => pk));
    const { text, params } =
      sql`SELECT e.pk,${raw(idOf('e'))} FROM ${raw(tableOfKind(kind))} e WHERE e.pk IN (${keys})`;
    for (const [pk, id] of source.all(text, params)) ids.set(Number(pk), String(id));
    yield;
  }
  return found.map(([pk, score]) => [ids.get(pk) ?? '', score]);
}

/** All words, phrases and patterns of a query; those that must not be there only when asked for. */
export function leavesOf(query: TextQuery, evenNot = false): Leaves {
  if (query.op !== 'all') return new Map([[nameOf(query), query]]);
  const within = [...query.must, ...query.may, ...(evenNot ? query.not : [])];
  return new Map(within.flatMap((one) => [...leavesOf(one, evenNot)]));
}

function nameOf(leaf: Leaf): string {
  return JSON.stringify(leaf);
}

function* askedOf(source: TextSource, table: string, leaves: Leaves): Generator<undefined, Asked> {
  const asked = new Map<string, string | undefined>();
  const open: [name: string, leaf: Open][] = [];
  for (const [name, leaf] of leaves) {
    if (leaf.op === 'words') asked.set(name, quoted(leaf.text));
    else if (leaf.op === 'prefix') asked.set(name, `${quoted(leaf.word)} *`);
    else open.push([name, leaf]);
  }
  if (open.length === 0) return asked;
  const words = yield* wordsOf(
    source,
    table,
    open.map(([, leaf]) => leaf),
  );
  for (const [i, [name]] of open.entries()) asked.set(name, any((words[i] ?? []).map(quoted)));
  return asked;
}

/** The words of a part that fit each: all are looked through once, a few at a time. */
function* wordsOf(
  source: TextSource,
  table: string,
  open: readonly Open[],
): Generator<undefined, readonly (readonly string[])[]> {
  const found = open.map((): string[] => []);
  const tests = open.map(testOf);
  const prefixes = open.map(prefixOf).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  let from = prefixes[0] ?? '';
  const to = `${prefixes[prefixes.length - 1] ?? ''}\u{10FFFF}`;
  const some = `SELECT term FROM ${table}_words WHERE term >= ? AND term <= ? LIMIT ${String(WORDS_AT_ONCE)}`;
  let count = 0;
  for (;;) {
    const words = source.all(some, [from, to]).map(([word]) => String(word));
    for (const word of words) {
      const letters = [...word];
      if (letters.length > LONGEST_WORD) continue;
      for (const [i, test] of tests.entries()) {
        if (!test(letters)) continue;
        found[i]?.push(word);
        if (++count > MAX_FITTING) throw tooMany();
      }
    }
    yield;
    if (words.length < WORDS_AT_ONCE) return found;
    from = `${words[words.length - 1] ?? ''}\0`;
  }
}

function tooMany(): GraphError {
  return new GraphError('invalid_query', 'What is looked for stands for too many words: write more letters.');
}

function testOf(leaf: Open): (word: readonly string[]) => boolean {
  if (leaf.op === 'pattern') {
    const pattern = [...leaf.text];
    return (word) => fits(word, pattern);
  }
  const wanted = [...leaf.word];
  return (word) => edits(word, wanted, leaf.edits) <= leaf.edits;
}

/** With which all words begin that fit. */
function prefixOf(leaf: Open): string {
  return leaf.op === 'pattern' ? (/^[^*?]*/u.exec(leaf.text)?.[0] ?? '') : '';
}

/** Empty: no leaf has any. */
function* hitsOf(
  source: TextSource,
  table: string,
  leaves: Leaves,
  asked: Asked,
): Generator<undefined, ReadonlyMap<string, number>> {
  const hits = new Map<string, number>();
  for (const name of leaves.keys()) {
    const match = asked.get(name);
    if (match === undefined) continue;
    const count = Number(source.all(`SELECT count(*) FROM ${table} WHERE ${table} MATCH ?`, [match])[0]?.[0]);
    if (count > 0) hits.set(name, count);
    yield;
  }
  return hits;
}

/**
 * By what the scores of a part are multiplied, so that those of all can be compared: FTS5 weighs words by how rare they are in
 * the part, which says little where it holds few texts. About right where several words are looked for.
 */
function weightsOf(parts: readonly Part[]): (part: Part) => number {
  const all = new Map<string, number>();
  let entities = 0;
  for (const part of parts) {
    entities += part.entities;
    for (const [name, hits] of part.hits ?? []) all.set(name, (all.get(name) ?? 0) + hits);
  }
  const rareness = (n: number, hits: number): number =>
    Math.max(LEAST_WEIGHT, Math.log((n - hits + 0.5) / (hits + 0.5)));
  return ({ hits, entities: own }) => {
    if (hits === undefined) return 1;
    let [wanted, given] = [0, 0];
    for (const [name, count] of hits) {
      wanted += rareness(entities, all.get(name) ?? count);
      given += rareness(own, count);
    }
    return wanted / given;
  };
}

/** As FTS5 understands it; undefined: nothing fits. */
function matchOf(query: TextQuery, asked: Asked, outermost = true): string | undefined {
  if (query.op !== 'all') return asked.get(nameOf(query));
  const must: string[] = [];
  for (const one of query.must) {
    const text = matchOf(one, asked, false);
    if (text === undefined) return undefined;
    must.push(text);
  }
  const fitting = (queries: readonly TextQuery[]): string[] => [
    ...new Set(queries.flatMap((one) => matchOf(one, asked, false) ?? [])),
  ];
  // Beside what must be there it only makes a match better, and costs what must be there once more: each level would double it.
  const may = must.length === 0 || outermost ? fitting(query.may) : [];
  const wanted = together(must, may);
  const not = wanted === undefined ? [] : fitting(query.not);
  return wanted === undefined || not.length === 0 ? wanted : `(${wanted} NOT (${not.join(' OR ')}))`;
}

/** What must be there, and what makes it a better match. */
function together(must: readonly string[], may: readonly string[]): string | undefined {
  if (must.length === 0) return any(may);
  const all = `(${[...new Set(must)].join(' AND ')})`;
  return may.length === 0 ? all : `(${all} OR (${all} AND (${may.join(' OR ')})))`;
}

function any(parts: readonly string[]): string | undefined {
  return parts.length === 0 ? undefined : `(${parts.join(' OR ')})`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
