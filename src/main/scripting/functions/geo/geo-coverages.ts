/**
 * Coverages of other servers: heights, depths, temperatures (docs/interface/script-runtime.md 8.12; OGC 09-110r4, WCS 2.0). What the two functions answer
 * is our choice: the interface names their arguments alone.
 */
import type { CoverageJob, CoverageNumbers } from '../../../../workers/geo/coverage.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { XmlElement } from '../../language/formats/xml-document.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { eachPosition } from '../../outside/geo/geometry.js';
import { GEOMETRY, geometryOf } from '../../outside/geo/values.js';
import { childrenOf, localName } from '../../outside/geo/xml-names.js';
import { ask, isSuccess, resultOf } from '../../outside/http/asking.js';
import { takesMemory } from '../../run/limits/memory.js';
import { textOf } from '../../language/text.js';
import type { ScriptValue } from '../../language/values.js';
import { doubleOf, indexOf, misused } from '../../run/function/arguments.js';
import { addressOf, refusalIn } from './service-requests.js';
import { runSteps, Turns, type Steps } from '../../language/steps.js';
import { readXml } from '../formats/xml.js';

const MOST_CELLS = 100_000;
const MOST_BINS = 10_000;
const USUAL_BINS = 10;
/** Bytes of a map of three numbers, about. */
const ENTRY = 200;
const VERSION = '2.0.1';
/** Characters of an answer that is no GeoTIFF: it is read whole. */
const LONGEST_REFUSAL = 1 << 20;
/** Names of axes, which services choose. */
const EASTWARD = /^(?:lon|long|longitude|e|east|easting|x)$/i;
const NORTHWARD = /^(?:lat|latitude|n|north|northing|y)$/i;
const BOX =
  'The box is a list, or a text with commas, of the least longitude (or easting), the least latitude (or northing) and the greatest of each, ' +
  'or a geometry, whose bounds count. ';
const SERVICE =
  'Asked is WCS 2.0.1, for GeoTIFF: integers of 8 or 16 bits or floats, as they are or with Deflate, at most 8 million. The first band counts, ' +
  'cells without a value do not. Bounds and headers are those of `GET`; a service that refuses, or answers in another form, ends the script (422). ';

type Box = readonly [west: number, south: number, east: number, north: number];

const getWcsData: ScriptFunction = {
  name: 'getWcsData',
  signature: 'getWcsData(baseUrl, coverageId, boundingBox, min, max)',
  meaning:
    'The cells of a coverage of a Web Coverage Service within a box whose values are from min to max: a list of maps {x, y, value}, with the ' +
    `centre of the cell in the coordinates of the coverage, from north to south; null as min or max leaves that side open. ${BOX}${SERVICE}` +
    `At most ${String(MOST_CELLS)} cells. ${GEOMETRY}`,
  example: "getWcsData('https://example.com/wcs', 'dem', '8.5,50.0,8.6,50.1', 100, 200)",
  min: 5,
  max: 5,
  async run(args, context) {
    const [base = null, id = null, box = null, min = null, max = null] = args;
    const bounds = [min ?? -Infinity, max ?? Infinity].map((one) => doubleOf(one) ?? NaN);
    const [least = NaN, greatest = NaN] = bounds;
    if (base === null || id === null || bounds.some(Number.isNaN)) {
      return misused(this, 'needs a URL, a coverage, a box and two numbers', context);
    }
    const wanted = { kind: 'cells', least, greatest, most: MOST_CELLS } as const;
    const numbers = await coverage(this.name, textOf(base, context), textOf(id, context), box, wanted, context);
    return runSteps(maps(numbers, ['x', 'y', 'value'], this.name));
  },
};

