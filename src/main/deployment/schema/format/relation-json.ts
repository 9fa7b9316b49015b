/** Relations as the document has them. */
import type { JsonObject } from '../../../../shared/json/index.js';
import { relationTypeName } from '../../../schema/index.js';
import { EXACT, exactValues, untold, withUntold } from './exact.js';
import type { Place } from './findings.js';
import { formed, RELATION_KEYS, type Said, type Values } from '../keys.js';
import type { RelationModel } from '../model.js';
import {
  asWritten,
  COMMON_KEYS,
  decodeCommon,
  encodeCommon,
  partsJson,
  readParts,
  type PartHints,
} from './type-json.js';

const MULTIPLICITIES: ReadonlyMap<string, readonly [source: string, target: string]> = new Map([
  ['OneToOne', ['1', '1']],
  ['OneToMany', ['1', '*']],
  ['ManyToOne', ['*', '1']],
  ['ManyToMany', ['*', '*']],
]);
/** By the number of the flag. */
const CASCADES = ['none', 'sourceToTarget', 'targetToSource', 'always', 'constraintBased'];
const DIRECTIONS: ReadonlySet<string> = new Set(['In', 'Out', 'Both', 'None']);
const PASSES: ReadonlySet<string> = new Set(['Add', 'Keep', 'Remove']);
const MASKS = [
  ['aclReadMask', 'readPropagation'],
  ['aclWriteMask', 'writePropagation'],
  ['aclDeleteMask', 'deletePropagation'],
  ['aclAccessControlMask', 'accessControlPropagation'],
] as const;
const NAMES = [
  ['sourceName', 'sourceJsonName'],
  ['targetName', 'targetJsonName'],
] as const;
/** Within `exact`: names that were made up, so that nobody has to keep them. */
const AUTOMATIC = 'automaticNames';

const KNOWN: ReadonlySet<string> = new Set([
  ...[...COMMON_KEYS, 'rel', '$source', '$target', 'cardinality', 'cascade', 'aclResolution', 'aclHiddenProperties'],
  ...[...MASKS, ...NAMES].map(([there]) => there),
  ...['name', 'isServiceClass', '$extends', '$implements', 'extendsClass'],
]);

/** Where built-in types are said to be that the document does not define; who reads it looks at the end alone. */
const STATIC = 'https://svc.invalid/v1.1/static/';

/** A reference to a type; `defined`: those that the document has. */
export function referenceTo(type: string, defined: ReadonlySet<string>): string {
  return defined.has(type) ? `#/definitions/${type}` : STATIC + type;
}

/** The properties that show a relation. */
export interface ShownNames {
  readonly source: string | undefined;
  readonly target: string | undefined;
}

function encode(values: Values): JsonObject {
  const json = encodeCommon(values);
  for (const [there, here] of NAMES) if (values[here] !== undefined) json[there] = String(values[here]);
  const [source, target] = [values['sourceMultiplicity'] ?? '*', values['targetMultiplicity'] ?? '*'];
  const cardinality = [...MULTIPLICITIES].find(([, ends]) => ends[0] === source && ends[1] === target)?.[0];
  if (cardinality !== undefined && cardinality !== 'ManyToMany') json['cardinality'] = cardinality;
  const cascade: JsonObject = {};
  const [creates, deletes] = [Number(values['autocreationFlag'] ?? 0), Number(values['cascadingDeleteFlag'] ?? 0)];
  if (creates > 0) cascade['create'] = CASCADES[creates] ?? '';
  if (deletes > 0) cascade['delete'] = CASCADES[deletes] ?? '';
  if (Object.keys(cascade).length > 0) json['cascade'] = cascade;
  if (values['permissionPropagation'] !== undefined) json['aclResolution'] = String(values['permissionPropagation']);
  for (const [there, here] of MASKS) if (values[here] !== undefined) json[there] = String(values[here]);
  if (values['propertyMask'] !== undefined) json['aclHiddenProperties'] = String(values['propertyMask']);
  return json;
}

