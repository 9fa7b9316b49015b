/** REST, as the Admin UI speaks it (docs/interface/rest.md). The page lies at `/svc/`, so all addresses are relative to it. */
import { send, type Sending } from '../../common/request.js';

/** An object as a view shows it. */
export interface Entity {
  readonly id: string;
  readonly type: string;
  readonly name?: string | null;
  readonly [property: string]: unknown;
}

/** A list, and how many there are in all; absent: more than the server counts. */
export interface Listed<T> {
  readonly result: readonly T[];
  readonly result_count?: number;
}

export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** The address of a resource of REST: path segments as they are, values of the query escaped. */
export function restPath(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (typeof value === 'object') for (const one of value) parameters.append(name, one);
    else parameters.append(name, String(value));
  }
  const text = parameters.toString();
  return `rest/${path}${text === '' ? '' : `?${text}`}`;
}

/** The list at a path. */
export async function list<T = Entity>(path: string, query: Query = {}, wanted: Wanted = {}): Promise<Listed<T>> {
  const response = await send(restPath(path, query), { method: 'GET', ...asked(wanted) });
  return parseExactly(await response.text()) as Listed<T>;
}

/** What an answer is to have. */
export interface Wanted {
  /** Those that are written alone. */
  readonly properties?: readonly string[];
  /** Parts of lists of related objects (`tasks=0-10;members=0-3`). */
  readonly range?: string;
  readonly signal?: AbortSignal;
}

const asked = ({ properties, range, signal }: Wanted): Omit<Sending, 'method'> => ({
  headers: {
    ...(properties === undefined ? {} : { Accept: `application/json; properties=${properties.join(',')}` }),
    ...(range === undefined || range === '' ? {} : { Range: range }),
  },
  signal,
});

/** Integers of 64 bits that a number of scripts does not hold exactly are texts of their digits; REST takes these back. */
export function parseExactly(json: string): unknown {
  if (!/\d{16}/.test(json)) return JSON.parse(json);
  return JSON.parse(json, ((_key: string, value: unknown, { source = '' }: { readonly source?: string } = {}) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value) as (
    key: string,
    value: unknown,
  ) => unknown);
}

/** One object, and the tag of the state that it was read in (docs/interface/rest.md 4.6); absent: it has none. */
export interface Stated {
  readonly entity: Entity;
  readonly state: string | undefined;
}

/** Reads one object, with the tag of its state. */
export async function readState(path: string, query: Query = {}, wanted: Wanted = {}): Promise<Stated> {
  const response = await send(restPath(path, query), { method: 'GET', ...asked(wanted) });
  const { result } = parseExactly(await response.text()) as { readonly result: Entity };
  return { entity: result, state: response.headers.get('ETag') ?? undefined };
}

/** What one address answers. `properties`: those that are written alone. */
export async function read<T>(path: string, query: Query = {}, wanted: Wanted = {}): Promise<T> {
  const response = await send(restPath(path, query), { method: 'GET', ...asked(wanted) });
  return ((await response.json()) as { readonly result: T }).result;
}

/** Makes an object; its id. */
export async function create(type: string, values: Readonly<Record<string, unknown>>): Promise<string> {
  const response = await send(restPath(type), { method: 'POST', json: values });
  const { result } = (await response.json()) as { readonly result: readonly string[] };
  return result[0] ?? '';
}

/** Changes properties of an object. `headers`: such as `If-Match`, the condition that nobody has changed it (`Stated.state`). */
export async function change(
  path: string,
  values: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  await send(restPath(path), { method: 'PUT', json: values, headers });
}

/** Deletes an object, or all that a list of this query would have. `headers`: as those of `change`. */
export async function remove(
  path: string,
  query: Query = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  await send(restPath(path, query), { method: 'DELETE', headers });
}

/** Calls a method or a command, and returns its result. */
export async function call<T>(path: string, input: unknown = {}): Promise<T | undefined> {
  const response = await send(restPath(path), { method: 'POST', json: input });
  const text = await response.text();
  return text === '' ? undefined : (JSON.parse(text) as { readonly result?: T }).result;
}
