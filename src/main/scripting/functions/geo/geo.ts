/** Geometries: of WKT, made valid, of lines, in other systems of coordinates (docs/interface/script-runtime.md 8.12). */
import type { GeometryJob } from '../../../../workers/geo/geometry.js';
import type { ProjectionJob } from '../../../../workers/geo/projection.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { definitionOf, SYSTEMS } from '../../outside/geo/crs.js';
import {
  eachPosition,
  fromGeoJson,
  GeometryObject,
  MOST_COORDINATES,
  polygonsIn,
  sourceOf,
} from '../../outside/geo/geometry.js';
import type { Position, Geometry } from '../../outside/geo/coordinates.js';
import { GEOMETRY, geometryOf, POSITIONS } from '../../outside/geo/values.js';
import { textOf } from '../../language/text.js';
import { type Awaitable, type ScriptValue } from '../../language/values.js';
import { misused } from '../../run/function/arguments.js';
import { runSteps, Turns, wait, type Steps } from '../../language/steps.js';

const wktToGeometry: ScriptFunction = {
  name: 'wktToGeometry',
  signature: 'wktToGeometry(wkt)',
  meaning:
    'The geometry that a text in WKT means. It has `type`, `coordinates` and `wkt`, its text is WKT, its JSON GeoJSON. Heights are ' +
    `left out. ${POSITIONS}`,
  example: "wktToGeometry('point(8.6 50.1)') // POINT (8.6 50.1)",
  min: 1,
  max: 1,
  pure: true,
  run(args, context) {
    return ofGeometry(this, args, context, (geometry) => new GeometryObject(geometry));
  },
};

const wktToPolygons: ScriptFunction = {
  name: 'wktToPolygons',
  signature: 'wktToPolygons(wkt)',
  meaning: 'The polygons that are in a text in WKT, as a list of geometries; empty when there are none.',
  example: "size(wktToPolygons('MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))')) // 2",
  min: 1,
  max: 1,
  pure: true,
  run(args, context) {
    return ofGeometry(this, args, context, (geometry) => polygonsIn(geometry).map((one) => new GeometryObject(one)));
  },
};

/** What a function makes of the geometry that is its last argument; null of null. */
function ofGeometry(
  one: ScriptFunction,
  args: readonly ScriptValue[],
  context: ScriptContext,
  use: (geometry: Geometry) => Awaitable<ScriptValue>,
): Awaitable<ScriptValue> {
  const value = args.at(-1) ?? null;
  if (value === null) return null;
  const what = `${one.name}()`;
  return runSteps(
    (function* (): Steps<ScriptValue> {
      const geometry = yield* geometryOf(value, what);
      if (geometry === undefined) return misused(one, 'needs a geometry', context);
      return yield* wait(use(geometry));
    })(),
  );
}

/** Has a thread make GeoJSON. */
async function made(
  work: 'geo/geometry' | 'geo/projection',
  job: GeometryJob | ProjectionJob,
  { name }: ScriptFunction,
  context: ScriptContext,
): Promise<unknown> {
  const outcome = await context.run.parts.threads.run<string>(work, job, `${name}()`, context);
  if ('problem' in outcome) throw new ScriptError(422, `${name}() cannot make this: ${outcome.problem}.`);
  return JSON.parse(outcome.value) as unknown;
}

/** Work for a thread on a polygon, or on lines. */
function jobOf(geometry: Geometry): GeometryJob {
  return { geometry: JSON.stringify(geometry), most: MOST_COORDINATES };
}

function* geometryMade(json: unknown, what: string): Steps<ScriptValue> {
  const source = sourceOf(json);
  const geometry = source === undefined ? undefined : yield* fromGeoJson(source, new Turns(what), what);
  return geometry === undefined ? null : new GeometryObject(geometry);
}

