/** `_search`: objects of a type whose texts fit, best first, with pieces of these texts (docs/interface/lists.md 1.9). */
import {
  GraphError,
  parseTextQuery,
  type GraphEntity,
  type Predicate,
  type Query,
  type ReadTransaction,
  type TextQuery,
} from '../../graph/index.js';
import {
  isComparable,
  onlyReadable,
  Renderer,
  storedValue,
  textIndexFor,
  typeQuery,
  type Type,
  type ValueProperty,
} from '../../schema/index.js';
import { Envelope, NobodyThere, renderOptions } from '../answer/envelope.js';
import type { RestRequest } from '../context.js';
import { RestError } from '../errors.js';
import { filterConditions, pageOf, SEARCH_PARAMETERS, sortKeys, window } from '../query/query.js';
import { explain, explains } from '../read.js';
import { toPresent } from '../resources/objects/present-ends.js';
import { Snippets } from './snippets.js';

/** Matches of an index that are looked at: of who may read little, what is among the best of all. */
const LOOKED_AT = 10_000;
/** Matches that are read together: fewer of those with long texts. */
const AT_ONCE = 20;
const MOST_AT_ONCE = 100;
const SHORT = 1_000_000;
const LONG = 4_000_000;
/** Pieces of each text, and most that may be asked for. */
const USUAL_SNIPPETS = 2;
const MOST_SNIPPETS = 20;

/** A property that is searched, and the name of its full-text index. */
interface Searched {
  readonly property: ValueProperty;
  readonly index: string;
}

/** What a request looks for. */
interface Search {
  readonly query: TextQuery | undefined;
  readonly properties: readonly Searched[];
  readonly snippets: number;
}

interface Match {
  readonly id: string;
  readonly score: number;
}

/** Whether a list is to be searched. Throws `RestError` 400 for what has no meaning without `_search`. */
export function isSearch({ parameters }: RestRequest): boolean {
  if (parameters.has('search')) return true;
  const name = SEARCH_PARAMETERS.find((one) => parameters.has(one));
  if (name !== undefined) throw new RestError(400, `${parameters.nameOf(name)} needs ${parameters.nameOf('search')}.`);
  return false;
}

/** Throws `RestError` 400 for words that are looked for. */
function searchOf({ parameters, actor, schema }: RestRequest, type: Type): Search {
  for (const name of SEARCH_PARAMETERS) {
    if (parameters.all(name).length > 1)
      throw new RestError(400, `${parameters.nameOf(name)} is given more than once.`);
  }
  const text = parameters.text('search') ?? '';
  if (text.trim() === '') throw new RestError(400, `${parameters.nameOf('search')} needs words to look for.`);
  const all = [...type.properties.values()].flatMap((property): Searched[] => {
    if (property.kind !== 'value' || !isComparable(property, actor)) return [];
    const index = textIndexFor(schema, property);
    return index === undefined ? [] : [{ property, index: index.name }];
  });
  const wanted = parameters
    .text('searchIn')
    ?.split(',')
    .map((name) => name.trim());
  const properties = wanted === undefined ? all : all.filter(({ property }) => wanted.includes(property.name));
  const unknown = wanted?.find((name) => !all.some(({ property }) => property.name === name));
  if (unknown !== undefined)
    throw new RestError(400, `Property ‛${unknown}‛ of ${type.name} has no full-text index.`, [
      { type: type.name, property: unknown, token: 'invalid_search_key' },
    ]);
  if (properties.length === 0) throw new RestError(400, `${type.name} has no property with a full-text index.`);
  const snippets = parameters.integer('snippets', parameters.has('snippets') ? NaN : USUAL_SNIPPETS);
  if (!(snippets >= 0 && snippets <= MOST_SNIPPETS))
    throw new RestError(400, `${parameters.nameOf('snippets')} must be from 0 to ${String(MOST_SNIPPETS)}.`);
  try {
    return { query: parseTextQuery(text), properties, snippets };
  } catch (error) {
    if (error instanceof GraphError) throw new RestError(400, error.message);
    throw error;
  }
}

