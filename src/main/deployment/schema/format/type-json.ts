/** Types and relations as the document has them. */
import type { JsonObject, JsonValue } from '../../../../shared/json/index.js';
import { METHOD_NAME, PROPERTY_NAME, TYPE_NAME } from '../../../schema/index.js';
import { EXACT, exactValues, untold, withUntold } from './exact.js';
import { Findings, Place } from './findings.js';
import { formed, TYPE_KEYS, type KeyTable, type Said, type Values } from '../keys.js';
import { methodJson, readMethod } from './method-json.js';
import {
  corrected,
  GRANT_RIGHTS,
  inOrder,
  type GrantModel,
  type MethodModel,
  type Parts,
  type PropertyModel,
  type TypeModel,
  type ViewModel,
} from '../model.js';
import { isRelationProperty, propertyJson, readProperty, type NotionHint } from './property-json.js';

const TEXTS = ['category', 'summary', 'description', 'icon'];
/** There, here. */
const ALWAYS = [
  ['isAbstract', 'isAbstract'],
  ['isInterface', 'isInterface'],
  ['includeInOpenAPI', 'includeInOpenAPI'],
] as const;
const WHEN_TRUE = [
  ['changelogDisabled', 'changelogDisabled'],
  ['visibleToPublicUsers', 'defaultVisibleToPublic'],
  ['visibleToAuthenticatedUsers', 'defaultVisibleToAuth'],
] as const;

/** What types and relations have. */
export const COMMON_KEYS = [
  ...['type', 'traits', 'properties', 'required', 'views', 'viewOrder', 'methods', 'tags', EXACT, ...TEXTS],
  ...[...ALWAYS, ...WHEN_TRUE].map(([there]) => there),
];
const KNOWN: ReadonlySet<string> = new Set([
  ...[...COMMON_KEYS, 'isServiceClass', 'grants', 'name'],
  ...['$extends', '$implements', 'extendsClass', 'isBuiltinType'],
]);

/** Within `exact` of a definition, beside keys of the schema object: keys of views in their order; it has no SchemaNode. */
const VIEW_KEYS = 'viewKeys';
const BY_NAME_ONLY = 'byNameOnly';

/** What types and relations have, of their values. */
export function encodeCommon(values: Values): JsonObject {
  const traits = values['inheritedTraits'];
  const json: JsonObject = { type: 'object', traits: Array.isArray(traits) ? [...(traits as string[])] : [] };
  for (const [there, here] of ALWAYS) json[there] = values[here] === true;
  for (const [there, here] of WHEN_TRUE) if (values[here] === true) json[there] = true;
  for (const key of TEXTS) if (values[key] !== undefined) json[key] = String(values[key]);
  const { tags } = values;
  if (Array.isArray(tags)) json['tags'] = [...(tags as string[])];
  return json;
}

const encode = (values: Values): JsonObject => ({
  ...encodeCommon(values),
  isServiceClass: values['isServiceClass'] === true,
});

/** The same of a document; `traits`: what it inherits beside the key `traits`. */
export function decodeCommon(place: Place, table: KeyTable, traits: readonly string[] = []): Record<string, Said> {
  const values: Record<string, Said> = {};
  for (const [there, here] of [...ALWAYS, ...WHEN_TRUE]) values[here] = place.flag(there);
  for (const key of TEXTS) values[key] = place.text(key);
  values['tags'] = place.list('tags');
  values['inheritedTraits'] = [...(place.list('traits') ?? []), ...traits];
  const keys = new Set(table.map(({ key }) => key));
  for (const key of Object.keys(values)) if (!keys.has(key)) values[key] = undefined;
  return values;
}

/** How the schema shows what the document tells of related objects. */
export interface PartHints {
  notionIsList(property: string): boolean;
  /** Properties that show relations, by name. */
  readonly relations: ReadonlyMap<string, JsonObject>;
}

