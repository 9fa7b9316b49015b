/** What web services answer that know addresses. */
import type { Point } from './point.js';

/** Names that services give latitude and longitude. */
const NAMES = [
  ['lat', 'lon'],
  ['latitude', 'longitude'],
  ['lat', 'lng'],
] as const;

/**
 * The point in the answer of a geocoder: a list of `{lat, lon}`, of which the first counts, or one object with
 * `latitude`/`longitude` or `lat`/`lon` (or `lng`). Undefined when there is none in it.
 */
export function pointIn(parsed: unknown): Point | undefined {
  const found: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (typeof found !== 'object' || found === null) return undefined;
  const members = found as Readonly<Record<string, unknown>>;
  for (const [lat, lon] of NAMES) {
    const latitude = coordinateOf(members[lat]);
    const longitude = coordinateOf(members[lon]);
    if (latitude !== undefined && longitude !== undefined) return { latitude, longitude };
  }
  return undefined;
}

/** Degrees: a number, or a text of one. */
function coordinateOf(value: unknown): number | undefined {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
  const number = isNumber ? Number(value) : NaN;
  return Number.isFinite(number) ? number : undefined;
}
