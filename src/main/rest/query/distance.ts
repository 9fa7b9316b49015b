/** Distance search: `_latlon` or an address, and `_distance` (docs/interface/rest.md 2.3). */
import type { Predicate } from '../../graph/index.js';
import type { Address, Geocoder } from '../geocoder/geocoder.js';
import type { Point } from '../geocoder/point.js';
import { RestError } from '../errors.js';
import type { Parameters, ReservedName } from '../request/parameters.js';

const ADDRESS: readonly (ReservedName & keyof Address)[] = [
  'street',
  'house',
  'postalCode',
  'city',
  'state',
  'country',
];
/** What means something together with a distance. */
const PLACES: readonly ReservedName[] = ['latlon', 'location', ...ADDRESS];
/** Matches nothing: an address that is not found is near nothing. */
const NOWHERE: Predicate = { op: 'in', key: 'id', values: [] };

/**
 * The condition of a distance search; undefined when none is asked for or `_latlon` cannot be read. Throws `RestError` when
 * the distance is no number or from nowhere, or an address is given and no geocoder is configured; with `strict` for all
 * that would mean no search.
 */
export async function distanceFilter(
  parameters: Parameters,
  geocoder: Geocoder | undefined,
  strict: boolean,
): Promise<Predicate | undefined> {
  const text = parameters.text('distance');
  if (text === undefined) {
    const place = strict ? PLACES.find((name) => parameters.has(name)) : undefined;
    if (place !== undefined) {
      const [given, missing] = [parameters.nameOf(place), parameters.nameOf('distance')];
      throw new RestError(400, `${given} needs ${missing}, a number of kilometres.`);
    }
    return undefined;
  }
  const kilometres = /^\s*[+-]?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : Number.NaN;
  const latlon = parameters.text('latlon');
  let centre: Point | undefined;
  if (latlon !== undefined) {
    const [latitude = Number.NaN, longitude = Number.NaN, ...more] = latlon
      .split(',')
      .map((p) => (p.trim() === '' ? Number.NaN : Number(p)));
    if (more.length > 0 || ![latitude, longitude, kilometres].every(Number.isFinite)) {
      if (!strict) return undefined;
      const [centreName, distanceName] = [parameters.nameOf('latlon'), parameters.nameOf('distance')];
      throw new RestError(400, `${centreName} must be two numbers, and ${distanceName} one of kilometres.`);
    }
    centre = { latitude, longitude };
  } else {
    if (!Number.isFinite(kilometres))
      throw new RestError(400, `${parameters.nameOf('distance')} must be a number of kilometres, not "${text}".`);
    const address = addressOf(parameters);
    if (address === undefined) {
      const [from, distance] = [parameters.nameOf('latlon'), parameters.nameOf('distance')];
      throw new RestError(400, `${distance} needs ${from} or an address to measure from.`);
    }
    if (geocoder === undefined) {
      throw new RestError(422, 'A search by address needs a geocoder: set geocoding.provider, or send _latlon.');
    }
    centre = await geocoder.find(address);
    if (centre === undefined) return NOWHERE;
  }
  return { op: 'distance', latitudeKey: 'latitude', longitudeKey: 'longitude', ...centre, kilometres };
}

function addressOf(parameters: Parameters): Address | undefined {
  const location = parameters.text('location');
  if (location !== undefined) return { location };
  const address: Partial<Record<keyof Address, string>> = {};
  for (const name of ADDRESS) {
    const value = parameters.text(name);
    if (value !== undefined && value !== '') address[name] = value;
  }
  return Object.keys(address).length > 0 ? address : undefined;
}
