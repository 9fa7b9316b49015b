/** Methods and functions as the document has them. */
import type { JsonObject } from '../../../../shared/json/index.js';
import { EXACT, exactValues, untold, withUntold } from './exact.js';
import { Findings, Place } from './findings.js';
import { FUNCTION_KEYS, formed, METHOD_KEYS, PARAMETER_KEYS, type KeyTable, type Said, type Values } from '../keys.js';
import { orderedParameters, type MethodModel, type ParameterModel } from '../model.js';

/** Keys that are the same here and there. */
const TEXTS = ['source', 'summary', 'description', 'codeType', 'openAPIReturnType', 'httpVerb'];
const FLAGS = ['isStatic', 'isPrivate', 'returnRawResult', 'includeInOpenAPI'];
const STATES = ['callSuper', 'overridesExisting', 'doExport'];
const LISTS = ['exceptions', 'tags'];

const FUNCTION_TEXTS = ['source', 'summary', 'description', 'openAPIReturnType', 'httpVerb', 'virtualFileName'];
const FUNCTION_FLAGS = [
  'isPrivate',
  'returnRawResult',
  'includeInOpenAPI',
  'visibleToPublicUsers',
  'visibleToAuthenticatedUsers',
];
const FUNCTION_LISTS = ['tags'];

const KNOWN: ReadonlySet<string> = new Set([...TEXTS, ...FLAGS, ...STATES, ...LISTS, 'parameters', EXACT]);
const FUNCTION_KNOWN: ReadonlySet<string> = new Set([
  ...[...FUNCTION_TEXTS, ...FUNCTION_FLAGS, ...FUNCTION_LISTS, 'name', 'parameters', EXACT],
  // Old exports say these of functions, too.
  ...['isStatic', 'codeType', 'exceptions', 'callSuper', 'overridesExisting', 'doExport'],
]);
const PARAMETER_KNOWN: ReadonlySet<string> = new Set([
  ...['parameterType', 'parameterIndex', 'description', 'exampleValue', EXACT],
]);

interface Shape {
  readonly table: KeyTable;
  readonly texts: readonly string[];
  readonly flags: readonly string[];
  readonly states: readonly string[];
  readonly lists: readonly string[];
}
const METHOD: Shape = { table: METHOD_KEYS, texts: TEXTS, flags: FLAGS, states: STATES, lists: LISTS };
const FUNCTION: Shape = {
  table: FUNCTION_KEYS,
  texts: FUNCTION_TEXTS,
  flags: FUNCTION_FLAGS,
  states: [],
  lists: FUNCTION_LISTS,
};

function encode(values: Values, { texts, flags, states, lists }: Shape): JsonObject {
  const json: JsonObject = { httpVerb: 'POST' };
  for (const key of texts) if (values[key] !== undefined) json[key] = String(values[key]);
  for (const key of flags) json[key] = values[key] === true;
  for (const key of states) if (values[key] !== undefined) json[key] = values[key] === true;
  for (const key of lists) if (Array.isArray(values[key])) json[key] = [...(values[key] as string[])];
  return json;
}

function decode(place: Place, shape: Shape): Values {
  const values: Record<string, Said> = {};
  for (const key of shape.texts) values[key] = place.text(key);
  for (const key of [...shape.flags, ...shape.states]) values[key] = place.flag(key);
  for (const key of shape.lists) values[key] = place.list(key);
  return formed(shape.table, values);
}

/** A method of a type, or what all of a function is but for its name. */
export function methodJson({ values, parameters }: MethodModel, isFunction = false): JsonObject {
  const shape = isFunction ? FUNCTION : METHOD;
  const json = encode(values, shape);
  const exact = untold(shape.table, values, decode(new Place('', json, new Findings()), shape));
  // Every function is static.
  if (isFunction) delete exact['isStatic'];
  const list = Object.fromEntries(parameters.map((one) => [one.name, parameterJson(one)]));
  if (isFunction || parameters.length > 0) json['parameters'] = list;
  return withUntold(json, exact);
}

function parameterJson({ index, values }: ParameterModel): JsonObject {
  const json: JsonObject = { parameterIndex: index };
  for (const { key } of PARAMETER_KEYS) if (values[key] !== undefined) json[key] = String(values[key]);
  return json;
}

/** A method, or function, of a document. */
export function readMethod(name: string, place: Place, isFunction = false): MethodModel {
  const shape = isFunction ? FUNCTION : METHOD;
  place.onlyKeys(isFunction ? FUNCTION_KNOWN : KNOWN);
  const values = exactValues(place, shape.table, decode(place, shape), (all) => encode(all, shape));
  const parameters: ParameterModel[] = [];
  for (const [parameter, one] of place.objects('parameters')) {
    one.onlyKeys(PARAMETER_KNOWN);
    const texts = Object.fromEntries(PARAMETER_KEYS.map(({ key }) => [key, one.text(key)]));
    const index = one.number('parameterIndex') ?? 0;
    if (!Number.isInteger(index)) one.problem('must be an integer', 'parameterIndex');
    parameters.push({ name: parameter, index, values: formed(PARAMETER_KEYS, texts) });
  }
  return { name, values, parameters: orderedParameters(parameters) };
}