/** Properties, views and methods; `exact` gets what no other key says. */
export function partsJson(type: string, parts: Parts, hints: PartHints, exact: JsonObject): JsonObject {
  const json: JsonObject = {};
  const properties: JsonObject = { ...Object.fromEntries(hints.relations) };
  for (const one of parts.properties) {
    const hint: NotionHint = { type, isList: hints.notionIsList(one.name) };
    properties[one.name] = propertyJson(withoutRequired(one), hint);
  }
  if (Object.keys(properties).length > 0) json['properties'] = properties;
  const required = parts.properties.filter(({ values }) => values['notNull'] === true).map(({ name }) => name);
  if (required.length > 0) json['required'] = required;
  addViews(parts, json, exact);
  if (parts.methods.length > 0)
    json['methods'] = Object.fromEntries(parts.methods.map((one) => [one.name, methodJson(one)]));
  return json;
}

function withoutRequired({ name, values }: PropertyModel): PropertyModel {
  const { notNull, ...others } = values;
  return { name, values: notNull === undefined ? values : others };
}

function addViews({ properties, views }: Parts, json: JsonObject, exact: JsonObject): void {
  if (views.length === 0) return;
  const own = new Set(properties.map(({ name }) => name));
  const keys = Object.create(null) as JsonObject;
  for (const view of views) {
    const list = usualOrder(view.keys, own);
    if (list.some((key, i) => key !== view.keys[i])) keys[view.name] = [...view.keys];
  }
  json['views'] = Object.fromEntries(views.map((view) => [view.name, [...view.keys].sort()]));
  const ordered = views.filter(({ order }) => order !== undefined);
  if (ordered.length > 0) json['viewOrder'] = Object.fromEntries(ordered.map(({ name, order = '' }) => [name, order]));
  if (Object.keys(keys).length > 0) exact[VIEW_KEYS] = keys;
}

/** How a view shows the keys of a list that says nothing of their order: properties of the type first. */
function usualOrder(keys: readonly string[], own: ReadonlySet<string>): string[] {
  const sorted = [...new Set(keys)].sort();
  return [...sorted.filter((key) => own.has(key)), ...sorted.filter((key) => !own.has(key))];
}

/** A type, with `exact` where needed. */
export function typeJson(type: TypeModel, hints: PartHints): JsonObject {
  const json = encode(type.values);
  const read = { ...decodeCommon(asWritten(json), TYPE_KEYS), isServiceClass: json['isServiceClass'] === true };
  const exact = untold(TYPE_KEYS, type.values, formed(TYPE_KEYS, read));
  if (type.byNameOnly) exact[BY_NAME_ONLY] = true;
  Object.assign(json, partsJson(type.name, type, hints, exact));
  if (type.grants.length > 0) json['grants'] = Object.fromEntries(type.grants.map(grantJson));
  return withUntold(json, exact);
}

export const asWritten = (json: JsonObject): Place => new Place('', json, new Findings());

function grantJson({ name, rights }: GrantModel): [string, JsonValue] {
  return [name, Object.fromEntries(GRANT_RIGHTS.map((right) => [right, rights.has(right)]))];
}

/** A type of a document; undefined: it is passed over. */
export function readType(name: string, place: Place): TypeModel | undefined {
  if (!TYPE_NAME.test(name)) place.problem(`is no name of a type (${TYPE_NAME.source})`);
  place.onlyKeys(KNOWN);
  // It says nothing.
  place.text('type');
  const told = formed(TYPE_KEYS, {
    ...decodeCommon(place, TYPE_KEYS, oldTraits(place)),
    isServiceClass: place.flag('isServiceClass'),
  });
  const values = exactValues(place, TYPE_KEYS, told, encode);
  const parts = readParts(place, values['isServiceClass'] === true);
  const isEmpty = parts.properties.length === 0 && parts.methods.length === 0;
  if (place.flag('isBuiltinType') === true && isEmpty) return undefined;
  const byNameOnly = place.object(EXACT)?.flag(BY_NAME_ONLY) === true;
  return { name, byNameOnly, values, ...parts, grants: readGrants(place) };
}

