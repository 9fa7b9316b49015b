/** The requests of the cases, prepared before anything is measured. */
import type { Requests } from '../context.js';
import { makeObject, randomNumbers, TYPE, type Dataset } from '../dataset.js';

const path = (rest: string, type: string = TYPE): string => `/svc/rest/${type}${rest}`;

/** Ids asked for, at most. */
const IDS = 64_000;

export function getOne(dataset: Dataset, type?: string): Requests {
  return { method: 'GET', requests: dataset.ids.slice(0, IDS).map((id) => ({ path: path(`/${id}`, type) })) };
}

/** Pages people look at: the first hundred of the list, in both orders. */
export function getPage(dataset: Dataset, type?: string): Requests {
  const pages = Math.min(100, Math.floor(dataset.objects / 20));
  const requests = Array.from({ length: pages * 64 }, (_, i) => {
    const order = i % 2 === 0 ? 'asc' : 'desc';
    return { path: path(`?_sort=rank&_order=${order}&_pageSize=20&_page=${String(((i * 37) % pages) + 1)}`, type) };
  });
  return { method: 'GET', requests };
}

export function postOne(): Requests {
  const random = randomNumbers(3);
  return {
    method: 'POST',
    requests: Array.from({ length: 12_800 }, () => ({ path: path(''), body: JSON.stringify(makeObject(random)) })),
  };
}

export const ARRAY_SIZE = 1000;

/** A few connections: each POST is a thousand objects of work, and one more waits while the last is answered. */
export function postArrays(): Requests {
  const random = randomNumbers(4);
  const body = (): string => JSON.stringify(Array.from({ length: ARRAY_SIZE }, () => makeObject(random)));
  return {
    method: 'POST',
    connections: 4,
    requests: Array.from({ length: 16 }, () => ({ path: path(''), body: body() })),
  };
}

/** One property, which is indexed, of objects in random order. */
export function putOne(dataset: Dataset): Requests {
  const random = randomNumbers(21);
  const body = (): string => JSON.stringify({ rank: Math.floor(random() * 1e9) });
  return { method: 'PUT', requests: dataset.ids.map((id) => ({ path: path(`/${id}`), body: body() })) };
}

/** Objects that are deleted, each of them once; wrk would begin anew behind what warms. */
export function deleteEach(ids: readonly string[]): Requests {
  return { tool: 'autocannon', method: 'DELETE', requests: ids.map((id) => ({ path: path(`/${id}`) })) };
}
