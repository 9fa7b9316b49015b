/** Types that parameters name. */
import { SchemaError, type Schema, type Type, type ValueProperty } from '../../schema/index.js';
import { newId } from '../../graph/index.js';
import type { CommandContext } from './command.js';
import type { Parameters } from './parameters.js';

/** A type of nodes of which there can be objects. Throws `SchemaError` 422. */
export function nodeType(schema: Schema, name: string, parameter = 'type'): Type {
  return known(schema, name, parameter, (type) => type.kind === 'node' && !type.isServiceClass);
}

/** A type of relationships. Throws `SchemaError` 422. */
export function relationshipType(schema: Schema, name: string, parameter = 'type'): Type {
  return known(schema, name, parameter, (type) => type.kind === 'relationship');
}

function known(schema: Schema, name: string, parameter: string, fits: (type: Type) => boolean): Type {
  const type = schema.type(name);
  if (type !== undefined && fits(type)) return type;
  // The message is the reference's.
  throw new SchemaError(`Invalid type ${name}`, [{ property: parameter, token: 'type_not_found', detail: name }]);
}

/** The node type that a parameter names; undefined: it names none. */
export function givenType(schema: Schema, parameters: Parameters, name = 'type'): Type | undefined {
  const text = parameters.text(name);
  return text === undefined ? undefined : nodeType(schema, text, name);
}

/** The key under which a type stores what is called so; what it does not declare is stored under its own name. */
export function keyIn(type: Type, name: string): string {
  const property = valueIn(type, name);
  return property?.key ?? name;
}

export function valueIn(type: Type, name: string): ValueProperty | undefined {
  const property = type.properties.get(name);
  return property?.kind === 'value' ? property : undefined;
}

/** Types that objects can have: all, or a type and what inherits it; those with more traits first, as they say more of a node. */
export function concreteNodeTypes(schema: Schema, type: Type | undefined): readonly Type[] {
  const all = [...schema.types.values()].filter(
    (one) =>
      one.kind === 'node' && !one.traitOnly && !one.isServiceClass && (type?.concreteTypes.includes(one.name) ?? true),
  );
  return all.sort((a, b) => b.traits.length - a.traits.length);
}

/** Makes ids in the form of the settings. */
export function idsFor({ write }: Pick<CommandContext, 'write'>): () => string {
  const { compactIds } = write();
  return () => newId(compactIds);
}