const makePolygonValid: ScriptFunction = {
  name: 'makePolygonValid',
  signature: 'makePolygonValid(polygon)',
  meaning:
    'The polygon without lines that cross: what its lines go around an odd number of times, as a polygon or several. A valid one stays ' +
    `as it is. ${GEOMETRY}`,
  example: "makePolygonValid('POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))').type // MultiPolygon",
  min: 1,
  max: 1,
  pure: true,
  run(args, context) {
    return ofGeometry(this, args, context, async (geometry) => {
      if (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon')
        return misused(this, 'needs a polygon', context);
      return runSteps(geometryMade(await made('geo/geometry', jobOf(geometry), this, context), `${this.name}()`));
    });
  },
};

const lineStringsToPolygons: ScriptFunction = {
  name: 'lineStringsToPolygons',
  signature: 'lineStringsToPolygons(list)',
  meaning: `The polygons that lines enclose together, as a list; lines are cut where they cross. ${GEOMETRY}`,
  example:
    "size(lineStringsToPolygons(merge('LINESTRING (0 0, 4 0, 4 4)', 'LINESTRING (4 4, 0 4, 0 0)', 'LINESTRING (2 -1, 2 5)'))) // 2",
  min: 1,
  max: 1,
  pure: true,
  run(args, context) {
    const [value = null] = args;
    if (value === null) return null;
    return runSteps(polygonized(this, Array.isArray(value) ? value : [value], context));
  },
};

function* polygonized(one: ScriptFunction, list: readonly ScriptValue[], context: ScriptContext): Steps<ScriptValue> {
  const what = `${one.name}()`;
  const lines: (readonly Position[])[] = [];
  let count = 0;
  for (const value of list) {
    const geometry = value === null ? undefined : yield* geometryOf(value, what);
    if (geometry?.type === 'LineString') lines.push(geometry.coordinates);
    else if (geometry?.type === 'MultiLineString') lines.push(...geometry.coordinates);
    else return misused(one, 'needs a list of lines', context);
    eachPosition(geometry, () => count++);
    if (count > MOST_COORDINATES || lines.length > MOST_COORDINATES) {
      throw new ScriptError(422, `${what} takes lines of at most ${String(MOST_COORDINATES)} coordinates.`);
    }
  }
  const job = jobOf({ type: 'MultiLineString', coordinates: lines });
  const polygons = (yield made('geo/geometry', job, one, context)) as unknown[];
  const result: ScriptValue[] = [];
  for (const polygon of polygons) result.push(yield* geometryMade(polygon, what));
  return result;
}

const getCoordinates: ScriptFunction = {
  name: 'getCoordinates',
  signature: 'getCoordinates(geometry)',
  meaning:
    'All coordinates of a geometry in their order, as a list of lists [latitude, longitude], or [northing, easting]: what ' +
    `\`coordsToLineString\` takes. ${GEOMETRY}`,
  example: "first(first(getCoordinates('LINESTRING (8.6 50.1, 8.7 50.2)'))) // 50.1",
  min: 1,
  max: 1,
  pure: true,
  run(args, context) {
    return ofGeometry(this, args, context, (geometry) => {
      const found: ScriptValue[] = [];
      eachPosition(geometry, ([x, y]) => found.push([y, x]));
      return found;
    });
  },
};

const convertGeometry: ScriptFunction = {
  name: 'convertGeometry',
  signature: 'convertGeometry(sourceCRS, targetCRS, geometry)',
  meaning:
    'The geometry in another coordinate reference system; in both, longitude or easting come first. ' +
    `${SYSTEMS} ${GEOMETRY}`,
  example: "convertGeometry('EPSG:4326', 'EPSG:3857', 'POINT (0 0)').type // Point",
  min: 3,
  max: 3,
  pure: true,
  run(args, context) {
    const [source = null, target = null] = args;
    if (args.includes(null)) return null;
    const [from, to] = [definitionOf(textOf(source, context)), definitionOf(textOf(target, context))];
    return ofGeometry(this, args, context, async (geometry) => {
      const job: ProjectionJob = { from, to, geometry: JSON.stringify(geometry) };
      return runSteps(geometryMade(await made('geo/projection', job, this, context), `${this.name}()`));
    });
  },
};

export const geo: FunctionCategory = {
  title: 'Geo',
  functions: [
    ...[wktToGeometry, wktToPolygons, getCoordinates],
    ...[makePolygonValid, lineStringsToPolygons, convertGeometry],
  ],
};