const getWcsHistogram: ScriptFunction = {
  name: 'getWcsHistogram',
  signature: 'getWcsHistogram(baseUrl, coverageId, boundingBox [, bins [, low]])',
  meaning:
    'How often values occur in a box of a coverage of a Web Coverage Service: a list of maps {from, to, count}, as many as bins says ' +
    `(${String(USUAL_BINS)} without it, at most ${String(MOST_BINS)}), of the same width, from low, or the least value, to the greatest one. What is less ` +
    `than low does not count. The list is empty when there are no values, and has one entry when all are the same. ${BOX}${SERVICE}${GEOMETRY}`,
  example: "getWcsHistogram('https://example.com/wcs', 'dem', '8.5,50.0,8.6,50.1', 20, 0)",
  min: 3,
  max: 5,
  async run(args, context) {
    const [base = null, id = null, box = null, count = null, lowest = null] = args;
    const bins = count === null ? USUAL_BINS : (indexOf(count) ?? 0);
    const low = lowest === null ? undefined : (doubleOf(lowest) ?? NaN);
    if (base === null || id === null || bins < 1 || bins > MOST_BINS || (low !== undefined && !Number.isFinite(low))) {
      return misused(this, `needs a URL, a coverage, a box and at most ${String(MOST_BINS)} bins`, context);
    }
    const wanted = { kind: 'histogram', bins, low } as const;
    const numbers = await coverage(this.name, textOf(base, context), textOf(id, context), box, wanted, context);
    return runSteps(maps(numbers, ['from', 'to', 'count'], this.name));
  },
};

/** What a thread finds in the part of a coverage that is in a box. Throws `ScriptError` 422 for all that goes wrong. */
async function coverage(
  name: string,
  base: string,
  id: string,
  box: ScriptValue,
  wanted: CoverageJob['wanted'],
  context: ScriptContext,
): Promise<CoverageNumbers> {
  const what = `${name}()`;
  const bounds = await runSteps(boxOf(box, what));
  const [west, south, east, north] = bounds;
  const request = (kind: string): [string, string][] => [
    ['service', 'WCS'],
    ['version', VERSION],
    ['request', kind],
    ['coverageId', id],
  ];
  const [eastward, northward] = await axes(name, addressOf(base, request('DescribeCoverage')), context);
  const url = addressOf(base, [
    ...request('GetCoverage'),
    ['subset', `${eastward}(${String(west)},${String(east)})`],
    ['subset', `${northward}(${String(south)},${String(north)})`],
    ['format', 'image/tiff'],
  ]);
  const answer = await ask({ method: 'GET', url, followsRedirects: true }, context);
  // Memory of its own, which the thread gets: a small one of Node's would bring along what others have in it.
  const tiff = Buffer.allocUnsafeSlow(answer.pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of answer.pieces) at += piece.copy(tiff, at);
  takesMemory(tiff.length);
  if (tiff.length <= LONGEST_REFUSAL && /^\s*</.test(tiff.toString('latin1', 0, 64)))
    await refuseWith(name, tiff.toString('utf8'), answer.status, context);
  if (!isSuccess(answer)) throw refused(name, `the service answers with status ${String(answer.status)}`);
  // Which byte comes first, and the number of the format; BigTIFF has another.
  if (!/^(?:II\*\0|MM\0\*)/.test(tiff.toString('latin1', 0, 4))) throw refused(name, 'its answer is no GeoTIFF');
  const job: CoverageJob = { tiff, box: bounds, wanted };
  const outcome = await context.run.parts.threads.run<CoverageNumbers>('geo/coverage', job, what, context, [
    tiff.buffer,
  ]);
  if ('problem' in outcome) throw refused(name, outcome.problem);
  return outcome.value;
}

