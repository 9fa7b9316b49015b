/** Positions: as text of UTM, on the ellipsoid, as points and lines (docs/interface/script-runtime.md 8.12). */
import type { Geodesic } from 'geographiclib-geodesic';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { GeometryObject, MOST_COORDINATES } from '../../outside/geo/geometry.js';
import type { Position, Geometry } from '../../outside/geo/coordinates.js';
import { fromUtm, toUtm } from '../../outside/geo/utm.js';
import { COORDINATE, POSITIONS, positionOf, positionsOf } from '../../outside/geo/values.js';
import { optionalFor } from '../../outside/optional.js';
import { textOf } from '../../language/text.js';
import { chain, type ScriptValue } from '../../language/values.js';
import { doubleOf, misused } from '../../run/function/arguments.js';
import { runSteps } from '../../language/steps.js';

const latLonToUtm: ScriptFunction = {
  name: 'latLonToUtm',
  signature: 'latLonToUtm(latitude, longitude)',
  meaning:
    'A position in WGS84 as text of UTM: zone and band, easting and northing in whole metres. Latitudes are from -80 to 84. Null ' +
    'when one is null.',
  example: 'latLonToUtm(53.855, 8.081675) // 32U 439596 5967780',
  min: 2,
  max: 2,
  pure: true,
  run(args, context) {
    if (args.includes(null)) return null;
    const [latitude = NaN, longitude = NaN] = args.map(doubleOf);
    return toUtm(latitude, longitude) ?? misused(this, 'needs a latitude from -80 to 84 and a longitude', context);
  },
};

const utmToLatLon: ScriptFunction = {
  name: 'utmToLatLon',
  signature: 'utmToLatLon(text)',
  meaning: 'The position in WGS84 that a text of UTM such as `32U 439596 5967780` means: a map {latitude, longitude}.',
  example: "round(utmToLatLon('32U 439596 5967780').latitude, 5) // 53.855",
  min: 1,
  max: 1,
  pure: true,
  run([text = null], context) {
    if (text === null) return null;
    const found = fromUtm(textOf(text, context).slice(0, 100));
    if (found === undefined) return misused(this, 'needs a text such as 32U 439596 5967780', context);
    const [longitude, latitude] = found;
    return new Map([
      ['latitude', latitude],
      ['longitude', longitude],
    ]);
  },
};

/** A function that makes a geometry of coordinates. */
function ofCoordinates(
  name: string,
  meaning: string,
  example: string,
  make: (positions: readonly Position[]) => Geometry | undefined,
): ScriptFunction {
  return {
    name,
    signature: `${name}(${name === 'coordsToPoint' ? 'coordinate' : 'list'})`,
    meaning: `${meaning} ${COORDINATE} ${POSITIONS}`,
    example,
    min: 1,
    max: 1,
    pure: true,
    run(args, context) {
      const [value = null] = args;
      if (value === null) return null;
      const madeOf = (positions: readonly Position[] | undefined): ScriptValue => {
        if (positions !== undefined && positions.length > MOST_COORDINATES) {
          throw new ScriptError(422, `${name}(): a geometry has at most ${String(MOST_COORDINATES)} coordinates.`);
        }
        const geometry = positions === undefined ? undefined : make(positions);
        return geometry === undefined
          ? misused(this, 'was not given the coordinates it needs', context)
          : new GeometryObject(geometry);
      };
      return chain(runSteps(positionsOf(value, context, `${name}()`)), madeOf);
    },
  };
}

