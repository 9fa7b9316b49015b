/** Objects of a JSON file, sent in parts: those that are there are changed, others are made. */
import { send } from '../../../common/request.js';
import { parseExactly, restPath } from '../../server/rest.js';
import type { Column } from '../columns.js';

/** Objects of one request; each is one transaction. */
const PART = 500;

type Values = Readonly<Record<string, unknown>>;

export interface Progress {
  readonly done: number;
  readonly n: number;
}

/** Some parts were written before it ended; `cause`: why, undefined when it was asked to. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
  constructor(
    /** Objects that were sent. */
    readonly done: number,
    override readonly cause: unknown,
  ) {
    super('stopped');
  }
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects of a file: a list, or an answer of REST with one; undefined: there is none. */
export function objectsIn(text: string): readonly Values[] | undefined {
  let value: unknown;
  try {
    value = parseExactly(text);
  } catch {
    return undefined;
  }
  const list = isObject(value) ? (value['result'] ?? [value]) : value;
  const all: readonly unknown[] = Array.isArray(list) ? list : [list];
  return all.every(isObject) ? all : undefined;
}

/** What can be written of an object as it was read: no values of the server's own, and related objects by their ids. */
function inputOf(object: Values, columns: ReadonlyMap<string, Column>): Values {
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    const column = columns.get(name);
    if (column === undefined || column.readOnly || column.group === 'rights') continue;
    if (column.kind === 'password' || (column.kind === 'related' && isEmpty(value))) continue;
    input[name] = column.kind === 'related' ? idsOf(value) : value;
  }
  return input;
}

const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);
const idOf = (value: unknown): unknown => (isObject(value) && typeof value['id'] === 'string' ? value['id'] : value);
const idsOf = (value: unknown): unknown => (Array.isArray(value) ? value.map(idOf) : idOf(value));

async function existing(ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const response = await send(restPath('resolver'), {
    method: 'POST',
    json: { ids },
    headers: { Accept: 'application/json; properties=id' },
  });
  const { result } = (await response.json()) as { readonly result: readonly { readonly id: string }[] };
  return new Set(result.map(({ id }) => id));
}

/** Throws `StoppedError` when a part was refused, or `signal` says so: what was sent before stays. */
export async function importObjects(
  type: string,
  columns: readonly Column[],
  objects: readonly Values[],
  tell: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<{ readonly made: number; readonly changed: number }> {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const path = restPath(encodeURIComponent(type));
  let [made, changed] = [0, 0];
  for (let at = 0; at < objects.length; at += PART) {
    tell({ done: at, n: objects.length });
    const part = objects.slice(at, at + PART);
    try {
      signal.throwIfAborted();
      const there = await existing(part.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])));
      const inputs = part.map((one) => ({
        ...inputOf(one, byName),
        ...(typeof one['id'] === 'string' ? { id: one['id'] } : {}),
      }));
      const isThere = ({ id }: { readonly id?: string }): boolean => id !== undefined && there.has(id);
      const olds = inputs.filter(isThere);
      const news = inputs.filter((one) => !isThere(one));
      if (news.length > 0) await send(path, { method: 'POST', json: news });
      made += news.length;
      if (olds.length > 0) await send(path, { method: 'PATCH', json: olds });
      changed += olds.length;
    } catch (error) {
      throw new StoppedError(made + changed, signal.aborted ? undefined : error);
    }
  }
  return { made, changed };
}
