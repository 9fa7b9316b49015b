/**
 * What narrows a request that deletes. A GET passes over what it cannot use; a DELETE that did so would reach more than was
 * meant. So it is refused, before anything is deleted.
 */
import type { Property, Type } from '../../schema/index.js';
import { readRequestBody, SMALL_BODY } from '../request/body.js';
import type { RestRequest } from '../context.js';
import { RestError } from '../errors.js';
import type { ReservedName } from '../request/parameters.js';
import { SEARCH_PARAMETERS, sortProperty } from './query.js';

/** Parameters of which several mean something. */
const REPEATABLE: ReadonlySet<ReservedName> = new Set(['sort', 'order']);
const WINDOW: readonly ReservedName[] = ['page', 'pageSize', 'sort', 'order'];
const NARROWING: readonly ReservedName[] = [
  ...WINDOW,
  'inexact',
  'loose',
  'latlon',
  'distance',
  'location',
  'street',
  'house',
  'postalCode',
  'city',
  'state',
  'country',
  ...SEARCH_PARAMETERS,
];

/**
 * Whether the request says which page of what it finds it means. Throws `RestError` 400 for what a deletion of objects of
 * `type` cannot use; filters and distances are `conditions`' part.
 */
export async function isWindowed(request: RestRequest, type: Type): Promise<boolean> {
  const { parameters } = request;
  refuseView(request);
  await refuseBody(request);
  for (const name of NARROWING) {
    if (!REPEATABLE.has(name) && parameters.all(name).length > 1)
      throw new RestError(400, `${parameters.nameOf(name)} is given more than once.`);
  }
  const page = wholeNumber(request, 'page');
  if (page !== undefined && page < 0) throw new RestError(400, `${parameters.nameOf('page')} must not be negative.`);
  if (page !== undefined && !parameters.has('pageSize'))
    throw new RestError(400, `${parameters.nameOf('page')} needs ${parameters.nameOf('pageSize')}.`);
  wholeNumber(request, 'pageSize');
  for (const name of ['inexact', 'loose'] as const) {
    const text = parameters.text(name);
    if (text !== undefined && !/^(?:true|false|1|0)$/i.test(text))
      throw new RestError(400, `${parameters.nameOf(name)} must be true or false.`);
  }
  const keys = parameters.all('sort');
  for (const key of keys) {
    if (sortProperty(type, key, request.actor) === undefined)
      throw new RestError(400, `${parameters.nameOf('sort')} names ${key}, by which ${type.name} cannot be sorted.`);
  }
  const orders = parameters.all('order');
  if (orders.length > keys.length || orders.some((order) => order !== 'asc' && order !== 'desc'))
    throw new RestError(400, `${parameters.nameOf('order')} must be asc or desc, once for each key to sort by.`);
  return parameters.has('pageSize');
}

/** Throws `RestError` 400 when a request that names what it deletes says more about it: it would have no effect. */
export function refuseNarrowing(request: RestRequest): void {
  refuseView(request);
  refuseFilters(request);
}

/** Throws `RestError` 400 for filters and windows of a request that has its own way to say what it changes. */
export function refuseFilters(request: RestRequest): void {
  const { parameters } = request;
  const [filter] = parameters.filters;
  const reserved = NARROWING.find((name) => parameters.has(name));
  const name = filter?.[0] ?? (reserved === undefined ? undefined : parameters.nameOf(reserved));
  if (name !== undefined) throw new RestError(400, `${name} has no effect on ${request.path}: nothing was changed.`);
}

/**
 * Throws `RestError` 400 for a path that goes on behind the list it names. A GET passes over that (docs/interface/rest.md 1.2); here one of the
 * list may have been meant.
 */
export function refusePathBeyond(segments: readonly string[], used: number): void {
  if (segments.length <= used) return;
  const [beyond, list] = [segments.slice(used).join('/'), segments.slice(0, used).join('/')];
  throw new RestError(
    400,
    `${beyond} has no meaning behind /${list}: nothing was changed. Objects are named by /<type>/<id>.`,
  );
}

/** A segment taken for a view may have been meant as a property: its objects, not the ones before it. */
function refuseView({ viewInPath, view }: RestRequest): void {
  if (viewInPath) throw new RestError(400, `A DELETE shows nothing, so that ${view} in its path has no meaning.`);
}

/** A condition or a list of ids in the body would have no effect. */
async function refuseBody({ exchange, settings }: RestRequest): Promise<void> {
  const { objects } = await readRequestBody(exchange, settings.body, undefined, SMALL_BODY);
  if (objects.some((object) => Object.keys(object).length > 0))
    throw new RestError(400, 'A DELETE takes no body: say in the query what is to be deleted.');
}

function wholeNumber({ parameters }: RestRequest, name: 'page' | 'pageSize'): number | undefined {
  const text = parameters.text(name);
  if (text === undefined) return undefined;
  const number = parameters.integer(name, NaN);
  if (Number.isNaN(number)) throw new RestError(400, `${parameters.nameOf(name)} must be a whole number.`);
  return number;
}

/**
 * Throws `RestError` 400 for search and sort keys that mean something else, or nothing, for objects of `related`: below an
 * object they are checked against its own type (docs/interface/rest.md 5), and what no related object has finds all of them.
 */
export function mustMeanTheSame({ parameters }: RestRequest, type: Type, related: Type): void {
  for (const name of [...parameters.filters.map(([key]) => key), ...parameters.all('sort')]) {
    const [ours, theirs] = [type.properties.get(name), related.properties.get(name)];
    if (ours !== undefined && (theirs === undefined || !same(ours, theirs)))
      throw new RestError(400, `${name} of ${type.name} says nothing about objects of type ${related.name}.`);
  }
}

function same(one: Property, other: Property): boolean {
  if (one.kind === 'value' && other.kind === 'value') return one.key === other.key && one.valueType === other.valueType;
  return one.kind === other.kind && one.declaringTrait === other.declaringTrait;
}