/** Names of the axes to the east and to the north. */
async function axes(name: string, url: string, context: ScriptContext): Promise<readonly [string, string]> {
  const answer = await ask({ method: 'GET', url, followsRedirects: true }, context);
  const body = (await resultOf(answer, 'text', {}, context)).get('body');
  let labels: string[] = [];
  await readXml(typeof body === 'string' ? body : '', name, context, (root) => {
    refuseIn(name, root);
    labels = (envelopeIn(root)?.attributes.get('axisLabels') ?? '').split(/\s+/).filter((one) => one !== '');
    return null;
  });
  if (!isSuccess(answer)) throw refused(name, `the service answers with status ${String(answer.status)}`);
  const isNamed = labels.every((one) => /^[\w.:-]{1,100}$/.test(one));
  // Of two axes whose names say it of one only, the other is the rest; where they say nothing, the first goes east.
  const other = (known: string | undefined): string | undefined =>
    labels.length === 2 ? labels.find((one) => one !== known) : undefined;
  const named = labels.find((one) => NORTHWARD.test(one));
  const eastward = labels.find((one) => EASTWARD.test(one)) ?? other(named);
  const northward = named ?? other(eastward);
  if (!isNamed || eastward === undefined || northward === undefined || eastward === northward) {
    throw refused(name, 'the service does not describe the axes of this coverage');
  }
  return [eastward, northward];
}

function envelopeIn(root: XmlElement): XmlElement | undefined {
  for (const description of childrenOf(root, 'CoverageDescription')) {
    for (const bounds of childrenOf(description, 'boundedBy')) {
      const [envelope] = childrenOf(bounds, 'Envelope', 'EnvelopeWithTimePeriod');
      if (envelope !== undefined) return envelope;
    }
  }
  return undefined;
}

async function refuseWith(name: string, text: string, status: number, context: ScriptContext): Promise<never> {
  await readXml(text, name, context, (root) => {
    refuseIn(name, root);
    throw refused(name, `the service answers with ${localName(root).slice(0, 100)} and status ${String(status)}`);
  });
  throw refused(name, 'the service answers with what is neither GeoTIFF nor XML');
}

function refuseIn(name: string, root: XmlElement): void {
  const why = refusalIn(root);
  if (why !== undefined) throw refused(name, why);
}

function refused(name: string, why: string): ScriptError {
  return new ScriptError(422, `${name}() got no coverage: ${why}.`);
}

function* boxOf(value: ScriptValue, what: string): Steps<Box> {
  const parts = Array.isArray(value) ? value : typeof value === 'string' ? value.slice(0, 1000).split(',') : [];
  const [west = NaN, south = NaN, east = NaN, north = NaN] = parts.map((one) => doubleOf(one) ?? NaN);
  if (parts.length === 4 && west <= east && south <= north && [west, south, east, north].every(Number.isFinite)) {
    return [west, south, east, north];
  }
  const isGeometry = typeof value === 'string' ? /^\s*[A-Za-z]/.test(value) : !Array.isArray(value) && value !== null;
  const geometry = isGeometry ? yield* geometryOf(value, what) : undefined;
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  if (geometry !== undefined) {
    eachPosition(geometry, ([x, y]) => {
      box[0] = Math.min(box[0], x);
      box[1] = Math.min(box[1], y);
      box[2] = Math.max(box[2], x);
      box[3] = Math.max(box[3], y);
    });
  }
  if (!box.every(Number.isFinite)) {
    throw new ScriptError(
      422,
      `${what}: the bounding box is no geometry, and not four numbers, the lesser ones first.`,
    );
  }
  return box;
}

function* maps(numbers: CoverageNumbers, keys: readonly [string, string, string], name: string): Steps<ScriptValue[]> {
  const turns = new Turns(`${name}()`, 60_000);
  takesMemory((numbers.length / 3) * ENTRY);
  const found: ScriptValue[] = [];
  for (let i = 0; i < numbers.length; i += 3) {
    const [a, b, c] = [numbers[i] ?? 0, numbers[i + 1] ?? 0, numbers[i + 2] ?? 0];
    found.push(
      new Map<string, ScriptValue>([
        [keys[0], a],
        [keys[1], b],
        [keys[2], keys[2] === 'count' ? BigInt(c) : c],
      ]),
    );
    yield* turns.pause();
  }
  return found;
}

export const geoCoverages: FunctionCategory = { title: 'Geo', functions: [getWcsData, getWcsHistogram] };
