/**
 * What has happened, for the runtime event log (docs/interface/monitoring.md 5). As lines are told to the log, any room tells it here, and
 * whoever keeps it listens; there is one such log in a process, as there is one log.
 */
import type { JsonObject } from './json/index.js';

export const HAPPENING_TYPES = [
  'Authentication',
  'ResourceAccess',
  'Rest',
  'Csv',
  'Http',
  'Transaction',
  'Maintenance',
  'Cron',
  'Scripting',
  'SystemInfo',
] as const;
export type HappeningType = (typeof HAPPENING_TYPES)[number];

type Listener = (type: HappeningType, description: string, data: JsonObject) => void;

let listener: Listener | undefined;

/** From now on `next` hears of all; undefined: nobody. Returns who heard of it before. */
export function listenToHappenings(next: Listener | undefined): Listener | undefined {
  const before = listener;
  listener = next;
  return before;
}

/** Something has happened. `data` is kept as it is, and shown to administrators: it must hold no secret. */
export function happened(type: HappeningType, description: string, data: JsonObject = {}): void {
  listener?.(type, description, data);
}

/** Who is meant, as events tell it: nothing for who has not said who he is. */
export function whoOf({ id, name }: { readonly id?: string | undefined; readonly name: string }): JsonObject {
  return id === undefined ? {} : { id, name };
}
