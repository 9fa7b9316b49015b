/** Files of positions and geometries (docs/interface/script-runtime.md 8.12). */
import type { ShapefileJob, ShapefilePieces } from '../../../../workers/geo/shapefile.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import type { ScriptContext } from '../../run/run.js';
import { fromJsonValue } from '../../language/conversion.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { fromGeoJson, GeometryObject, sourceOf } from '../../outside/geo/geometry.js';
import { gpxMaps } from '../../outside/geo/gpx.js';
import { takesMemory } from '../../run/limits/memory.js';
import { note } from '../../run/notes.js';
import { textOf } from '../../language/text.js';
import { chain, type ScriptMap, type ScriptValue } from '../../language/values.js';
import { LONGEST_TEXT, misused } from '../../run/function/arguments.js';
import { runSteps, Turns, type Steps } from '../../language/steps.js';
import { readXml } from '../formats/xml.js';

const MOST_FEATURES = 100_000;
/** Characters of one: the loop reads it at once. */
const LONGEST_FEATURE = 4 * 1024 * 1024;

const importGpx: ScriptFunction = {
  name: 'importGpx',
  signature: 'importGpx(text)',
  meaning:
    'What a document of GPX holds: a map of the lists waypoints, routes (maps with waypoints) and tracks (maps with segments, which ' +
    'have waypoints). A waypoint has latitude, longitude and what is said of it: altitude, time (a date), name, comment, description, ' +
    'source, symbol, type and others as they are called. Null, with a word in the log, when the text is none.',
  example: `first(importGpx('<gpx><wpt lat="50.1" lon="8.6"><ele>112</ele></wpt></gpx>').waypoints).altitude // 112.0`,
  min: 1,
  max: 1,
  pure: true,
  run([value = null], context) {
    if (value === null) return null;
    return readXml(value, this.name, context, (root) =>
      chain(runSteps(gpxMaps(root)), (found) => {
        if (found === undefined) note(context, `importGpx() was given XML that is no GPX`);
        return found ?? null;
      }),
    );
  },
};

/** The files that belong to a shapefile: its values, its system of coordinates, the charset of its texts. */
function besides(path: string): {
  readonly shp: string;
  readonly dbf: string;
  readonly prj: string;
  readonly cpg: string;
} {
  const [, stem = path, ending = '.shp'] = /^(.*)(\.shp)$/i.exec(path) ?? [];
  const isUpper = ending === ending.toUpperCase();
  const beside = (name: string): string => `${stem}.${isUpper ? name.toUpperCase() : name}`;
  return { shp: `${stem}${ending}`, dbf: beside('dbf'), prj: beside('prj'), cpg: beside('cpg') };
}

/** A charset as threads know it; undefined: the file says none that there is. */
function charsetIn(text: string | undefined): string | undefined {
  const name = (text ?? '').trim().slice(0, 40);
  const label = /^(?:ANSI |cp)?(\d{3,5})$/i.exec(name)?.[1];
  const charset = label === undefined ? name : label === '65001' ? 'utf-8' : `windows-${label}`;
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    return undefined;
  }
}

const readShapefile: ScriptFunction = {
  name: 'readShapefile',
  signature: 'readShapefile(path)',
  meaning:
    'What a shapefile of the server holds: a map of crs (the text of its .prj file, for `convertGeometry`, or null) and features, a list ' +
    'of maps of geometry (null where there is none) and properties (from its .dbf file, in the charset of its .cpg file). Null when there ' +
    'is no such file. The path is one in the folder of the setting data.exchange.path; what leads out of it, or over a symbolic link, is ' +
    'refused. Files have at most 16 MB.',
  example: "readShapefile('maps/rivers.shp')",
  min: 1,
  max: 1,
  pure: true,
  async run([path = null], context) {
    if (path === null) return null;
    const { exchange } = context.run.parts.files;
    const name = textOf(path, context);
    if (name === '') return misused(this, 'needs a path', context);
    const files = besides(name);
    const shp = await exchange.readBytes(files.shp);
    if (shp === undefined) return null;
    const job: ShapefileJob = {
      ...{ shp, dbf: await exchange.readBytes(files.dbf), charset: charsetIn(await exchange.read(files.cpg)) },
      ...{ mostFeatures: MOST_FEATURES, longestFeature: LONGEST_FEATURE, longest: LONGEST_TEXT },
    };
    const outcome = await context.run.parts.threads.run<ShapefilePieces>(
      'geo/shapefile',
      job,
      'readShapefile()',
      context,
    );
    if ('problem' in outcome) throw new ScriptError(422, `The shapefile cannot be read: ${outcome.problem}.`);
    return new Map<string, ScriptValue>([
      ['crs', (await exchange.read(files.prj))?.trim() ?? null],
      ['features', await runSteps(features(outcome.value, context))],
    ]);
  },
};

function* features(pieces: ShapefilePieces, context: ScriptContext): Steps<ScriptValue[]> {
  const turns = new Turns('readShapefile()', 60_000);
  const found: ScriptValue[] = [];
  for (const piece of pieces) {
    takesMemory(piece.length);
    for (const [geometry, properties] of JSON.parse(piece) as [unknown, JsonObject][]) {
      const source = sourceOf(geometry);
      const read = source === undefined ? undefined : yield* fromGeoJson(source, turns, 'readShapefile()');
      found.push(
        new Map<string, ScriptValue>([
          ['geometry', read === undefined ? null : new GeometryObject(read)],
          ['properties', propertiesOf(properties)],
        ]),
      );
      yield* turns.pause();
    }
  }
  context.run.checkTime();
  return found;
}

/** Dates come packed. */
function propertiesOf(json: JsonObject): ScriptMap {
  const properties = new Map<string, ScriptValue>();
  for (const [key, value] of Object.entries(json)) {
    const isDate = typeof value === 'object' && value !== null && 'd' in value;
    properties.set(key, isDate ? new Date(Number(value.d)) : fromJsonValue(value));
  }
  return properties;
}

export const geoFormats: FunctionCategory = { title: 'Geo', functions: [importGpx, readShapefile] };
