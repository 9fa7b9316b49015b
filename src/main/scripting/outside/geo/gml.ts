/** Features of GML (versions 2 and 3) as services of features answer them. */
import { textIn, type XmlElement } from '../../language/formats/xml-document.js';
import { Turns, type Steps } from '../../language/steps.js';
import type { ScriptValue } from '../../language/values.js';
import { epsgCode, LATITUDE_FIRST } from './crs.js';
import { CoordinateCount, GeometryObject } from './geometry.js';
import type { Position, Ring, Geometry } from './coordinates.js';
import { childrenOf, localName } from './xml-names.js';

const LINES = ['LineString', 'LinearRing', 'LineStringSegment', 'Curve', 'Ring', 'CompositeCurve'];
const POLYGONS = ['Polygon', 'PolygonPatch', 'Surface', 'Rectangle'];
const COLLECTIONS = ['MultiPoint', 'MultiLineString', 'MultiCurve', 'MultiPolygon', 'MultiSurface', 'MultiGeometry'];
const GEOMETRIES: ReadonlySet<string> = new Set(['Point', ...LINES, ...POLYGONS, ...COLLECTIONS]);
const WHAT = 'getWfsData()';

/** Maps {id, geometry, properties} of a collection. */
export function* gmlFeatures(collection: XmlElement): Steps<ScriptValue[]> {
  const turns = new Turns(WHAT, 60_000);
  const found: ScriptValue[] = [];
  for (const member of childrenOf(collection, 'member', 'featureMember', 'featureMembers')) {
    for (const element of childrenOf(member)) {
      let geometry: ScriptValue = null;
      const properties = new Map<string, ScriptValue>();
      for (const child of childrenOf(element)) {
        const name = localName(child);
        const [shape] = childrenOf(child);
        if (name === 'boundedBy') continue;
        if (shape !== undefined && GEOMETRIES.has(localName(shape))) {
          const read = geometryIn(shape);
          if (read !== undefined) geometry ??= new GeometryObject(read);
        } else properties.set(name, valueOf(child));
        yield* turns.pause();
      }
      found.push(
        new Map<string, ScriptValue>([
          ['id', element.attributes.get('gml:id') ?? element.attributes.get('fid') ?? null],
          ['geometry', geometry],
          ['properties', properties],
        ]),
      );
      yield* turns.pause();
    }
  }
  return found;
}

function valueOf(element: XmlElement): ScriptValue {
  const isNil = [...element.attributes].some(([name, value]) => name.endsWith(':nil') && value === 'true');
  return isNil ? null : textIn(element).trim();
}

/** Undefined: it is one of those that are not read. */
function geometryIn(element: XmlElement): Geometry | undefined {
  return new Reading(element).geometry(element);
}

class Reading {
  private readonly counted = new CoordinateCount(WHAT);
  private readonly latitudeFirst: boolean;
  private readonly dimension: number;

  constructor(outermost: XmlElement) {
    const system = outermost.attributes.get('srsName') ?? '';
    const code = epsgCode(system);
    // Short names, and URLs of old, promise what everybody does: x before y.
    this.latitudeFirst = code !== undefined && LATITUDE_FIRST.has(code) && /^(?:urn|http:.*\/def\/)/.test(system);
    this.dimension = Number(outermost.attributes.get('srsDimension') ?? 2);
  }

  geometry(element: XmlElement): Geometry | undefined {
    const name = localName(element);
    if (name === 'Point') return { type: 'Point', coordinates: this.positions(element)[0] ?? [] };
    if (LINES.includes(name)) return { type: 'LineString', coordinates: this.line(element) };
    if (POLYGONS.includes(name)) return this.polygon(element);
    return COLLECTIONS.includes(name) ? this.collection(element) : undefined;
  }

  /** Positions directly within it, or within its parts. */
  private line(element: XmlElement): Ring {
    const own = this.positions(element);
    if (own.length > 0) return own;
    return childrenOf(element).flatMap((part) => this.line(part));
  }

  private polygon(element: XmlElement): Geometry {
    const patches = childrenOf(element, 'patches', 'polygonPatches').flatMap((part) => childrenOf(part));
    const polygons = (patches.length > 0 ? patches : [element]).map((patch) =>
      childrenOf(patch, 'exterior', 'outerBoundaryIs', 'interior', 'innerBoundaryIs').map((border) =>
        this.line(border),
      ),
    );
    const [first = [], ...more] = polygons;
    return more.length === 0
      ? { type: 'Polygon', coordinates: first }
      : { type: 'MultiPolygon', coordinates: polygons };
  }

  private collection(element: XmlElement): Geometry {
    const parts = childrenOf(element)
      .flatMap((member) => childrenOf(member))
      .flatMap((one) => this.geometry(one) ?? []);
    const points = parts.flatMap((one) =>
      one.type === 'Point' && one.coordinates.length === 2 ? [one.coordinates] : [],
    );
    const lines = parts.flatMap((one) => (one.type === 'LineString' ? [one.coordinates] : []));
    const polygons = parts.flatMap((one) =>
      one.type === 'Polygon' ? [one.coordinates] : one.type === 'MultiPolygon' ? [...one.coordinates] : [],
    );
    if (lines.length === parts.length && parts.length > 0) return { type: 'MultiLineString', coordinates: lines };
    if (points.length === parts.length) return { type: 'MultiPoint', coordinates: points };
    const areOfPolygons = parts.every(({ type }) => type === 'Polygon' || type === 'MultiPolygon');
    if (areOfPolygons) return { type: 'MultiPolygon', coordinates: polygons };
    return { type: 'GeometryCollection', geometries: parts };
  }

  private positions(element: XmlElement): Position[] {
    const found: Position[] = [];
    for (const child of childrenOf(element, 'pos', 'posList', 'coordinates')) {
      const name = localName(child);
      // One by one, as there may be more than a geometry has.
      const words = textIn(child).matchAll(/\S+/g);
      if (name === 'coordinates') {
        for (const [pair] of words) this.add(found, pair.split(',', 2).map(Number));
        continue;
      }
      const given = Number(child.attributes.get('srsDimension') ?? this.dimension);
      const size = name === 'pos' ? Infinity : given === 3 ? 3 : 2;
      let numbers: number[] = [];
      let count = 0;
      for (const [word] of words) {
        if (numbers.length < 2) numbers.push(Number(word));
        if (++count % size !== 0) continue;
        this.add(found, numbers);
        numbers = [];
      }
      if (numbers.length > 0) this.add(found, numbers);
    }
    return found;
  }

  private add(found: Position[], [first = NaN, second = NaN]: readonly number[]): void {
    this.counted.add();
    if (!Number.isFinite(first) || !Number.isFinite(second)) return;
    found.push(this.latitudeFirst ? [second, first] : [first, second]);
  }
}
