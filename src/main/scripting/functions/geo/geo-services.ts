/** Features of other servers (docs/interface/script-runtime.md 8.12; OGC 09-025r2, WFS). */
import { parseJson, JsonSyntaxError, type JsonValue } from '../../../../shared/json/index.js';
import type { ScriptContext } from '../../run/run.js';
import { fromJsonValue } from '../../language/conversion.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { fromGeoJson, GeometryObject, sourceOf } from '../../outside/geo/geometry.js';
import { gmlFeatures } from '../../outside/geo/gml.js';
import { localName } from '../../outside/geo/xml-names.js';
import { ask, isSuccess, resultOf } from '../../outside/http/asking.js';
import { textOf } from '../../language/text.js';
import { isMap, type ScriptValue } from '../../language/values.js';
import { misused, optionalText } from '../../run/function/arguments.js';
import { addressOf, refusalIn } from './service-requests.js';
import { runSteps, Turns, type Steps } from '../../language/steps.js';
import { readXml } from '../formats/xml.js';

const WHAT = 'getWfsData()';
/** Values of one feature, besides its geometry. */
const MOST_PARTS = 50_000;

/** Parameters of a request: what the script says comes before what is usual; null takes one away. */
function parametersOf(
  usual: Readonly<Record<string, string>>,
  given: ScriptValue,
  context: ScriptContext,
): ReadonlyMap<string, string> {
  const parameters = new Map(Object.entries(usual));
  const more: Iterable<readonly [string, ScriptValue]> = isMap(given)
    ? given
    : new URLSearchParams(optionalText(given, '', context).replace(/^[?&]/, ''));
  for (const [name, value] of more) {
    // Services do not look at the case of names.
    for (const known of parameters.keys()) if (known.toLowerCase() === name.toLowerCase()) parameters.delete(known);
    if (value !== null) parameters.set(name, textOf(value, context));
  }
  return parameters;
}

const getWfsData: ScriptFunction = {
  name: 'getWfsData',
  signature: 'getWfsData(baseUrl, version, typeName [, parameters])',
  meaning:
    'The features that a Web Feature Service has of a type: a list of maps {id, geometry, properties}. parameters are more of the request, ' +
    'as a map or as text of a query (srsName=EPSG:4326&count=10); null takes one away. JSON is asked for; for a service that has none ' +
    'say outputFormat: GML 2 and 3 are read as well, whose values are texts. Longitude or easting come first in geometries, also where a ' +
    'service says EPSG:4326 as URN. Bounds and headers are those of `GET`; a service that refuses ends the script (422).',
  example: "getWfsData('https://example.com/wfs', '2.0.0', 'ns:rivers', 'count=10')",
  min: 3,
  max: 4,
  async run(args, context) {
    const [base = null, version = null, type = null, given = null] = args;
    if (base === null || version === null || type === null)
      return misused(this, 'needs a URL, a version and a type', context);
    const number = textOf(version, context);
    const usual = {
      ...{ service: 'WFS', version: number, request: 'GetFeature' },
      ...{ [number.startsWith('2') ? 'typeNames' : 'typeName']: textOf(type, context) },
      ...{ outputFormat: 'application/json' },
    };
    const url = addressOf(textOf(base, context), parametersOf(usual, given, context));
    const answer = await ask({ method: 'GET', url, followsRedirects: true }, context);
    const body = (await resultOf(answer, 'text', {}, context)).get('body');
    const text = typeof body === 'string' ? body.trimStart() : '';
    if (text.startsWith('<')) return featuresInXml(text, answer.status, context);
    if (!isSuccess(answer)) throw refused(`it answers with status ${String(answer.status)}`);
    return featuresInJson(text);
  },
};

function refused(why: string): ScriptError {
  return new ScriptError(422, `${WHAT} got no features: ${why}.`);
}

async function featuresInXml(text: string, status: number, context: ScriptContext): Promise<ScriptValue> {
  const found = await readXml(text, 'getWfsData', context, (root) => {
    const name = localName(root);
    const why = refusalIn(root);
    if (why !== undefined) throw refused(why);
    if (name !== 'FeatureCollection')
      throw refused(`it answers with ${name.slice(0, 100)} and status ${String(status)}`);
    return runSteps(gmlFeatures(root));
  });
  if (found === null) throw refused('its answer is neither JSON nor XML');
  return found;
}

async function featuresInJson(text: string): Promise<ScriptValue> {
  let json: JsonValue;
  try {
    json = await parseJson(text, { primitives: true });
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw refused('its answer is neither JSON nor XML');
    throw error;
  }
  const features = sourceOf(json)?.member('features');
  if (!Array.isArray(features)) throw refused('its answer is no collection of features');
  return runSteps(collected(features as JsonValue[]));
}

function* collected(features: readonly JsonValue[]): Steps<ScriptValue[]> {
  const turns = new Turns(WHAT, 60_000, 8);
  const found: ScriptValue[] = [];
  for (const one of features) {
    const feature = sourceOf(one);
    if (feature === undefined) continue;
    const source = sourceOf(feature.member('geometry'));
    const geometry = source === undefined ? undefined : yield* fromGeoJson(source, turns, WHAT);
    found.push(
      new Map<string, ScriptValue>([
        ['id', fromJsonValue(notTooMuch((feature.member('id') ?? null) as JsonValue))],
        ['geometry', geometry === undefined ? null : new GeometryObject(geometry)],
        ['properties', fromJsonValue(notTooMuch((feature.member('properties') ?? null) as JsonValue))],
      ]),
    );
    yield* turns.pause();
  }
  return found;
}

/** Throws `ScriptError` 422 for what takes long to go through at once. */
function notTooMuch(json: JsonValue): JsonValue {
  let parts = 0;
  const count = (one: JsonValue): void => {
    if (++parts > MOST_PARTS) throw refused('a feature of its answer has too many properties');
    if (Array.isArray(one)) one.forEach(count);
    else if (one !== null && typeof one === 'object') for (const key in one) count(one[key] ?? null);
  };
  count(json);
  return json;
}

export const geoServices: FunctionCategory = { title: 'Geo', functions: [getWfsData] };
