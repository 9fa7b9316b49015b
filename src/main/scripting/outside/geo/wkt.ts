/**
 * Reads WKT (OGC 06-103r4, 7.2). Own code, for parsers of libraries hold the loop until they are done; EWKT's `SRID=...;` in front
 * and values behind x and y (Z, M) are skipped.
 */
import { ScriptError } from '../../language/errors.js';
import { Turns, type Steps } from '../../language/steps.js';
import { CoordinateCount, DEEPEST } from './geometry.js';
import type { Position, Ring, Geometry } from './coordinates.js';

/** Characters of a text. */
export const LONGEST_WKT = 4 * 1024 * 1024;
const SRID = /^\s*SRID\s*=\s*\d{1,9}\s*;/i;
const TOKEN = /\s*([A-Za-z]+|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,4})?|[(),])/y;

/** The geometry that a text means. Throws `ScriptError` 422 that says where it cannot be read, or that it is too large. */
export function* readWkt(text: string, what: string): Steps<Geometry> {
  if (text.length > LONGEST_WKT) {
    throw new ScriptError(422, `${what}: WKT has at most ${String(LONGEST_WKT)} characters.`);
  }
  return yield* new Reading(text, what).all();
}

class Reading {
  private at = 0;
  private token = '';
  private readonly counted: CoordinateCount;
  private readonly turns: Turns;

  constructor(
    private readonly text: string,
    private readonly what: string,
  ) {
    this.counted = new CoordinateCount(what);
    this.turns = new Turns(what);
    this.at = SRID.exec(text)?.[0].length ?? 0;
    this.next();
  }

  *all(): Steps<Geometry> {
    const geometry = yield* this.geometry(0);
    if (this.token !== '') this.refuse();
    return geometry;
  }

  private *geometry(depth: number): Steps<Geometry> {
    const name = this.token.toUpperCase();
    // `POINTZ` is written as well as `POINT Z`.
    const kind = KINDS.find(
      (one) => name === one || /^(?:Z|M|ZM)$/.test(name.startsWith(one) ? name.slice(one.length) : ''),
    );
    if (kind === undefined || depth > DEEPEST) return this.refuse();
    this.next();
    if (/^(?:Z|M|ZM)$/i.test(this.token)) this.next();
    this.counted.add();
    switch (kind) {
      case 'POINT': {
        if (this.isEmpty()) return { type: 'Point', coordinates: [] };
        this.expect('(');
        const coordinates = this.position();
        this.expect(')');
        return { type: 'Point', coordinates };
      }
      case 'LINESTRING':
      case 'LINEARRING':
        return { type: 'LineString', coordinates: yield* this.ring() };
      case 'POLYGON':
        return { type: 'Polygon', coordinates: yield* this.rings() };
      case 'MULTIPOINT':
        return { type: 'MultiPoint', coordinates: yield* this.list(() => this.point()) };
      case 'MULTILINESTRING':
        return { type: 'MultiLineString', coordinates: yield* this.rings() };
      case 'MULTIPOLYGON':
        return { type: 'MultiPolygon', coordinates: yield* this.list(() => this.rings()) };
      case 'GEOMETRYCOLLECTION':
        return { type: 'GeometryCollection', geometries: yield* this.list(() => this.geometry(depth + 1)) };
    }
  }

  /** `(one, one)`, or `EMPTY`. */
  private *list<T>(one: () => Steps<T>): Steps<T[]> {
    const found: T[] = [];
    if (this.isEmpty()) return found;
    this.expect('(');
    do {
      found.push(yield* one());
      yield* this.turns.pause();
    } while (this.skip(','));
    this.expect(')');
    return found;
  }

  private ring(): Steps<Ring> {
    this.counted.add();
    return this.list(() => this.vertex());
  }

  private *vertex(): Steps<Position> {
    return this.position();
  }

  private rings(): Steps<Ring[]> {
    this.counted.add();
    return this.list(() => this.ring());
  }

  /** Of several; the parentheses may be missing. */

  private *point(): Steps<Position> {
    const inside = this.skip('(');
    const position = this.position();
    if (inside) this.expect(')');
    return position;
  }

  private position(): Position {
    this.counted.add();
    const x = this.number();
    const y = this.number();
    for (let more = 0; more < 2 && !/^[(),]?$/.test(this.token); more++) this.number();
    return [x, y];
  }

  private number(): number {
    const value = this.token === '' ? NaN : Number(this.token);
    if (!Number.isFinite(value)) this.refuse();
    this.next();
    return value;
  }

  private isEmpty(): boolean {
    if (this.token.toUpperCase() !== 'EMPTY') return false;
    this.next();
    return true;
  }

  private skip(token: string): boolean {
    if (this.token !== token) return false;
    this.next();
    return true;
  }

  private expect(token: string): void {
    if (!this.skip(token)) this.refuse();
  }

  private next(): void {
    TOKEN.lastIndex = this.at;
    const found = TOKEN.exec(this.text);
    if (found === null && this.text.slice(this.at).trim() !== '') this.refuse();
    this.token = found?.[1] ?? '';
    this.at = found === null ? this.text.length : TOKEN.lastIndex;
  }

  private refuse(): never {
    const at = Math.max(0, this.at - this.token.length);
    const near = JSON.stringify(this.text.slice(at, at + 40));
    throw new ScriptError(422, `${this.what} cannot read this WKT at character ${String(at + 1)}: ${near}.`);
  }
}

const KINDS = [
  ...(['POINT', 'LINESTRING', 'LINEARRING', 'POLYGON', 'MULTIPOINT', 'MULTILINESTRING', 'MULTIPOLYGON'] as const),
  'GEOMETRYCOLLECTION',
] as const;