function decode(place: Place): Values {
  const values = decodeCommon(place, RELATION_KEYS);
  for (const [there, here] of NAMES) values[here] = place.text(there);
  const cardinality = place.text('cardinality') ?? 'ManyToMany';
  const ends = MULTIPLICITIES.get(cardinality);
  if (ends === undefined) place.problem(`must be one of ${[...MULTIPLICITIES.keys()].join(', ')}`, 'cardinality');
  [values['sourceMultiplicity'], values['targetMultiplicity']] = ends ?? ['*', '*'];
  const cascade = place.object('cascade');
  // Creating has no rule that looks at constraints; exports of old versions may say so.
  values['autocreationFlag'] = cascadeOf(cascade, 'create') % 4;
  values['cascadingDeleteFlag'] = cascadeOf(cascade, 'delete');
  values['permissionPropagation'] = oneOf(place, 'aclResolution', DIRECTIONS);
  for (const [there, here] of MASKS) values[here] = oneOf(place, there, PASSES);
  values['propertyMask'] = place.text('aclHiddenProperties');
  return formed(RELATION_KEYS, values);
}

function cascadeOf(place: Place | undefined, key: string): number {
  const word = place?.text(key);
  if (word === undefined) return 0;
  const flag = CASCADES.indexOf(word);
  if (flag < 0) place?.problem(`must be one of ${CASCADES.join(', ')}`, key);
  return Math.max(0, flag);
}

function oneOf(place: Place, key: string, words: ReadonlySet<string>): string | undefined {
  const word = place.text(key);
  if (word !== undefined && !words.has(word)) place.problem(`must be one of ${[...words].join(', ')}`, key);
  return word;
}

/** A relation, with `exact` where needed. */
export function relationJson(
  relation: RelationModel,
  shown: ShownNames,
  defined: ReadonlySet<string>,
  hints: PartHints,
): JsonObject {
  const { name, values, source, target, relType } = relation;
  const automatic: JsonObject = {};
  const named: Record<string, Said> = { ...values };
  for (const [[there, here], made] of [
    [NAMES[0], shown.source],
    [NAMES[1], shown.target],
  ] as const) {
    if (values[here] !== undefined || made === undefined) continue;
    named[here] = automatic[there] = made;
  }
  const written = encode(named as Values);
  const exact = untold(RELATION_KEYS, named as Values, decode(asWritten(written)));
  if (Object.keys(automatic).length > 0) exact[AUTOMATIC] = automatic;
  const parts = partsJson(name, relation, hints, exact);
  const ends = { $source: referenceTo(source, defined), $target: referenceTo(target, defined) };
  return withUntold({ ...written, rel: relType, ...ends, ...parts }, exact);
}

/** A definition is one of a relation. */
export const isRelation = (place: Place): boolean => place.has('rel');

/** A relation of a document; undefined: it is not whole, which is told. */
export function readRelation(place: Place): RelationModel | undefined {
  place.onlyKeys(KNOWN);
  // It says nothing.
  place.text('type');
  const relType = place.text('rel') ?? '';
  if (relType.trim() === '') place.problem('must not be empty', 'rel');
  const [source, target] = [endOf(place, '$source'), endOf(place, '$target')];
  const told = decode(place);
  const values = withoutAutomatic(place, exactValues(place, RELATION_KEYS, told, encode));
  const parts = readParts(place);
  if (source === undefined || target === undefined) return undefined;
  return { name: relationTypeName(source, relType, target), source, target, relType, values, ...parts };
}

function withoutAutomatic(place: Place, values: Values): Values {
  const automatic = place.object(EXACT)?.object(AUTOMATIC);
  if (automatic === undefined) return values;
  const result: Record<string, Said> = { ...values };
  // Who has given it another name means that one.
  for (const [there, here] of NAMES)
    if (automatic.has(there) && automatic.text(there) === values[here]) result[here] = undefined;
  return formed(RELATION_KEYS, result);
}

/** The type at an end: `#/definitions/<Type>`, or an address that ends so. */
function endOf(place: Place, key: string): string | undefined {
  const reference = place.text(key);
  if (reference === undefined) {
    place.problem('names no type', key);
    return undefined;
  }
  const name = /(?:^|\/)(?:definitions|static)\/([^/]+)$/.exec(reference)?.[1];
  if (name === undefined) place.problem(`refers to ${reference}, which is no type (#/definitions/<Type>)`, key);
  return name;
}