function ringOf(positions: readonly Position[]): Geometry | undefined {
  const [first, last] = [positions[0], positions.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const isClosed = first[0] === last[0] && first[1] === last[1];
  const ring = isClosed ? positions : [...positions, first];
  return ring.length < 4 ? undefined : { type: 'Polygon', coordinates: [ring] };
}

/** The ellipsoid of WGS84. `what`: the function that needs it, for messages. Throws `ScriptError` 501. */
async function ellipsoid(what: string): Promise<(typeof Geodesic)['WGS84']> {
  // Few scripts need it.
  const { default: library } = await optionalFor(what, () => import('geographiclib-geodesic'));
  return library.Geodesic.WGS84;
}

/** The position of a coordinate, in degrees; undefined: it is none. */
async function placeOf(
  value: ScriptValue | undefined,
  { name }: ScriptFunction,
  context: ScriptContext,
): Promise<Position | undefined> {
  const found = await runSteps(positionOf(value ?? null, context, `${name}()`));
  return found !== undefined && Math.abs(found[1]) <= 90 && Math.abs(found[0]) <= 360 ? found : undefined;
}

/** A function of the shortest way between two places. */
function ofWay(
  name: string,
  meaning: string,
  example: string,
  answer: (way: { readonly s12?: number; readonly azi1?: number }) => number | undefined,
): ScriptFunction {
  return {
    name,
    signature: `${name}(coordinate, coordinate)`,
    meaning: `${meaning} ${COORDINATE} Null when one is null.`,
    example,
    min: 2,
    max: 2,
    pure: true,
    async run(args, context) {
      if (args.includes(null)) return null;
      const from = await placeOf(args[0], this, context);
      const to = await placeOf(args[1], this, context);
      if (from === undefined || to === undefined) return misused(this, 'needs two coordinates in degrees', context);
      return answer((await ellipsoid(`${name}()`)).Inverse(from[1], from[0], to[1], to[0])) ?? null;
    },
  };
}

const lineSegment: ScriptFunction = {
  name: 'lineSegment',
  signature: 'lineSegment(coordinate, azimuth, length)',
  meaning:
    'The line from a position in the direction of an azimuth (degrees from north, clockwise), so many metres long on the ellipsoid of ' +
    `WGS84. ${COORDINATE} Null when an argument is null.`,
  example: "lineSegment('POINT (8 50)', 90, 1000).type // LineString",
  min: 3,
  max: 3,
  pure: true,
  async run(args, context) {
    if (args.includes(null)) return null;
    const from = await placeOf(args[0], this, context);
    const [azimuth = NaN, length = NaN] = args.slice(1).map(doubleOf);
    if (from === undefined || !Number.isFinite(azimuth) || !Number.isFinite(length)) {
      return misused(this, 'needs a coordinate in degrees and two numbers', context);
    }
    const { lat2, lon2 } = (await ellipsoid(`${this.name}()`)).Direct(from[1], from[0], azimuth, length);
    if (lat2 === undefined || lon2 === undefined || !Number.isFinite(lat2) || !Number.isFinite(lon2)) {
      return misused(this, 'needs a length that there is on earth', context);
    }
    return new GeometryObject({ type: 'LineString', coordinates: [from, [lon2, lat2]] });
  },
};

export const geoPositions: FunctionCategory = {
  title: 'Geo',
  functions: [
    latLonToUtm,
    utmToLatLon,
    ofWay(
      'distance',
      'The length of the shortest way between two positions, on the ellipsoid of WGS84, in metres.',
      "round(distance('POINT (8 50)', 'POINT (9 50)')) // 71695",
      ({ s12 }) => s12,
    ),
    ofWay(
      'azimuth',
      'The direction in which the shortest way from one position to another begins: degrees from north, clockwise, from -180 to 180.',
      "azimuth('POINT (8 50)', 'POINT (8 51)') // 0.0",
      ({ azi1 }) => azi1,
    ),
    lineSegment,
    ofCoordinates(
      'coordsToPoint',
      'A point.',
      'coordsToPoint(merge(50.1, 8.6)) // POINT (8.6 50.1)',
      ([first, ...more]) =>
        first === undefined || more.length > 0 ? undefined : { type: 'Point', coordinates: first },
    ),
    ofCoordinates(
      'coordsToMultipoint',
      'The points of a list of coordinates.',
      "coordsToMultipoint(merge('POINT (8.6 50.1)', 'POINT (8.7 50.2)')) // MULTIPOINT ((8.6 50.1), (8.7 50.2))",
      (coordinates) => ({ type: 'MultiPoint', coordinates }),
    ),
    ofCoordinates(
      'coordsToLineString',
      'The line along a list of two or more coordinates.',
      "coordsToLineString(merge('POINT (8.6 50.1)', 'POINT (8.7 50.2)')) // LINESTRING (8.6 50.1, 8.7 50.2)",
      (coordinates) => (coordinates.length < 2 ? undefined : { type: 'LineString', coordinates }),
    ),
    ofCoordinates(
      'coordsToPolygon',
      'The polygon whose border is a list of three or more coordinates; it is closed when its end is not its beginning.',
      "coordsToPolygon(merge('POINT (8 50)', 'POINT (9 50)', 'POINT (9 51)')) // POLYGON ((8 50, 9 50, 9 51, 8 50))",
      ringOf,
    ),
  ],
};
