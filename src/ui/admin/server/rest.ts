/** REST, as the Admin UI speaks it (docs/interface/rest.md). The page lies at `/svc/`, so all addresses are relative to it. */
import { send } from '../../common/request.js';

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

/** The list at a path. `properties`: those that are written alone. */
export async function list<T = Entity>(
  path: string,
  query: Query = {},
  { properties, signal }: { readonly properties?: readonly string[]; readonly signal?: AbortSignal } = {},
): Promise<Listed<T>> {
  const response = await send(restPath(path, query), {
    method: 'GET',
    ...(properties === undefined
      ? {}
      : { headers: { Accept: `application/json; properties=${properties.join(',')}` } }),
    signal,
  });
  return (await response.json()) as Listed<T>;
}

/** What one address answers. `properties`: those that are written alone. */
export async function read<T>(
  path: string,
  query: Query = {},
  { properties }: { readonly properties?: readonly string[] } = {},
): Promise<T> {
  const response = await send(restPath(path, query), {
    method: 'GET',
    ...(properties === undefined
      ? {}
      : { headers: { Accept: `application/json; properties=${properties.join(',')}` } }),
  });
  return ((await response.json()) as { readonly result: T }).result;
}

/** Makes an object; its id. */
export async function create(type: string, values: Readonly<Record<string, unknown>>): Promise<string> {
  const response = await send(restPath(type), { method: 'POST', json: values });
  const { result } = (await response.json()) as { readonly result: readonly string[] };
  return result[0] ?? '';
}

/** Changes properties of an object. */
export async function change(path: string, values: Readonly<Record<string, unknown>>): Promise<void> {
  await send(restPath(path), { method: 'PUT', json: values });
}

export async function remove(path: string): Promise<void> {
  await send(restPath(path), { method: 'DELETE' });
}

/** Calls a method or a command, and returns its result. */
export async function call<T>(path: string, input: unknown = {}): Promise<T | undefined> {
  const response = await send(restPath(path), { method: 'POST', json: input });
  const text = await response.text();
  return text === '' ? undefined : (JSON.parse(text) as { readonly result?: T }).result;
}
