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

/** Who hears of what has happened. */
export interface HappeningListener {
  happened(type: HappeningType, description: string, data: JsonObject): void;
  /** A request was answered: thousands a second, which must cost next to nothing. */
  answered(type: 'Rest' | 'Csv', method: string, path: string, id: string | undefined, name: string): void;
}

let listener: HappeningListener | undefined;

/** From now on `next` hears of all; undefined: nobody. Returns who heard of it before. */
export function listenToHappenings(next: HappeningListener | undefined): HappeningListener | undefined {
  const before = listener;
  listener = next;
  return before;
}

/** Something has happened. `data` is kept as it is, and shown to administrators: it must hold no secret. */
export function happened(type: HappeningType, description: string, data: JsonObject = {}): void {
  listener?.happened(type, description, data);
}

/** A request of this method to an endpoint with this signature is being answered. */
export function answered(
  type: 'Rest' | 'Csv',
  method: string,
  path: string,
  { id, name }: { readonly id?: string | undefined; readonly name: string },
): void {
  listener?.answered(type, VERBS.get(method) ?? method, path, id, name);
}

/** Something that another thread of the process has told. */
export function passOnHappening(tell: (listener: HappeningListener) => void): void {
  if (listener !== undefined) tell(listener);
}

/** Methods as events name them. */
const VERBS: ReadonlyMap<string, string> = new Map(
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((verb) => [
    verb,
    verb.charAt(0) + verb.slice(1).toLowerCase(),
  ]),
);

/** Who is meant, as events tell it: nothing for who has not said who he is. */
export function whoOf({ id, name }: { readonly id?: string | undefined; readonly name: string }): JsonObject {
  return id === undefined ? {} : { id, name };
}
