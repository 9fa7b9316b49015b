/** What functions take for coordinates and geometries: scripts have them in many forms. */
import { doubleOf } from '../../language/as-number.js';
import type { ScriptContext } from '../../run/run.js';
import { propertyOf } from '../../run/function/arguments.js';
import { Turns, wait, type Steps } from '../../language/steps.js';
import { isMap, ScriptEntity, type ScriptValue } from '../../language/values.js';
import { fromGeoJson, GeometryObject, positionIn, sourceOf } from './geometry.js';
import type { Position, Geometry } from './coordinates.js';
import { readWkt } from './wkt.js';

export const COORDINATE =
  'A coordinate is a list [latitude, longitude], a map or an object with latitude and longitude, a map with x and y (x is the ' +
  'longitude), or a point.';
export const POSITIONS = 'Positions are longitude and latitude, as in WKT.';
export const GEOMETRY = 'A geometry is one that functions made, WKT, or a map in the form of GeoJSON.';

/** Names of latitude and longitude, or of northing and easting, in maps and objects. */
const NAMES = [
  ['latitude', 'longitude'],
  ['lat', 'lon'],
  ['lat', 'lng'],
  ['y', 'x'],
] as const;

/**
 * The position that a coordinate means, with the longitude first; undefined: it is none. Throws `ScriptError` 422 for a text that is
 * no WKT.
 */
export function* positionOf(value: ScriptValue, context: ScriptContext, what: string): Steps<Position | undefined> {
  if (Array.isArray(value)) {
    const [latitude, longitude] = value.map((one) => (typeof one === 'string' ? doubleOf(one) : one));
    return value.length === 2 || value.length === 3 ? positionIn([longitude, latitude]) : undefined;
  }
  if (value instanceof ScriptEntity || (isMap(value) && !value.has('coordinates'))) {
    for (const [north, east] of NAMES) {
      if (isMap(value) && !value.has(north)) continue;
      const y = doubleOf(yield* wait(propertyOf(value, north, context)));
      const x = doubleOf(yield* wait(propertyOf(value, east, context)));
      const found = positionIn([x, y]);
      if (found !== undefined) return found;
      if (value instanceof ScriptEntity) return undefined;
    }
    return undefined;
  }
  const geometry = yield* geometryOf(value, what);
  return geometry?.type === 'Point' && geometry.coordinates.length === 2 ? geometry.coordinates : undefined;
}

/** The geometry that a value is, or that its text means; undefined: it is none. Throws `ScriptError` 422 for a text that is no WKT. */
export function* geometryOf(value: ScriptValue, what: string): Steps<Geometry | undefined> {
  if (typeof value === 'string') return yield* readWkt(value, what);
  if (value instanceof GeometryObject) return value.geometry;
  const source = isMap(value) ? sourceOf(value) : undefined;
  return source === undefined ? undefined : yield* fromGeoJson(source, new Turns(what), what);
}

/** Positions of a list of coordinates, or of one coordinate; undefined: one of them is none. */
export function* positionsOf(
  value: ScriptValue,
  context: ScriptContext,
  what: string,
): Steps<readonly Position[] | undefined> {
  // A list of numbers, also as texts, is one coordinate.
  if (!Array.isArray(value) || value.every((one) => doubleOf(one) !== undefined)) {
    const one = yield* positionOf(value, context, what);
    return one === undefined ? undefined : [one];
  }
  const turns = new Turns(what);
  const found: Position[] = [];
  for (const one of value) {
    const position = yield* positionOf(one, context, what);
    if (position === undefined) return undefined;
    found.push(position);
    yield* turns.pause();
  }
  return found;
}
