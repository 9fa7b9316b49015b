/**
 * Coordinates of UTM in WGS84 as text: zone, band of latitude, easting and northing in metres, such as `32U 439596 5967780`. By the
 * series of Krüger (C. Karney, Transverse Mercator with an accuracy of a few nanometers, 2011) up to the fourth power, which is a
 * library's 100 ms of loading less, and exact to the millimetre.
 */
import type { Position } from './coordinates.js';

/** Bands of 8 degrees from 80 degrees south on; the last has 12. */
const BANDS = 'CDEFGHJKLMNPQRSTUVWX';
const SOUTH = -80;
const NORTH = 84;
/** Metres that eastings and northings stay below. */
const WIDTH = 1_000_000;
const HEIGHT = 10_000_000;
const FALSE_EASTING = 500_000;

const FLATTENING = 1 / 298.257223563;
const N = FLATTENING / (2 - FLATTENING);
/** Metres of the grid for a radian of the meridian. */
const RADIUS = ((0.9996 * 6_378_137) / (1 + N)) * (1 + N ** 2 / 4 + N ** 4 / 64);
const ECCENTRICITY = (2 * Math.sqrt(N)) / (1 + N);
const TO_GRID = [
  N / 2 - (2 * N ** 2) / 3 + (5 * N ** 3) / 16 + (41 * N ** 4) / 180,
  (13 * N ** 2) / 48 - (3 * N ** 3) / 5 + (557 * N ** 4) / 1440,
  (61 * N ** 3) / 240 - (103 * N ** 4) / 140,
  (49_561 * N ** 4) / 161_280,
];
const FROM_GRID = [
  N / 2 - (2 * N ** 2) / 3 + (37 * N ** 3) / 96 - N ** 4 / 360,
  N ** 2 / 48 + N ** 3 / 15 - (437 * N ** 4) / 1440,
  (17 * N ** 3) / 480 - (37 * N ** 4) / 840,
  (4397 * N ** 4) / 161_280,
];
const TO_LATITUDE = [
  2 * N - (2 * N ** 2) / 3 - 2 * N ** 3 + (116 * N ** 4) / 45,
  (7 * N ** 2) / 3 - (8 * N ** 3) / 5 - (227 * N ** 4) / 45,
  (56 * N ** 3) / 15 - (136 * N ** 4) / 35,
  (4279 * N ** 4) / 630,
];

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
const degrees = (angle: number): number => (angle * 180) / Math.PI;
const meridian = (zone: number): number => radians(6 * zone - 183);
const sum = (factors: readonly number[], term: (twice: number) => number): number =>
  factors.reduce((total, factor, i) => total + factor * term(2 * (i + 1)), 0);

/** Norway's west coast is in zone 32, and Svalbard has four zones. */
function zoneOf(latitude: number, longitude: number): number {
  if (latitude >= 56 && latitude < 64 && longitude >= 3 && longitude < 12) return 32;
  if (latitude >= 72 && longitude >= 0 && longitude < 42) {
    return longitude < 9 ? 31 : longitude < 21 ? 33 : longitude < 33 ? 35 : 37;
  }
  return Math.min(60, Math.floor((longitude + 180) / 6) + 1);
}

/** In whole metres; undefined: UTM has no such place. */
export function toUtm(latitude: number, longitude: number): string | undefined {
  if (!(latitude >= SOUTH && latitude <= NORTH && longitude >= -180 && longitude <= 180)) return undefined;
  // The meridian of 180 degrees is one.
  const east = longitude === 180 ? -180 : longitude;
  const zone = zoneOf(latitude, east);
  // The band says on which side of the equator it is, to who reads it.
  const band = BANDS[Math.min(BANDS.length - 1, Math.floor((latitude - SOUTH) / 8))] ?? '';
  const sine = Math.sin(radians(latitude));
  const conformal = Math.sinh(Math.atanh(sine) - ECCENTRICITY * Math.atanh(ECCENTRICITY * sine));
  const angle = radians(east) - meridian(zone);
  const up = Math.atan2(conformal, Math.cos(angle));
  const aside = Math.asinh(Math.sin(angle) / Math.hypot(conformal, Math.cos(angle)));
  const x = aside + sum(TO_GRID, (twice) => Math.cos(twice * up) * Math.sinh(twice * aside));
  const y = up + sum(TO_GRID, (twice) => Math.sin(twice * up) * Math.cosh(twice * aside));
  const easting = Math.round(FALSE_EASTING + RADIUS * x);
  const northing = Math.round(RADIUS * y + (band < 'N' ? HEIGHT : 0));
  return `${String(zone)}${band} ${String(easting)} ${String(northing)}`;
}

const TEXT = /^\s*(\d{1,2})\s*([C-HJ-NP-X])\s+(\d{1,7}(?:\.\d{1,15})?)\s*m?E?\s+(\d{1,8}(?:\.\d{1,15})?)\s*m?N?\s*$/i;

/** Longitude and latitude in degrees; undefined: the text is no such coordinate. */
export function fromUtm(text: string): Position | undefined {
  const [, zone = '', band = '', easting, northing] = TEXT.exec(text) ?? [];
  const number = Number(zone);
  if (number < 1 || number > 60 || Number(easting) > WIDTH || Number(northing) > HEIGHT) return undefined;
  const x = (Number(easting) - FALSE_EASTING) / RADIUS;
  const y = (Number(northing) - (band.toUpperCase() < 'N' ? HEIGHT : 0)) / RADIUS;
  const up = y - sum(FROM_GRID, (twice) => Math.sin(twice * y) * Math.cosh(twice * x));
  const aside = x - sum(FROM_GRID, (twice) => Math.cos(twice * y) * Math.sinh(twice * x));
  const conformal = Math.asin(Math.sin(up) / Math.cosh(aside));
  const latitude = conformal + sum(TO_LATITUDE, (twice) => Math.sin(twice * conformal));
  const longitude = meridian(number) + Math.atan2(Math.sinh(aside), Math.cos(up));
  return [degrees(longitude), degrees(latitude)];
}
