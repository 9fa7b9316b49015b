/** SQL functions of our own. Every connection has them, those of the workers included. */
import type Sqlite from 'better-sqlite3';
import { includesText } from '../../../../shared/text-search.js';
import { registerRights } from '../indexes/rights.js';

/**
 * better-sqlite3 cannot interrupt a statement. Every scan therefore asks this guard about each 61st row;
 * `check` throws to end the statement. 61 is a prime, so that no pattern in the order of creation hides a type's rows from it.
 */
export interface ScanGuard {
  check(): void;
}

/** Thrown by a guard on the event loop: the statement is too long for it and belongs into a worker. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
}

/** A character that is none of ASCII. */
const FOREIGN = /[\u0080-\uffff]/;

/**
 * Text for a comparison that does not mind case. By way of the upper case, in which letters meet that have several lower
 * ones (`µ` and `μ`, `ß` and `ss`); the two lower-case sigmas are one letter. `folded` (neo4j/query/predicates.ts) does the same.
 */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  return FOREIGN.test(lower) ? lower.toUpperCase().toLowerCase().replaceAll('ς', 'σ') : lower;
}

const EARTH_RADIUS_KM = 6371.0088;
const RADIANS = Math.PI / 180;

/** Great-circle distance in kilometres (haversine). */
export function distanceKilometres(lat1: number, lon1: number, lat2: number, lon2: number): number {
  const dLat = Math.sin(((lat2 - lat1) * RADIANS) / 2);
  const dLon = Math.sin(((lon2 - lon1) * RADIANS) / 2);
  const h = dLat * dLat + Math.cos(lat1 * RADIANS) * Math.cos(lat2 * RADIANS) * dLon * dLon;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(h)));
}

function textTest(test: (text: string, wanted: string) => boolean): (value: unknown, wanted: unknown) => number {
  return (value, wanted) => (typeof value === 'string' && typeof wanted === 'string' && test(value, wanted) ? 1 : 0);
}

export function registerFunctions(db: Sqlite.Database, guard: ScanGuard): void {
  const pure = { deterministic: true };
  registerRights(db);
  db.function('svc_contains', pure, textTest(includesText));
  db.function(
    'svc_contains_fold',
    pure,
    textTest((text, wanted) => includesText(fold(text), wanted)),
  );
  db.function(
    'svc_starts_fold',
    pure,
    textTest((text, wanted) => fold(text).startsWith(wanted)),
  );
  db.function(
    'svc_ends_fold',
    pure,
    textTest((text, wanted) => fold(text).endsWith(wanted)),
  );
  db.function(
    'svc_ends',
    pure,
    textTest((text, wanted) => text.endsWith(wanted)),
  );
  db.function('svc_distance', pure, (lat1: unknown, lon1: unknown, lat2: unknown, lon2: unknown) =>
    typeof lat1 === 'number' && typeof lon1 === 'number' && typeof lat2 === 'number' && typeof lon2 === 'number'
      ? distanceKilometres(lat1, lon1, lat2, lon2)
      : null,
  );
  // Not deterministic, and given a column: SQLite must not hoist it out of the loop it watches.
  db.function('svc_alive', (_pk: unknown) => {
    guard.check();
    return 1;
  });
}