/** Answers with a page of what was found. */
export async function sendSearch(request: RestRequest, tx: ReadTransaction, type: Type): Promise<void> {
  const search = searchOf(request, type);
  const where = await filterConditions(request, tx, type);
  const among = (ids: readonly string[], sorted = false): Query => {
    const terms: Predicate[] = [{ op: 'in', key: 'id', values: ids }];
    if (where !== undefined) terms.push(where);
    const sort = sorted ? sortKeys(request, type) : [];
    return onlyReadable(toPresent(request, typeQuery(type, { op: 'and', terms }, sort)), request.access);
  };
  const page = pageOf(request.parameters);
  const { offset, limit = LOOKED_AT } = window(request, page);
  const keys = search.properties.map(({ property }) => property.key);
  const foundIn = (some: readonly Match[]): Found => new Found(tx, some, keys, among);
  const matches = await matchesOf(tx, search, foundIn);
  const found = foundIn(matches);
  const envelope = new Envelope(request);
  const renderer = new Renderer(envelope.out, renderOptions(request, tx));
  const queryTime = performance.now() - request.startedAt;
  const texts = new Texts(request, search, found);
  const batches = request.parameters.has('sort') ? found.sorted(offset, limit) : found.ranked(offset, limit);
  const rendered = await renderer.list(texts.read(batches, tx), 1);
  const counting = performance.now();
  const count = matches.length === 0 ? { count: 0, exact: true } : await tx.count(among(matches.map(({ id }) => id)));
  envelope.key('matches', JSON.stringify(texts.matches));
  await envelope.end(rendered, queryTime, { count, countTime: performance.now() - counting }, page);
}

/** The best of all indexes: an object counts with its best text. */
async function matchesOf(
  tx: ReadTransaction,
  { query, properties }: Search,
  foundIn: (matches: readonly Match[]) => Found,
): Promise<Match[]> {
  if (query === undefined) return [];
  const best = new Map<string, number>();
  for (const { index } of properties) {
    const matches = await indexed(tx, index, query);
    // Scores of two indexes say nothing about each other, and those of what may not be read must not show in the order of the others.
    const most = properties.length === 1 ? matches[0]?.score : await foundIn(matches).bestScore();
    if (most === undefined) continue;
    for (const { id, score } of matches) best.set(id, Math.max(score / most, best.get(id) ?? 0));
  }
  const all = [...best].map(([id, score]) => ({ id, score }));
  return properties.length === 1 ? all : all.sort((a, b) => b.score - a.score).slice(0, LOOKED_AT);
}

async function indexed(tx: ReadTransaction, index: string, query: TextQuery): Promise<readonly Match[]> {
  try {
    return await tx.search(index, query, { offset: 0, limit: LOOKED_AT });
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    if (error.code === 'invalid_query') throw new RestError(400, error.message);
    // The schema has it, and the database not yet.
    if (error.code === 'not_found')
      throw new RestError(503, `The full-text index ${index} is being made.`, [], { 'Retry-After': '1' });
    throw error;
  }
}

/** What is looked through of an entity. */
function textIn(entity: GraphEntity, key: string): string | undefined {
  const stored = storedValue(entity, key);
  const text = Array.isArray(stored) ? stored.join('\n') : stored;
  return typeof text === 'string' ? text : undefined;
}

/** What may be read of the matches. What may not is never loaded. */
class Found {
  /** The best score of those that may be read; what others there are must not show. */
  #best: number | undefined;
  readonly #scores: ReadonlyMap<string, number>;

  constructor(
    private readonly tx: ReadTransaction,
    private readonly matches: readonly Match[],
    /** Of what is looked through. */
    private readonly keys: readonly string[],
    private readonly among: (ids: readonly string[], sorted?: boolean) => Query,
  ) {
    this.#scores = new Map(matches.map(({ id, score }) => [id, score]));
  }

