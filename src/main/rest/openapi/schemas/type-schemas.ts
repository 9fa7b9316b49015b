/** Component schemas of a type: one a view, and what bodies of requests may hold. */
import type { JsonObject } from '../../../../shared/json/index.js';
import type { Property, Schema, Type } from '../../../schema/index.js';
import { inputComponent, viewComponent } from '../names.js';
import { inputSchema, outputSchema } from './property-schema.js';

/** Name of a component, and its schema. */
export type SchemaEntry = readonly [name: string, schema: JsonObject];

/** A type in its views, and the bodies of creating and changing its objects. */
export function* typeSchemas(type: Type, description: string | undefined, schema: Schema): Generator<SchemaEntry> {
  // Most properties are in several views.
  const outputs = new Map<Property, JsonObject>();
  for (const view of type.views.keys()) yield viewSchema(type, view, schema, description, outputs);
  const inputs: (readonly [Property, JsonObject])[] = [];
  for (const property of type.properties.values()) {
    const input = inputSchema(property, type, schema);
    if (input !== undefined) inputs.push([property, input]);
  }
  const properties = inputs.map(([p, input]) => [p.name, input] as const);
  const required = type.kind === 'relationship' ? ['sourceId', 'targetId'] : [];
  for (const [p] of inputs) if (isRequired(p) && !required.includes(p.name)) required.push(p.name);
  yield [
    inputComponent(type.name, 'create'),
    {
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      properties: {
        id: { type: 'string', description: 'Id of the new object; one is made up without it' },
        type: { type: 'string', description: `A subtype of ${type.name} to create` },
        ...Object.fromEntries(properties),
      },
    },
  ];
  yield [inputComponent(type.name, 'update'), { type: 'object', properties: Object.fromEntries(properties) }];
}

/** A type in one view; `known` keeps what was worked out for its properties. */
export function viewSchema(
  type: Type,
  view: string,
  schema: Schema,
  description?: string,
  known = new Map<Property, JsonObject>(),
): SchemaEntry {
  const keys = type.views.get(view)?.properties ?? [];
  for (const p of keys) if (!known.has(p)) known.set(p, outputSchema(p, type, schema));
  return [
    viewComponent(type.name, view),
    {
      type: 'object',
      ...(description === undefined ? {} : { description }),
      properties: Object.fromEntries(keys.map((p) => [p.name, known.get(p) ?? {}])),
    },
  ];
}

/** Has to be in the body of a creation; booleans and properties with a default always have a value. */
function isRequired(property: Property): boolean {
  if (property.definition.notNull !== true) return false;
  return property.kind === 'value'
    ? property.defaultValue === undefined && property.valueType !== 'Boolean'
    : property.kind === 'relation';
}
