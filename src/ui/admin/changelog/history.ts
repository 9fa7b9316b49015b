/** The history of an object or a user, as the server tells it (docs/interface/changelog.md 4, 7). */
import { list } from '../server/rest.js';

export interface Facts {
  readonly id: string;
  readonly type: string;
  readonly name: string | null;
}

/** What was done, as an entry of a log has it; values are JSON. */
export interface Entry {
  readonly verb: string;
  readonly time: number;
  readonly userId?: string;
  readonly userName?: string;
  readonly target?: string;
  readonly targetObj?: Facts | null;
  readonly type?: string;
  readonly rel?: string;
  readonly relDir?: string;
  readonly source?: string;
  readonly key?: string;
  readonly prev?: string;
  readonly val?: string;
}

export interface History {
  readonly enabled: boolean;
  readonly entries: readonly Entry[];
  /** Of all pages. */
  readonly count: number;
}

export interface Asked {
  readonly of: 'object' | 'user';
  readonly id: string;
  /** From 1; the newest entries are on the first page. */
  readonly page: number;
  readonly verb: string;
  readonly key: string;
  /** As a field of a browser has them, in its time zone; empty: no bound. */
  readonly from: string;
  readonly to: string;
}

export const PAGE_SIZE = 100;
export const VERBS = ['create', 'change', 'link', 'unlink', 'delete'] as const;
export const isId = (text: string): boolean => /^[0-9a-f]{32}$/i.test(text) || /^[0-9a-f-]{36}$/i.test(text);

const millis = (text: string): number | undefined => (text === '' ? undefined : new Date(text).getTime());

/** A page of a history, the newest first. Throws `RefusedError`. */
export async function loadHistory({ of, id, page, verb, key, from, to }: Asked, signal: AbortSignal): Promise<History> {
  const path = `${of === 'user' ? '_userChangelog' : '_changelog'}/${encodeURIComponent(id)}`;
  const query = {
    _order: 'desc',
    _page: page,
    _pageSize: PAGE_SIZE,
    verb: verb === '' ? undefined : verb,
    key: key === '' ? undefined : key,
    timeFrom: millis(from),
    timeTo: millis(to),
  };
  const { result, result_count: count } = (await list(path, query, { signal })) as unknown as {
    readonly result: Pick<History, 'enabled' | 'entries'>;
    readonly result_count: number;
  };
  return { ...result, count };
}

/** What one transaction of one user has done. */
export interface Moment {
  readonly time: number;
  readonly userId: string;
  readonly userName: string;
  readonly entries: readonly Entry[];
}

/** Entries that follow each other and are of one transaction stand together, in the order in which they happened. */
export function momentsOf(entries: readonly Entry[]): readonly Moment[] {
  const moments: { time: number; userId: string; userName: string; entries: Entry[] }[] = [];
  for (const entry of entries) {
    const { time, userId = '', userName = '' } = entry;
    const last = moments.at(-1);
    if (last?.time === time && last.userId === userId) last.entries.unshift(entry);
    else moments.push({ time, userId, userName, entries: [entry] });
  }
  return moments;
}