  /** Beside the best one, in hundredths: as they come they tell how many texts have a word, those among them that may not be read. */
  scoreOf(id: string): number {
    const score = this.#scores.get(id) ?? 0;
    return Math.max(1, Math.round((100 * score) / (this.#best ?? score))) / 100;
  }

  /** The best score of those that may be read; undefined: there are none. */
  async bestScore(): Promise<number | undefined> {
    for await (const one of this.ranked(0, 1)) if (one.length > 0) break;
    return this.#best;
  }

  async *ranked(offset: number, limit: number): AsyncGenerator<readonly GraphEntity[]> {
    let [skip, left] = [offset, limit];
    for (let from = 0, size = AT_ONCE; from < this.matches.length && left > 0;) {
      const ids = this.matches.slice(from, from + size).map(({ id }) => id);
      from += ids.length;
      if (skip > 0 && this.#best !== undefined) {
        const { count } = await this.tx.count(this.among(ids));
        if (count <= skip) {
          skip -= count;
          continue;
        }
      }
      const byId = new Map((await this.tx.find(this.among(ids))).map((one) => [one.id, one]));
      const readable = ids.flatMap((id) => byId.get(id) ?? []);
      size = this.#sizeAfter(size, readable);
      const [first] = readable;
      if (first !== undefined) this.#best ??= this.#scores.get(first.id);
      const some = readable.slice(skip, skip + left);
      skip = Math.max(0, skip - readable.length);
      left -= some.length;
      if (some.length > 0) yield some;
    }
  }

  #sizeAfter(size: number, entities: readonly GraphEntity[]): number {
    let length = 0;
    for (const entity of entities) for (const key of this.keys) length += textIn(entity, key)?.length ?? 0;
    if (length > LONG) return Math.max(1, Math.floor(size / 2));
    return length < SHORT ? Math.min(MOST_AT_ONCE, 2 * size) : size;
  }

  async *sorted(offset: number, limit: number): AsyncGenerator<readonly GraphEntity[]> {
    if (this.matches.length === 0 || limit === 0) return;
    await this.bestScore();
    const query = this.among(
      this.matches.map(({ id }) => id),
      true,
    );
    let left = limit;
    for await (const batch of this.tx.stream({ ...query, offset, limit })) {
      yield batch.slice(0, left);
      left -= batch.length;
    }
  }
}

/** What is told of each object beside it: its score, and pieces of the texts that its view may show. */
class Texts {
  readonly matches: { id: string; score: number; snippets: Record<string, string[]> }[] = [];
  readonly #snippets: Snippets | undefined;

  constructor(
    private readonly request: RestRequest,
    private readonly search: Search,
    private readonly found: Found,
  ) {
    this.#snippets = search.query === undefined || search.snippets === 0 ? undefined : new Snippets(search.query);
  }

  async *read(
    batches: AsyncIterable<readonly GraphEntity[]>,
    tx: ReadTransaction,
  ): AsyncGenerator<readonly GraphEntity[]> {
    for await (const batch of batches) {
      if (explains(this.request)) await explain(this.request, tx, batch);
      for (const entity of batch) {
        if (this.request.exchange.aborted) throw new NobodyThere();
        this.matches.push({
          id: entity.id,
          score: this.found.scoreOf(entity.id),
          snippets: await this.#of(entity),
        });
      }
      yield batch;
    }
  }

  async #of(entity: GraphEntity): Promise<Record<string, string[]>> {
    const snippets: Record<string, string[]> = {};
    if (this.#snippets === undefined) return snippets;
    const view = this.request.schema.typeOf(entity).views.get(this.request.view);
    for (const { property } of this.search.properties) {
      const { name, key, declaringTrait } = property;
      // Text of content is shown to who may read the content; it is in no view.
      const isContent = declaringTrait === 'File' && name === 'extractedContent';
      if (!isContent && view?.properties.some((shown) => shown.name === name) !== true) continue;
      const text = textIn(entity, key);
      if (text === undefined) continue;
      const pieces = await this.#snippets.of(text, this.search.snippets);
      if (pieces.length > 0) snippets[name] = pieces;
    }
    return snippets;
  }
}