/** Traits as exports of old versions name them: the last part of a reference. */
function oldTraits(place: Place): string[] {
  const old = [place.text('$extends'), ...(place.list('$implements') ?? []), place.text('extendsClass')];
  return old
    .flatMap((reference) => reference?.split(/[/.#]/).at(-1) ?? [])
    .filter((name) => name !== '' && !OLD_BASES.has(name));
}

/** What every object of a kind inherits anyway, by the names of old versions. */
const OLD_BASES: ReadonlySet<string> = new Set([
  ...['AbstractNode', 'AbstractRelationship', 'NodeInterface', 'RelationshipInterface', 'GraphObject'],
]);

function readGrants(place: Place): GrantModel[] {
  const grants: GrantModel[] = [];
  for (const [name, one] of place.objects('grants')) {
    const rights = new Set(GRANT_RIGHTS.filter((right) => one.flag(right) === true));
    one.onlyKeys(new Set<string>(GRANT_RIGHTS));
    if (rights.size > 0) grants.push({ name, rights });
  }
  return inOrder(grants);
}

/** Properties, views and methods of a document. */
export function readParts(place: Place, isServiceClass = false): Parts {
  const properties: PropertyModel[] = [];
  const passedOver = new Set<string>();
  for (const [name, one] of place.objects('properties')) {
    if (isRelationProperty(one)) {
      passedOver.add(name);
      continue;
    }
    if (!PROPERTY_NAME.test(name)) one.problem(`is no name of a property (${PROPERTY_NAME.source})`);
    const property = readProperty(name, one);
    if (property === undefined) passedOver.add(name);
    else properties.push(property);
  }
  const methods = readMethods(place).map((one) => corrected(one, isServiceClass ? 'service class' : 'type'));
  return {
    properties: inOrder(withRequired(place, properties, passedOver)),
    views: inOrder(readViews(place, new Set(properties.map(({ name }) => name)))),
    methods: inOrder(methods),
  };
}

function withRequired(
  place: Place,
  properties: readonly PropertyModel[],
  passedOver: ReadonlySet<string>,
): PropertyModel[] {
  const required = new Set(place.list('required') ?? []);
  for (const name of required) {
    if (properties.some((one) => one.name === name)) continue;
    if (passedOver.has(name)) place.notice(`${name} is left out, as it is no property here`, 'required');
    else place.problem(`${name} is none of its properties`, 'required');
  }
  return properties.map(({ name, values }) => ({
    name,
    values: required.has(name) ? { ...values, notNull: true } : values,
  }));
}

function readViews(place: Place, own: ReadonlySet<string>): ViewModel[] {
  const [views, orders] = [place.object('views'), place.object('viewOrder')];
  const exact = place.object(EXACT)?.object(VIEW_KEYS);
  const names = new Set([...Object.keys(views?.json ?? {}), ...Object.keys(orders?.json ?? {})]);
  return [...names].map((name) => {
    const usual = usualOrder(views?.list(name) ?? [], own);
    const keys = exact?.list(name);
    if (keys !== undefined && JSON.stringify([...keys].sort()) !== JSON.stringify([...usual].sort())) {
      exact?.notice('has other keys than the view, which count', name);
      return { name, keys: usual, order: orderOf(orders, name) };
    }
    return { name, keys: keys ?? usual, order: orderOf(orders, name) };
  });
}

function orderOf(orders: Place | undefined, name: string): string | undefined {
  const order = orders?.text(name);
  return order === undefined || order.trim() === '' ? undefined : order;
}

function readMethods(place: Place): MethodModel[] {
  const all = place.object('methods');
  if (all === undefined) return [];
  const methods: MethodModel[] = [];
  for (const name of Object.keys(all.json)) {
    const value = all.json[name];
    if (value === null) continue;
    // Old versions have several methods of one name, which differ in their parameters.
    const [one, ...others] = Array.isArray(value) ? all.elements(name) : namedObject(all, name);
    if (others.length > 0) all.notice(`is ${String(others.length + 1)} methods, of which the first counts`, name);
    if (!METHOD_NAME.test(name)) all.problem(`is no name of a method (${METHOD_NAME.source})`, name);
    if (one !== undefined) methods.push(readMethod(name, one));
  }
  return methods;
}

function namedObject(place: Place, name: string): Place[] {
  const one = place.object(name);
  return one === undefined ? [] : [one];
}
