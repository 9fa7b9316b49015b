/** What web services answer that know addresses. */
import { z } from 'zod';
import type { Point } from './geocoder.js';

const coordinate = z.coerce.number().refine(Number.isFinite);
/** Answers understood: a list of `{lat, lon}`, or one object with `latitude`/`longitude` or `lat`/`lon` (or `lng`). */
const answer = z.union([
  z.array(z.object({ lat: coordinate, lon: coordinate })).transform((list) => list[0]),
  z.object({ latitude: coordinate, longitude: coordinate }).transform((o) => ({ lat: o.latitude, lon: o.longitude })),
  z.object({ lat: coordinate, lon: coordinate }),
  z.object({ lat: coordinate, lng: coordinate }).transform((o) => ({ lat: o.lat, lon: o.lng })),
]);

/** The point in the answer of a geocoder; undefined when there is none in it. */
export function pointIn(parsed: unknown): Point | undefined {
  const result = answer.safeParse(parsed);
  const point = result.success ? result.data : undefined;
  return point === undefined ? undefined : { latitude: point.lat, longitude: point.lon };
}
