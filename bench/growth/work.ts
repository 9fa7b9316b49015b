/** What is asked of a database of things, by the server and by PocketBase: the rows of the cases about growth. */
import { randomNumbers } from '../dataset.js';
import { CATEGORY, categoriesOf, part, someNames } from './things.js';
import { HUB, THING, type World } from './world.js';

const PAGE = 20;
/** Neighbouring pages asked for in one row. */
const PAGES = 5;
/** Different requests of a row, where there are as many. */
const VARIED = 500;

/** What a row needs of one side: ids differ, the rest does not. */
export interface Side {
  readonly objects: number;
  readonly ids: readonly string[];
  readonly hubs: readonly string[];
}

export interface Row {
  readonly name: string;
  /** Paths asked for in turns, over and over. */
  readonly paths: (side: Side) => string[];
  /** The same of PocketBase, whose collections are `things` and `hubs`. */
  readonly peer: (side: Side) => string[];
  /** Objects in each answer; undefined: one or some. */
  readonly found?: number;
  /** `result_count`, where it is the row's matter. */
  readonly count?: (side: Pick<World, 'objects' | 'related'>) => number;
}

const REST = '/svc/rest';
const RECORDS = '/api/collections/things/records';

/** Pages from `page` on, or the last ones there are. */
function pages(page: number, objects: number): number[] {
  const last = Math.max(1, Math.floor(objects / PAGE));
  const from = Math.max(1, Math.min(page, last - PAGES + 1));
  return Array.from({ length: Math.min(PAGES, last) }, (_, i) => from + i);
}

function list(query: string, page: number): string {
  return `${REST}/${THING}?${query}_pageSize=${String(PAGE)}&_page=${String(page)}`;
}

/** Uncounted: it counts all that match on each request, where it is not told not to. */
function records(query: Record<string, string>, page = 1): string {
  const all = new URLSearchParams({ perPage: String(PAGE), page: String(page), skipTotal: '1', ...query });
  return `${RECORDS}?${all.toString()}`;
}

function deep(name: string, page: number): Row {
  return {
    name,
    found: PAGE,
    paths: ({ objects }) => pages(page, objects).map((at) => list('_sort=number&', at)),
    peer: ({ objects }) => pages(page, objects).map((at) => records({ sort: 'number' }, at)),
  };
}

/** Some numbers below `limit`, each of them once at most. */
function some(limit: number): number[] {
  const random = randomNumbers(limit);
  return Array.from({ length: Math.min(VARIED, limit) }, () => Math.floor(random() * limit));
}

const names = (objects: number): string[] => someNames(objects, VARIED);
const parts = (objects: number): string[] => names(objects).map(part);

const ONE: Row = {
  name: 'GET one',
  paths: ({ ids }) => ids.map((id) => `${REST}/${THING}/${id}`),
  peer: ({ ids }) => ids.map((id) => `${RECORDS}/${id}`),
};

export const PAGE_1 = deep('page 1, sorted by an index', 1);
export const PAGE_500 = deep('page 500', 496);

export const FILTER_SORT: Row = {
  name: 'filter by one index, sort by another, 1,000 match',
  found: PAGE,
  paths: ({ objects }) =>
    some(categoriesOf(objects)).map((category) => list(`category=c${String(category)}&_sort=number&`, 1)),
  peer: ({ objects }) =>
    some(categoriesOf(objects)).map((category) =>
      records({ filter: `category='c${String(category)}'`, sort: 'number' }),
    ),
};

export const PART: Row = {
  name: 'part of a name',
  paths: ({ objects }) => parts(objects).map((text) => list(`name=${encodeURIComponent(text)}&_inexact=1&`, 1)),
  peer: ({ objects }) => parts(objects).map((text) => records({ filter: `name~'${text}'` })),
};

export const RELATED: Row = {
  name: 'related objects, unsorted',
  found: PAGE,
  paths: ({ hubs }) => hubs.map((hub) => `${REST}/${HUB}/${hub}/things?_pageSize=${String(PAGE)}`),
  peer: ({ hubs }) => hubs.map((hub) => records({ filter: `hub='${hub}'` })),
  count: ({ related }) => related,
};

export const RELATED_FILTER: Row = {
  name: 'related objects by filter',
  found: PAGE,
  paths: ({ hubs }) => hubs.map((hub) => list(`hub=${hub}&`, 1)),
  peer: ({ hubs }) => hubs.map((hub) => records({ filter: `hub.id='${hub}'` })),
  count: ({ related }) => related,
};

export const RELATED_SORTED: Row = {
  name: 'related objects, sorted by an index',
  found: PAGE,
  paths: ({ hubs }) => hubs.map((hub) => `${REST}/${HUB}/${hub}/things?_sort=number&_pageSize=${String(PAGE)}`),
  peer: ({ hubs }) => hubs.map((hub) => records({ filter: `hub='${hub}'`, sort: 'number' })),
  count: ({ related }) => related,
};

export const ROWS: readonly Row[] = [
  ONE,
  PAGE_1,
  deep('page 100', 100),
  PAGE_500,
  {
    name: 'range of an index, 1,000 match',
    found: PAGE,
    paths: ({ objects }) =>
      some(Math.max(1, objects - CATEGORY)).map((from) =>
        list(`number=${encodeURIComponent(`[${String(from)} TO ${String(from + CATEGORY - 1)}]`)}&`, 1),
      ),
    peer: ({ objects }) =>
      some(Math.max(1, objects - CATEGORY)).map((from) =>
        records({ filter: `number>=${String(from)} && number<${String(from + CATEGORY)}` }),
      ),
    count: ({ objects }) => Math.min(objects, CATEGORY),
  },
  FILTER_SORT,
  {
    name: 'by name',
    found: 1,
    paths: ({ objects }) => names(objects).map((name) => list(`name=${encodeURIComponent(name)}&`, 1)),
    peer: ({ objects }) => names(objects).map((name) => records({ filter: `name='${name}'` })),
  },
  PART,
  RELATED,
  RELATED_FILTER,
  RELATED_SORTED,
  {
    name: 'count',
    paths: () => [`${REST}/${THING}?_pageSize=1&_disableSoftLimit=true`],
    peer: () => [records({ perPage: '1', skipTotal: '0' })],
    found: 1,
    count: ({ objects }) => objects,
  },
];
