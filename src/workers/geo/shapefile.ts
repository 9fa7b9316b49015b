/** Reads shapefiles on a thread of its own (`scripting/functions/geo/geo-formats.ts`). */
import { createRequire } from 'node:module';
import { outcomeOf, type Outcome } from '../outcome.js';

export interface ShapefileJob {
  readonly shp: Uint8Array;
  /** Values of the features; undefined: they have none. */
  readonly dbf: Uint8Array | undefined;
  /** The charset of their texts; undefined: as the library guesses. */
  readonly charset: string | undefined;
  /** Limits: features, characters of one of them, and of the answer. */
  readonly mostFeatures: number;
  readonly longestFeature: number;
  readonly longest: number;
}

/** Lists of pairs of a geometry in GeoJSON, or null, and values, each list as JSON text; dates are `{"d": milliseconds}`. */
export type ShapefilePieces = readonly string[];

/** The library; it has no types. */
interface Library {
  open(
    shp: Uint8Array,
    dbf: Uint8Array | undefined,
    options: { readonly encoding?: string },
  ): Promise<{ read(): Promise<{ readonly done: boolean; readonly value?: Feature }> }>;
}
interface Feature {
  readonly geometry: object | null;
  readonly properties: Readonly<Record<string, unknown>> | null;
}

const library = createRequire(import.meta.url)('shapefile') as Library;

/** Characters in a text: the loop reads one at a time. */
const PIECE = 64 * 1024;

export default function read(job: ShapefileJob): Promise<Outcome<ShapefilePieces>> {
  return outcomeOf(async () => {
    const source = await library.open(job.shp, job.dbf, job.charset === undefined ? {} : { encoding: job.charset });
    const pieces: string[] = [];
    let piece: string[] = [];
    let length = 0;
    let count = 0;
    let total = 0;
    const finish = (): void => {
      if (piece.length > 0) pieces.push(`[${piece.join(',')}]`);
      piece = [];
      length = 0;
    };
    for (let next = await source.read(); !next.done && next.value !== undefined; next = await source.read()) {
      if (++count > job.mostFeatures) throw new Error(`it has more than ${String(job.mostFeatures)} features`);
      const text = JSON.stringify([next.value.geometry, packed(next.value.properties ?? {})]);
      if (text.length > job.longestFeature) throw new Error('one of its features is too large');
      length += text.length;
      total += text.length;
      if (total > job.longest)
        throw new Error(`it holds more than ${String(job.longest)} characters of coordinates and values`);
      piece.push(text);
      if (length > PIECE) finish();
    }
    finish();
    return pieces;
  });
}

function packed(properties: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(properties).map(([key, value]) => {
      if (!(value instanceof Date)) return [key, value];
      return [key, Number.isNaN(value.getTime()) ? null : { d: value.getTime() }];
    }),
  );
}
