/** Takes geometries to other coordinate reference systems on a thread of its own: the library takes 100 ms to load. */
import proj4 from 'proj4';
import { outcomeOf, type Outcome } from '../outcome.js';

export interface ProjectionJob {
  /** What the library understands: PROJ strings or WKT. */
  readonly from: string;
  readonly to: string;
  /** GeoJSON. */
  readonly geometry: string;
}

interface Json {
  readonly coordinates?: unknown;
  readonly geometries?: readonly Json[];
}

/** GeoJSON. */
export default function project(job: ProjectionJob): Promise<Outcome<string>> {
  return outcomeOf(() => {
    const from = proj4.Proj(job.from);
    const isDegrees = (from as { readonly projName?: string }).projName === 'longlat';
    const converter = proj4(from, job.to);
    const position = (x: number, y: number): number[] => {
      // The library takes others for places, too.
      const isPlace = !isDegrees || (Math.abs(x) <= 360 && Math.abs(y) <= 90);
      const [east = NaN, north = NaN] = isPlace ? attempt(() => converter.forward([x, y])) : [];
      if (Number.isFinite(east) && Number.isFinite(north)) return [east, north];
      throw new Error(`the position ${String(x)} ${String(y)} has no place there`);
    };
    const coordinates = (given: unknown): unknown => {
      if (!Array.isArray(given)) return given;
      return typeof given[0] === 'number' ? position(given[0], Number(given[1])) : given.map(coordinates);
    };
    const geometry = (given: Json): Json =>
      given.geometries === undefined
        ? { ...given, coordinates: coordinates(given.coordinates) }
        : { ...given, geometries: given.geometries.map(geometry) };
    return JSON.stringify(geometry(JSON.parse(job.geometry) as Json));
  });
}

function attempt(work: () => number[]): number[] {
  try {
    return work();
  } catch {
    return [];
  }
}
