/** The compiled types as clients and scripts are told of them (docs/interface/rest.md 9.1, 9.2, docs/interface/script-runtime.md 8.11). */
import { parseJsonSync, type JsonObject, type JsonValue } from '../../../shared/json/index.js';
import { enumMembers } from '../properties/enum.js';
import { propertyTypes } from '../properties/table.js';
import type { Property, Schema, Type } from '../model/schema.js';

/** What clients learn about a type, without its views. */
export function typeInfo(type: Type): JsonObject {
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

/** The properties of all views of a type, by view and name. */
export function viewInfos(type: Type, schema: Schema): JsonObject {
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
    defaultValue: defaultOf(property),
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
    // Which objects of relationships stand behind it.
    info['relationship'] = property.relation.name;
    info['direction'] = property.direction;
  }
  return info;
}

/** As the property has it in JSON. */
function defaultOf(property: Property): JsonValue {
  if (property.kind !== 'value') return property.definition.defaultValue ?? null;
  const { defaultValue } = property;
  return defaultValue === undefined ? null : parseJsonSync(property.toJson(defaultValue), { primitives: true });
}

function enumFormat(format: string | undefined): JsonValue {
  if (format === undefined) return null;
  return [...enumMembers(format)].sort().join(', ');
}
