/** From a request's parameters to a query: filters, sort keys, page (docs/interface/lists.md 1). */
import type { Predicate, ReadTransaction, SortKey } from '../../graph/index.js';
import type { Exchange } from '../../http/index.js';
import type { Asker } from '../../request/index.js';
import { propertyOf } from './property-name.js';
import {
  isComparable,
  searchedAs,
  type Actor,
  type Schema,
  type Type,
  type ValueProperty,
} from '../../schema/index.js';
import { arrayLimit } from '../answer/envelope.js';
import type { RestRequest, RestServices, RestSettings } from '../context.js';
import { RestError } from '../errors.js';
import { distanceFilter } from './distance.js';
import { parseFilters } from './filters.js';
import type { Parameters, ReservedName } from '../request/parameters.js';

/** Page asked for; absent without `_pageSize`. */
export interface Page {
  readonly page: number;
  readonly size: number;
}

export function pageOf(parameters: Parameters): Page | undefined {
  if (!parameters.has('pageSize')) return undefined;
  const size = parameters.integer('pageSize', -1);
  // A size that is no number means no paging at all (docs/interface/rest.md 2.3).
  if (size === -1 && parameters.text('pageSize')?.trim() !== '-1') return undefined;
  return { page: parameters.integer('page', 1), size };
}

/**
 * `_sort` and `_order` by position; keys the type does not have, dotted ones and relations have no effect. Without `_sort` the order that
 * the type of the listed objects has by default.
 */
export function sortKeys(
  { parameters, actor }: Pick<RestRequest, 'parameters' | 'actor'>,
  type: Type,
  listed: Type | undefined = type,
): SortKey[] {
  if (!parameters.has('sort')) return listed?.defaultSort === undefined ? [] : [listed.defaultSort];
  const orders = parameters.all('order');
  const keys: SortKey[] = [];
  for (const [i, name] of parameters.all('sort').entries()) {
    const property = sortProperty(type, name, actor);
    if (property !== undefined) keys.push({ key: property.key, ...(orders[i] === 'desc' ? { descending: true } : {}) });
  }
  return keys;
}

/** The property a sort key names; undefined: it has no effect. Throws `RestError` 400 for what must not be compared. */
export function sortProperty(type: Type, name: string, actor: Actor): ValueProperty | undefined {
  const property = searchedAs(propertyOf(type, name));
  if (property?.kind !== 'value') return undefined;
  if (!isComparable(property, actor))
    throw new RestError(400, `Property ‛${property.name}‛ cannot be used as a sort key: its values are kept secret.`, [
      { type: type.name, property: property.name, token: 'invalid_sort_key' },
    ]);
  return property;
}

/** What is needed of a request to find and write objects. */
export interface Asking extends Asker {
  readonly exchange: Pick<Exchange, 'header'>;
  readonly services: Pick<RestServices, 'geocoder'>;
  readonly settings: RestSettings;
  readonly schema: Schema;
  readonly parameters: Parameters;
  readonly view: string;
}

/** Parameters of a list that is searched for words (docs/interface/lists.md 1.9). */
export const SEARCH_PARAMETERS: readonly ReservedName[] = ['search', 'searchIn', 'snippets'];

/** Throws `RestError` 400 where nothing is searched for words. */
export function refuseSearch(parameters: Parameters): void {
  const name = SEARCH_PARAMETERS.find((one) => parameters.has(one));
  if (name !== undefined)
    throw new RestError(400, `${parameters.nameOf(name)} is for reading the list of a type: /<Type>?_search=words.`);
}

/** All conditions of a request whose search keys are those of `type`. `strict`: see `FilterContext`. Throws `RestError` 400. */
export function conditions(
  request: Asking,
  tx: ReadTransaction,
  type: Type,
  strict = false,
): Promise<Predicate | undefined> {
  refuseSearch(request.parameters);
  return filterConditions(request, tx, type, strict);
}

/** The same beside words that are searched for. */
export async function filterConditions(
  request: Asking,
  tx: ReadTransaction,
  type: Type,
  strict = false,
): Promise<Predicate | undefined> {
  const { parameters } = request;
  const filters = await parseFilters(parameters.filters, {
    tx,
    schema: request.schema,
    type,
    access: request.access,
    actor: request.actor,
    inexact: parameters.inexact,
    strict,
  });
  const distance = await distanceFilter(parameters, request.services.geocoder, strict);
  if (filters === undefined || distance === undefined) return filters ?? distance;
  return { op: 'and', terms: [filters, distance] };
}

/** Offset and limit of a page, with the array limit; `limit` 0 for pages that are empty by definition. */
export function window(
  request: Pick<RestRequest, 'parameters' | 'settings'>,
  page: Page | undefined,
): { offset: number; limit: number | undefined } {
  const most = arrayLimit(request);
  if (page === undefined) return { offset: 0, limit: Number.isFinite(most) ? most : undefined };
  if (page.size <= 0 || page.page === 0) return { offset: 0, limit: 0 };
  // Negative pages count as the first one.
  const number = Math.max(1, page.page);
  const offset = (number - 1) * page.size;
  return { offset: Math.min(offset, Number.MAX_SAFE_INTEGER), limit: Math.min(page.size, most) };
}
