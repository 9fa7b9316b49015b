/** Which entries of a log are wanted (contract, Changelog 5). */

/** An entry as its line holds it. */
export interface LogEntry {
  readonly verb: string;
  readonly time: number;
  readonly userId?: string;
  readonly userName?: string;
  readonly target?: string;
  readonly type?: string;
  readonly rel?: string;
  readonly relId?: string;
  readonly relDir?: string;
  readonly source?: string;
  readonly key?: string;
}

/** All of these have to hold; of several values of one, any. An entry that lacks the key of a filter is left out. */
export interface LogFilters {
  /** Milliseconds since 1970, both included. */
  readonly timeFrom?: number;
  readonly timeTo?: number;
  readonly verb?: readonly string[];
  readonly userId?: readonly string[];
  readonly userName?: readonly string[];
  readonly rel?: readonly string[];
  readonly relId?: readonly string[];
  readonly relDir?: readonly string[];
  readonly target?: readonly string[];
  readonly key?: readonly string[];
}

const BY_VALUE = ['verb', 'userId', 'userName', 'rel', 'relId', 'relDir', 'target', 'key'] as const;

export function matches(entry: LogEntry, filters: LogFilters): boolean {
  for (const key of BY_VALUE) {
    const wanted = filters[key];
    if (wanted === undefined) continue;
    const value = entry[key];
    if (value === undefined || !wanted.includes(value)) return false;
  }
  return isWithin(entry.time, filters);
}

export function isWithin(time: number, { timeFrom = -Infinity, timeTo = Infinity }: LogFilters): boolean {
  return time >= timeFrom && time <= timeTo;
}
