/** Geometries as WKT (OGC 06-103r4, 7.2): `POINT (8.6 50.1)`, x before y. */
import type { Position, Ring, Geometry } from './coordinates.js';

const plain = new Intl.NumberFormat('en', { useGrouping: false, maximumSignificantDigits: 17 });

/** From here on, and below the other, numbers have an exponent: nothing is there, and they would have hundreds of digits. */
const LARGE = 1e21;
const SMALL = 1e-20;

/** Mostly without an exponent, which not everybody reads. */
function number(value: number): string {
  const text = String(value);
  const size = Math.abs(value);
  return text.includes('e') && size < LARGE && size > SMALL ? plain.format(value) : text;
}

const position = ([x, y]: Position): string => `${number(x)} ${number(y)}`;
const list = <T>(all: readonly T[], write: (one: T) => string): string =>
  all.length === 0 ? 'EMPTY' : `(${all.map(write).join(', ')})`;
const ring = (all: Ring): string => list(all, position);
const rings = (all: readonly Ring[]): string => list(all, ring);

/** The text of a geometry. */
export function wktOf(geometry: Geometry): string {
  const name = geometry.type.toUpperCase();
  switch (geometry.type) {
    case 'Point':
      return geometry.coordinates.length === 2 ? `${name} (${position(geometry.coordinates)})` : `${name} EMPTY`;
    case 'LineString':
      return `${name} ${ring(geometry.coordinates)}`;
    case 'MultiPoint':
      return `${name} ${list(geometry.coordinates, (one) => `(${position(one)})`)}`;
    case 'MultiLineString':
    case 'Polygon':
      return `${name} ${rings(geometry.coordinates)}`;
    case 'MultiPolygon':
      return `${name} ${list(geometry.coordinates, rings)}`;
    case 'GeometryCollection':
      return `${name} ${list(geometry.geometries, wktOf)}`;
  }
}
