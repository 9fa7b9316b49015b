/** Questions to the analytics log (docs/interface/analytics.md). */
import { list, read, type Query } from '../server/rest.js';

export interface Summary {
  readonly actions: readonly string[];
  readonly entryCount: number;
  readonly firstEntry: string | null;
  readonly lastEntry: string | null;
}

export interface LogEvent {
  readonly subject: string | null;
  readonly object: string | null;
  readonly action: string | null;
  readonly timestamp: string;
  readonly message: string | null;
}

/** Patterns of groups of time (4), the longest first. */
export const UNITS = {
  year: 'yyyy',
  month: 'yyyy-MM',
  week: "yyyy-'W'ww",
  day: 'yyyy-MM-dd',
  hour: 'yyyy-MM-dd HH',
  minute: 'yyyy-MM-dd HH:mm',
} as const;
export type Unit = keyof typeof UNITS;

/** What events are looked at; empty texts are no filters. Times are as a field of a browser has them, in its time zone. */
export interface Asked {
  readonly from: string;
  readonly to: string;
  readonly action: string;
  readonly subject: string;
  readonly object: string;
  readonly message: string;
  readonly unit: Unit | '';
}

export const NO_FILTERS: Asked = { from: '', to: '', action: '', subject: '', object: '', message: '', unit: '' };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const timeOf = (date: Date): string => `${date.toISOString().slice(0, 19)}+0000`;

/** From when to when is looked: what was asked for, else all that there is. */
function spanOf({ from, to }: Asked, { firstEntry, lastEntry }: Summary): readonly [Date, Date] {
  const first = from === '' ? new Date(firstEntry ?? Date.now()) : new Date(from);
  return [
    first,
    to === '' ? new Date(Math.max(first.getTime(), new Date(lastEntry ?? Date.now()).getTime())) : new Date(to),
  ];
}

/** A unit that gives some tens of groups, or a few hundred. */
export function unitOf(asked: Asked, summary: Summary): Unit {
  if (asked.unit !== '') return asked.unit;
  const [from, to] = spanOf(asked, summary);
  const span = to.getTime() - from.getTime();
  if (span > 20 * 365 * DAY) return 'year';
  if (span > 2 * 365 * DAY) return 'month';
  if (span > 3 * DAY) return 'day';
  return span > 4 * HOUR ? 'hour' : 'minute';
}

/** The parameters for what is asked. */
export function queryOf(asked: Asked, summary: Summary): Query {
  const { action, subject, object, message, from, to } = asked;
  const text = (value: string): string | undefined => (value === '' ? undefined : value);
  const bounded = from !== '' || to !== '';
  return {
    action: text(action),
    subject: text(subject),
    object: text(object),
    filters: text(message),
    timestamp: bounded ? `[${spanOf(asked, summary).map(timeOf).join(' TO ')}]` : undefined,
  };
}

export async function loadSummary(): Promise<Summary> {
  const [summary] = await read<readonly Summary[]>('log');
  return summary ?? { actions: [], entryCount: 0, firstEntry: null, lastEntry: null };
}

/** Counts by the beginning of their group, in ms. */
export type Groups = ReadonlyMap<number, Readonly<Record<string, number>>>;

/** Throws `RefusedError`, 422 for expressions that are none. */
export async function loadGroups(query: Query, unit: Unit, signal: AbortSignal): Promise<Groups> {
  const { result } = (await list('log', { ...query, aggregate: UNITS[unit] }, { signal })) as unknown as {
    readonly result: readonly Readonly<Record<string, Readonly<Record<string, number>>>>[];
  };
  return new Map(Object.entries(result[0] ?? {}).map(([time, counts]) => [Number(time), counts]));
}

export const PAGE_SIZE = 100;

/** Without any parameter the log answers a summary (2). */
const ALWAYS = '[0001-01-01T00:00:00+0000 TO 9999-12-31T23:59:59+0000]';

/** The parameters for a list, or a file, of what is asked. */
export const listQuery = (query: Query): Query => ({ ...query, timestamp: query['timestamp'] ?? ALWAYS });

export function loadEvents(query: Query, page: number, signal: AbortSignal) {
  return list<LogEvent>(
    'log',
    {
      ...listQuery(query),
      _sort: 'timestamp',
      _order: 'desc',
      _page: page,
      _pageSize: PAGE_SIZE,
      _forceResultCount: 1,
    },
    { signal },
  );
}
