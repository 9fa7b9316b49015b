/** `/_schema`, `/_schema/<Type>`, `/_schema/<Type>/<view>`: the types as they are now (rest.md 9.1, 9.2). */
import type { JsonObject, JsonValue } from '../../../shared/json.js';
import { propertyTypes, type Property, type Schema, type Type } from '../../schema/index.js';
import type { Resolver, RestRequest } from '../context.js';
import { sendValue } from '../envelope.js';
import { RestError } from '../errors.js';

export const resolveIntrospection: Resolver = (segments, schema) => {
  const [first, name] = segments;
  if (first !== '_schema' || segments.length > 2) return undefined;
  if (name === undefined) {
    return { signature: '_schema', allow: ['GET', 'OPTIONS'], verbs: { GET: all } };
  }
  const type = schema.type(name);
  if (type === undefined) return undefined;
  return { signature: `_schema/${name}`, allow: ['GET', 'OPTIONS'], verbs: { GET: (request) => one(request, type) } };
};

async function all(request: RestRequest): Promise<void> {
  const list = [...request.schema.types.values()].map((t) => typeInfo(t));
  await sendValue(request, list, list.length, performance.now() - request.startedAt);
}

async function one(request: RestRequest, type: Type): Promise<void> {
  const asked = askedView(request);
  let result: JsonValue;
  if (asked !== undefined) {
    const view = type.views.get(asked);
    if (view === undefined) throw new RestError(404, `Type ${type.name} has no view ${asked}.`);
    result = view.properties.map((p) => propertyInfo(p, request.schema));
  } else {
    const info = typeInfo(type);
    if (!type.isServiceClass) info['views'] = viewInfos(type, request.schema);
    result = [info];
  }
  await sendValue(request, result, result.length, performance.now() - request.startedAt);
}

/** The view written in the URL, `public` included; the default view is not one somebody asked for. */
function askedView(request: RestRequest): string | undefined {
  const last = decodeURIComponent(request.exchange.path.split('/').at(-1) ?? '');
  return request.schema.viewNames.has(last) && !request.path.endsWith(`/${last}`) ? last : undefined;
}

function typeInfo(type: Type): JsonObject {
  const info: JsonObject = {
    url: `/${type.name}`,
    type: type.name,
    name: type.name,
    className: type.name,
    traits: [...type.traits],
    isBuiltin: type.isBuiltin,
    isServiceClass: type.isServiceClass,
    isRel: type.kind === 'relationship',
    isAbstract: false,
    isInterface: false,
    flags: 0,
  };
  const { relation } = type;
  if (relation !== undefined) {
    info['relInfo'] = {
      sourceMultiplicity: relation.sourceMultiplicity,
      targetMultiplicity: relation.targetMultiplicity,
      relationshipType: relation.relType,
      sourceType: relation.source,
      targetType: relation.target,
    };
  }
  return info;
}

function viewInfos(type: Type, schema: Schema): JsonObject {
  const views: JsonObject = {};
  for (const name of [...type.views.keys()].sort()) {
    const keys: JsonObject = {};
    for (const p of type.views.get(name)?.properties ?? []) keys[p.name] = propertyInfo(p, schema);
    views[name] = keys;
  }
  return views;
}

function shape(property: Property): { type: string; isCollection: boolean; className: string } {
  switch (property.kind) {
    case 'value':
      return {
        type: property.valueType,
        isCollection: property.isCollection,
        className: propertyTypes.get(property.definition.propertyType)?.className ?? 'Property',
      };
    case 'relation':
      return {
        type: property.relatedType,
        isCollection: property.isCollection,
        className: property.isCollection ? 'EndNodes' : 'EndNode',
      };
    case 'notion':
      return { type: 'String', isCollection: false, className: 'EntityNotionProperty' };
    case 'computed':
      return { type: property.valueType, isCollection: property.isCollection, className: property.className };
  }
}

/** What clients learn about one property. */
export function propertyInfo(property: Property, schema: Schema): JsonObject {
  const d = property.definition;
  const { type, isCollection, className } = shape(property);
  const info: JsonObject = {
    dbName: d.dbName ?? property.name,
    jsonName: property.name,
    className: `org.svc.core.property.${className}`,
    declaringClass: property.declaringTrait,
    defaultValue: d.defaultValue ?? null,
    ...(type === 'String' ? { contentType: null } : {}),
    format: d.propertyType === 'Enum' ? enumFormat(d.format) : (d.format ?? null),
    readOnly: d.readOnly === true || property.kind === 'computed',
    system: d.system === true,
    indexed: d.indexed === true,
    indexedWhenEmpty: d.indexed === true && d.defaultValue !== undefined,
    compound: d.compound === true,
    unique: d.unique === true,
    notNull: d.notNull === true,
    dynamic: d.schemaPropertyId !== undefined,
    category: d.category ?? null,
    serializationDisabled: d.serializationDisabled === true,
    type,
    uiType: isCollection && !type.endsWith('[]') ? `${type}[]` : type,
    isCollection,
  };
  if (property.kind === 'relation') {
    info['relatedType'] = schema.type(property.relatedType)?.name ?? property.relatedType;
    info['relationshipType'] = property.relation.relType;
  }
  return info;
}

function enumFormat(format: string | undefined): JsonValue {
  if (format === undefined) return null;
  return format
    .split(/[\s,]+/)
    .filter((m) => m !== '')
    .sort()
    .join(', ');
}
