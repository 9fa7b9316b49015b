/** Coordinate reference systems. Axes are always in the order x, y: longitude or easting first, whatever the system says. */
import { ScriptError } from '../../language/errors.js';

const LONGEST_DEFINITION = 10_000;
const NO_SHIFT = '+towgs84=0,0,0,0,0,0,0';
const WGS84 = '+proj=longlat +datum=WGS84 +no_defs';
/** From the Deutsches Hauptdreiecksnetz to WGS84, as EPSG:1777 says: to some metres. */
const POTSDAM = '+ellps=bessel +towgs84=598.1,73.7,418.2,0.202,0.045,-2.455,6.7';
const MERCATOR =
  '+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m +nadgrids=@null +wktext +no_defs';

/** EPSG codes that stand for themselves. */
const CODES: ReadonlyMap<number, string> = new Map([
  [4326, WGS84],
  [4258, `+proj=longlat +ellps=GRS80 ${NO_SHIFT} +no_defs`],
  [4269, `+proj=longlat +ellps=GRS80 ${NO_SHIFT} +no_defs`],
  [4314, `+proj=longlat ${POTSDAM} +no_defs`],
  [3857, MERCATOR],
  [900913, MERCATOR],
  [
    3034,
    `+proj=lcc +lat_1=35 +lat_2=65 +lat_0=52 +lon_0=10 +x_0=4000000 +y_0=2800000 +ellps=GRS80 ${NO_SHIFT} +units=m +no_defs`,
  ],
  [3035, `+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 +ellps=GRS80 ${NO_SHIFT} +units=m +no_defs`],
]);

export const SYSTEMS =
  'Systems: EPSG:4326 and CRS84, 4258, 4269, 4314, 3857, 3034, 3035, 25828 to 25838 and 326xx, 327xx (zones of UTM), 31466 to 31469; ' +
  'any other as a PROJ string or in WKT.';

/** Geographic systems whose names as a URN promise the latitude first. */
export const LATITUDE_FIRST: ReadonlySet<number> = new Set([4326, 4258, 4269, 4314]);

/** A zone of UTM in WGS84. */
function utmZone(zone: number, isSouth: boolean): string {
  return `+proj=utm +zone=${String(zone)} ${isSouth ? '+south ' : ''}+datum=WGS84 +units=m +no_defs`;
}

function byCode(code: number): string | undefined {
  const zone = code % 100;
  if (code > 32600 && code <= 32660) return utmZone(zone, false);
  if (code > 32700 && code <= 32760) return utmZone(zone, true);
  if (code >= 25828 && code <= 25838)
    return `+proj=utm +zone=${String(zone)} +ellps=GRS80 ${NO_SHIFT} +units=m +no_defs`;
  if (code >= 31466 && code <= 31469) {
    const strip = code - 31464;
    return `+proj=tmerc +lat_0=0 +lon_0=${String(3 * strip)} +k=1 +x_0=${String(strip)}500000 +y_0=0 ${POTSDAM} +units=m +no_defs`;
  }
  return CODES.get(code);
}

/** The EPSG code in the name of a system: `EPSG:25832`, `25832`, or that as URN or URL; undefined: there is none. */
export function epsgCode(name: string): number | undefined {
  const found =
    /^(?:EPSG:+|urn:(?:x-)?ogc:def:crs:EPSG:[\d.]*:|https?:\/\/www\.opengis\.net\/(?:def\/crs\/EPSG\/[\d.]+\/|gml\/srs\/epsg\.xml#))?(\d{4,6})$/i.exec(
      name.trim(),
    );
  return found === null ? undefined : Number(found[1]);
}

/** What the library of threads understands (`workers/geo/projection.ts`). Throws `ScriptError` 422. */
export function definitionOf(name: string): string {
  const text = name.trim();
  const code = epsgCode(text);
  const known = code === undefined ? undefined : byCode(code);
  if (known !== undefined) return known;
  if (/^(?:urn:ogc:def:crs:OGC:[\d.]*:|OGC:|https?:\/\/www\.opengis\.net\/def\/crs\/OGC\/1\.3\/)?CRS84$/i.test(text))
    return WGS84;
  const isText = /^\+proj=\w/.test(text) || /^(?:PROJ|GEOG|GEOD|GEOC|BOUND)[A-Z]*\s*[[(]/i.test(text);
  if (isText && text.length <= LONGEST_DEFINITION) return text;
  throw new ScriptError(422, `The coordinate reference system ${shown(name)} is unknown. ${SYSTEMS}`);
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 100));
