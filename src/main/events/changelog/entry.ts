/** A line of a log as others get it. */
import { jsonText } from '../../schema/index.js';
import { parseJsonSync } from '../../../shared/json/index.js';
import type { LogEntry } from './files/filters.js';

/** An entry; values before and after a change are JSON, exact as the line has them. */
export interface ChangelogEntry extends LogEntry {
  readonly prev?: string;
  readonly val?: string;
}

/** Digits in a row from which on a number may be one that JavaScript rounds. */
const MANY_DIGITS = /\d{16}/;

export function entryOf(line: string): ChangelogEntry {
  const entry = (MANY_DIGITS.test(line) ? parseJsonSync(line) : JSON.parse(line)) as Record<string, never>;
  if (!('key' in entry)) return entry as unknown as LogEntry;
  return {
    ...(entry as unknown as LogEntry),
    time: Number(entry['time']),
    prev: jsonText(entry['prev'] ?? null),
    val: jsonText(entry['val'] ?? null),
  };
}
