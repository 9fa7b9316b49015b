/** Geometries of scripts (docs/interface/script-runtime.md 8.12): in the plane, in the form of GeoJSON (RFC 7946). Heights are left out. */
import { ScriptError } from '../../language/errors.js';
import type { Steps, Turns } from '../../language/steps.js';
import type { ScriptMap, ScriptObject, ScriptValue, ValueForms } from '../../language/values.js';
import type { Geometry, Position, Ring } from './coordinates.js';
import { wktOf } from './wkt-text.js';

/** Coordinates of one geometry: it is written, and handed to threads, at once. */
export const MOST_COORDINATES = 50_000;
/** Bytes of a coordinate, about. */
const COORDINATE = 64;
/** Parts that collections have, and levels of them. */
export const DEEPEST = 10;

/** What hands coordinates over to a geometry, which has only so many. Throws `ScriptError` 422. */
export class CoordinateCount {
  count = 0;

  constructor(private readonly what: string) {}

  add(): void {
    if (++this.count > MOST_COORDINATES) {
      throw new ScriptError(
        422,
        `${this.what}: a geometry has at most ${String(MOST_COORDINATES)} coordinates and parts.`,
      );
    }
  }
}

/** Calls back for each coordinate, in order. */
export function eachPosition(geometry: Geometry, use: (position: Position) => void): void {
  switch (geometry.type) {
    case 'Point':
      if (geometry.coordinates.length === 2) use(geometry.coordinates);
      return;
    case 'GeometryCollection':
      for (const one of geometry.geometries) eachPosition(one, use);
      return;
    case 'MultiPoint':
    case 'LineString':
      geometry.coordinates.forEach((one) => use(one));
      return;
    case 'MultiPolygon':
      geometry.coordinates.flat(2).forEach((one) => use(one));
      return;
    default:
      geometry.coordinates.flat().forEach((one) => use(one));
  }
}

/** Its polygons, each as a geometry of its own. */
export function polygonsIn(geometry: Geometry): Geometry[] {
  if (geometry.type === 'Polygon') return [geometry];
  if (geometry.type === 'MultiPolygon') {
    return geometry.coordinates.map((coordinates) => ({ type: 'Polygon', coordinates }));
  }
  return geometry.type === 'GeometryCollection' ? geometry.geometries.flatMap(polygonsIn) : [];
}

/** Lists of its own for who may change them. */
function copied(value: readonly unknown[]): ScriptValue[] {
  return value.map((one) => (Array.isArray(one) ? copied(one) : (one as number)));
}

function formOf(geometry: Geometry): ScriptMap {
  const { type } = geometry;
  return geometry.type === 'GeometryCollection'
    ? new Map<string, ScriptValue>([
        ['type', type],
        ['geometries', geometry.geometries.map(formOf)],
      ])
    : new Map<string, ScriptValue>([
        ['type', type],
        ['coordinates', copied(geometry.coordinates)],
      ]);
}

/** A geometry as scripts see it. */
export class GeometryObject implements ScriptObject {
  readonly isScriptObject = true;
  readonly title = 'A geometry';
  readonly asValue: ValueForms;

  constructor(readonly geometry: Geometry) {
    let count = 1;
    eachPosition(geometry, () => count++);
    let text: string | undefined;
    this.asValue = { text: () => (text ??= wktOf(geometry)), json: () => formOf(geometry), size: count * COORDINATE };
  }

  get(key: string): ScriptValue {
    if (key === 'wkt') return this.asValue.text();
    if (!this.keys().includes(key)) return null;
    return formOf(this.geometry).get(key) ?? null;
  }

  keys(): readonly string[] {
    return this.geometry.type === 'GeometryCollection' ? ['type', 'geometries'] : ['type', 'coordinates'];
  }
}

/** What GeoJSON consists of: lists and objects, of scripts or as they were parsed. */
interface Source {
  member(name: string): unknown;
}

export function sourceOf(value: unknown): Source | undefined {
  if (value instanceof Map) return { member: (name) => value.get(name) as unknown };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return { member: (name) => (Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined) };
}

/** A pair of finite numbers; undefined: it is none. */
export function positionIn(value: unknown): Position | undefined {
  if (!Array.isArray(value) || value.length < 2) return undefined;
  const [x, y] = [Number(value[0]), Number(value[1])];
  const isNumber = (one: unknown): boolean => typeof one === 'number' || typeof one === 'bigint';
  if (!isNumber(value[0]) || !isNumber(value[1])) return undefined;
  return Number.isFinite(x) && Number.isFinite(y) ? [x, y] : undefined;
}

/** Reads GeoJSON; undefined: it is none. Throws `ScriptError` 422 when it is too large. */
export function* fromGeoJson(source: Source, turns: Turns, what: string): Steps<Geometry | undefined> {
  const counted = new CoordinateCount(what);
  try {
    return yield* reading(source, 0);
  } catch (error) {
    if (error instanceof NoGeometry) return undefined;
    throw error;
  }

  function* reading(from: Source, depth: number): Steps<Geometry> {
    const type = from.member('type');
    const coordinates = from.member('coordinates');
    counted.add();
    switch (type) {
      case 'Point':
        return { type, coordinates: listOf(coordinates).length === 0 ? [] : position(coordinates) };
      case 'MultiPoint':
      case 'LineString':
        return { type, coordinates: yield* ring(coordinates) };
      case 'MultiLineString':
      case 'Polygon':
        return { type, coordinates: yield* rings(coordinates) };
      case 'MultiPolygon': {
        const polygons: Ring[][] = [];
        for (const one of listOf(coordinates)) polygons.push(yield* rings(one));
        return { type, coordinates: polygons };
      }
      case 'GeometryCollection': {
        const geometries: Geometry[] = [];
        for (const one of listOf(from.member('geometries'))) {
          const inner = sourceOf(one);
          if (inner === undefined || depth >= DEEPEST) throw new NoGeometry();
          geometries.push(yield* reading(inner, depth + 1));
        }
        return { type, geometries };
      }
      default:
        throw new NoGeometry();
    }
  }
  function position(value: unknown): Position {
    counted.add();
    const found = positionIn(value);
    if (found === undefined) throw new NoGeometry();
    return found;
  }
  function* ring(value: unknown): Steps<Ring> {
    counted.add();
    const found: Position[] = [];
    for (const one of listOf(value)) {
      found.push(position(one));
      yield* turns.pause();
    }
    return found;
  }
  function* rings(value: unknown): Steps<Ring[]> {
    counted.add();
    const found: Ring[] = [];
    for (const one of listOf(value)) found.push(yield* ring(one));
    return found;
  }
}

class NoGeometry extends Error {}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new NoGeometry();
  return value;
}
