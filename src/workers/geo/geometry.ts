/** Makes polygons on a thread of its own (`scripting/functions/geo/geo.ts`): how long that takes depends on how lines cross. */
import InteriorPointArea from 'jsts/org/locationtech/jts/algorithm/InteriorPointArea.js';
import ArrayList from 'jsts/java/util/ArrayList.js';
import GeometryFactory from 'jsts/org/locationtech/jts/geom/GeometryFactory.js';
import PrecisionModel from 'jsts/org/locationtech/jts/geom/PrecisionModel.js';
import GeoJSONReader from 'jsts/org/locationtech/jts/io/GeoJSONReader.js';
import GeoJSONWriter from 'jsts/org/locationtech/jts/io/GeoJSONWriter.js';
import GeometryNoder from 'jsts/org/locationtech/jts/noding/snapround/GeometryNoder.js';
import Polygonizer from 'jsts/org/locationtech/jts/operation/polygonize/Polygonizer.js';
import IsValidOp from 'jsts/org/locationtech/jts/operation/valid/IsValidOp.js';
import { outcomeOf, type Outcome } from '../outcome.js';

export interface GeometryJob {
  /** GeoJSON: of a Polygon or MultiPolygon one that keeps the rules is made, of a MultiLineString the polygons that its lines enclose. */
  readonly geometry: string;
  /** Coordinates that are answered. */
  readonly most: number;
}

/** The library; its own types say little. */
interface Shape {
  isEmpty(): boolean;
  getNumPoints(): number;
  getCoordinates(): readonly { readonly x: number; readonly y: number }[];
}
type Point = readonly [number, number];
type Line = readonly Point[];
type Json =
  | { readonly type: 'Polygon' | 'MultiLineString'; readonly coordinates: readonly Line[] }
  | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly Line[])[] };

/** Places of the grid, which is that of the largest number: with more, rounding makes lines cross that did not. */
const DIGITS = 12;

const factory = new GeometryFactory();
const read = (json: Json): Shape => new GeoJSONReader(factory).read(json) as Shape;
const EMPTY: Json = { type: 'Polygon', coordinates: [] };
const write = (shape: Shape): Json => (shape.isEmpty() ? EMPTY : (new GeoJSONWriter().write(shape) as Json));
const isValid = (shape: Shape): boolean => IsValidOp.isValid(shape);

/** GeoJSON: one geometry, or of lines a list of them. */
export default function make(job: GeometryJob): Promise<Outcome<string>> {
  return outcomeOf(() => {
    const given = JSON.parse(job.geometry) as Json;
    const made = given.type === 'MultiLineString' ? facesOf(noded(given.coordinates)).map(write) : valid(given);
    const count = [made].flat().reduce((sum, { coordinates }) => sum + coordinates.flat(2).length, 0);
    if (count > job.most) throw new Error(`the result has more than ${String(job.most)} coordinates`);
    return JSON.stringify(made);
  });
}

/** Lines cut where they cross or touch, on a grid; each piece between two points once. */
function noded(lines: readonly Line[]): Line[] {
  const drawn = lines.map(withoutRepetitions).filter((line) => line.length > 1);
  const largest = drawn.flat(2).reduce((most, one) => Math.max(most, Math.abs(one)), Number.MIN_VALUE);
  const scale = 10 ** (DIGITS - Math.ceil(Math.log10(largest)));
  if (drawn.length === 0 || !Number.isFinite(scale)) return drawn;
  const rounded = drawn.map((line) =>
    withoutRepetitions(line.map(([x, y]) => [Math.round(x * scale) / scale, Math.round(y * scale) / scale])),
  );
  const given = new ArrayList(undefined);
  for (const line of rounded) if (line.length > 1) given.add(read({ type: 'MultiLineString', coordinates: [line] }));
  const cut = new GeometryNoder(new PrecisionModel(scale)).node(given).toArray() as Shape[];
  return piecesOf(
    cut.map((line) => line.getCoordinates().map(({ x, y }): Point => [x, y])),
    () => true,
  );
}

/** Pieces of lines between two points, of those that come so many times as is wanted. */
function piecesOf(lines: readonly Line[], isWanted: (times: number) => boolean): Line[] {
  const pieces = new Map<string, { readonly piece: Line; times: number }>();
  for (const line of lines) {
    for (let i = 1; i < line.length; i++) {
      const piece = [line[i - 1], line[i]] as [Point, Point];
      const key = piece.map(String).sort().join(' ');
      const known = pieces.get(key);
      if (known === undefined) pieces.set(key, { piece, times: 1 });
      else known.times++;
    }
  }
  return [...pieces.values()].filter(({ times }) => isWanted(times)).map(({ piece }) => piece);
}

/** Faces between pieces of lines that meet at their ends alone. */
function facesOf(pieces: readonly Line[]): Shape[] {
  if (pieces.length === 0) return [];
  const polygonizer = new Polygonizer();
  polygonizer.add(read({ type: 'MultiLineString', coordinates: pieces }));
  return polygonizer.getPolygons().toArray() as Shape[];
}

function withoutRepetitions(line: Line): Line {
  return line.filter(([x, y], i) => i === 0 || x !== line[i - 1]?.[0] || y !== line[i - 1]?.[1]);
}

/** What counts as inside is what lies behind an odd number of lines: so holes stay such, and both parts of a bow remain. */
function valid(given: Json): Json {
  const polygons = given.type === 'MultiPolygon' ? given.coordinates : [given.coordinates];
  const kept = polygons
    .map((rings) => rings.map((ring) => closed(withoutRepetitions(ring))).filter((ring) => ring.length > 3))
    .filter((rings) => rings.length > 0);
  const [first] = kept;
  if (first === undefined) return EMPTY;
  const plain: Json =
    given.type === 'MultiPolygon'
      ? { type: 'MultiPolygon', coordinates: kept }
      : { type: 'Polygon', coordinates: first };
  if (isValid(read(plain))) return plain;
  const isInside = (face: Shape): boolean => {
    const point = innerPoint(face);
    return kept.some((rings) => isWithin(point, rings));
  };
  // Faces side by side become one: only what is the border of one of them is a border.
  const faces = facesOf(noded(kept.flat())).filter(isInside);
  const borders = piecesOf(
    faces.flatMap((face) => ringsOf(face)),
    (times) => times === 1,
  );
  const parts = facesOf(borders).filter(isInside);
  const all: Json =
    parts.length === 1 && parts[0] !== undefined
      ? write(parts[0])
      : { type: 'MultiPolygon', coordinates: parts.map((part) => ringsOf(part)) };
  if (parts.length === 0) return EMPTY;
  if (!isValid(read(all))) throw new Error('its lines are too close to each other');
  return all;
}

function ringsOf(face: Shape): readonly Line[] {
  return write(face).coordinates as readonly Line[];
}

function closed(ring: Line): Line {
  const [first, last] = [ring[0], ring.at(-1)];
  return first === undefined || (first[0] === last?.[0] && first[1] === last[1]) ? ring : [...ring, first];
}

function innerPoint(face: Shape): Point {
  const { x, y } = InteriorPointArea.getInteriorPoint(face) as { readonly x: number; readonly y: number };
  return [x, y];
}

function isWithin([x, y]: Point, rings: readonly Line[]): boolean {
  let inside = false;
  for (const ring of rings) {
    for (let i = 1; i < ring.length; i++) {
      const [[x1, y1] = [NaN, NaN], [x2, y2] = [NaN, NaN]] = [ring[i - 1], ring[i]];
      if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
    }
  }
  return inside;
}
