/** What scripts learn of types, their properties and methods (docs/interface/script-runtime.md 8.11). */
import {
  enumMembers,
  propertyInfo as describeProperty,
  typeInfo as describeType,
  viewInfos,
  type MethodDefinition,
  type Property,
  type Type,
} from '../../../schema/index.js';
import { fromJsonValue } from '../../language/conversion.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { methodOf } from '../../run/methods.js';
import { textOf } from '../../language/text.js';
import type { Awaitable, ScriptMap, ScriptValue } from '../../language/values.js';
import { isOn, misused } from '../../run/function/arguments.js';
import { typeIn } from './find.js';
import { shown } from '../../run/function/pairs.js';

/** What every type is: not told, as it tells nothing. */
const EVERY_TYPE: ReadonlySet<string> = new Set([
  'NodeInterface',
  'RelationshipInterface',
  'PropertyContainer',
  'GraphObject',
  'AccessControllable',
]);

function propertyNamed(type: Type, key: ScriptValue): Property {
  const property = typeof key === 'string' ? type.properties.get(key) : undefined;
  if (property === undefined) throw new ScriptError(422, `${type.name} has no property ${shown(key)}.`);
  return property;
}

const propertyInfo: ScriptFunction = {
  name: 'propertyInfo',
  signature: 'propertyInfo(type, key)',
  meaning: 'Map that describes a property as `/_schema` does: `jsonName`, `type`, `isCollection`, `unique`, ...',
  example: "get(propertyInfo('User', 'eMail'), 'type') // String",
  min: 2,
  max: 2,
  pure: true,
  run: ([name = null, key = null], context) => {
    if (name === null || key === null) return null;
    return fromJsonValue(describeProperty(propertyNamed(typeIn(name, context), key), context.run.schema));
  },
};

const typeInfo: ScriptFunction = {
  name: 'typeInfo',
  signature: 'typeInfo(type [, view])',
  meaning:
    'Map that describes a type and its views as `/_schema` does; with a view the list of the properties in it, empty when ' +
    'the type has no such view.',
  example: "get(typeInfo('User'), 'isBuiltin') // true",
  min: 1,
  max: 2,
  pure: true,
  run: ([name = null, view = null], context) => {
    if (name === null) return null;
    const type = typeIn(name, context);
    const { schema } = context.run;
    if (view !== null) {
      const { properties = [] } = type.views.get(textOf(view, context)) ?? {};
      return properties.map((one) => fromJsonValue(describeProperty(one, schema)));
    }
    return fromJsonValue({ ...describeType(type), ...(type.isServiceClass ? {} : { views: viewInfos(type, schema) }) });
  },
};

const enumInfo: ScriptFunction = {
  name: 'enumInfo',
  signature: 'enumInfo(type, key [, raw = false])',
  meaning: 'The values that an enum property may have: maps with `value`, or with `raw` the texts alone.',
  example: "enumInfo('SchemaMethod', 'httpVerb', true) // [GET, PUT, POST, PATCH, DELETE]",
  min: 2,
  max: 3,
  pure: true,
  run(args, context) {
    const [name = null, key = null, raw] = args;
    if (name === null || key === null) return null;
    const { definition } = propertyNamed(typeIn(name, context), key);
    if (!definition.propertyType.startsWith('Enum')) return misused(this, 'needs an enum property', context);
    const members = [...enumMembers(definition.format)];
    return isOn(raw) ? members : members.map((value): ScriptMap => new Map([['value', value]]));
  },
};

/** Texts that are for people are in the object of the method alone. */
function methodInfo(method: MethodDefinition, { run }: ScriptContext): Promise<ScriptMap> {
  return run.transaction
    .read((tx) => tx.node(method.id))
    .then((node) => {
      const text = (key: string): ScriptValue => {
        const value = node?.properties[key];
        return typeof value === 'string' ? value : null;
      };
      return new Map<string, ScriptValue>([
        ['name', method.name],
        ['isPrivate', method.isPrivate],
        ['isStatic', method.isStatic],
        ['httpVerb', method.httpVerb],
        ['summary', text('summary')],
        ['description', text('description')],
        ['parameters', new Map(method.parameters.map((one) => [one.name, one.type]))],
        ['declaringTrait', method.owner ?? null],
        ['isUserDefinedFunction', method.owner === undefined],
      ]);
    });
}

const functionInfo: ScriptFunction = {
  name: 'functionInfo',
  signature: 'functionInfo([type, name])',
  meaning:
    'Map that describes the method or function that is running, or the method of a type: `name`, `isStatic`, `httpVerb`, ' +
    '`parameters`, ... Null when there is none.',
  example: "functionInfo('User', 'noSuchMethod') // ",
  max: 2,
  run(args, context): Awaitable<ScriptValue> {
    if (args.length === 0) return context.method === undefined ? null : methodInfo(context.method, context);
    const [type = null, name = null] = args;
    if (typeof name !== 'string') {
      throw new ScriptError(422, 'functionInfo() needs a type and the name of a method, as texts, or nothing at all.');
    }
    const method = methodOf(context.run.schema, typeIn(type, context), name);
    return method === undefined ? null : methodInfo(method, context);
  },
};

/** Names without those of a list that the script gives. Throws `ScriptError` 422 for what is no list of names. */
function without(names: readonly string[], blacklist: ScriptValue = null): string[] {
  if (blacklist !== null && !(Array.isArray(blacklist) && blacklist.every((name) => typeof name === 'string'))) {
    throw new ScriptError(422, 'The types to be left out have to be a list of their names.');
  }
  const out = new Set(blacklist ?? []);
  return names.filter((name) => !out.has(name));
}

const ancestorTypes: ScriptFunction = {
  name: 'ancestorTypes',
  signature: 'ancestorTypes(type [, blacklist])',
  meaning: 'Names of the types that a type inherits from, the nearest first, without those of the list.',
  example: "ancestorTypes('Folder') // [AbstractFile]",
  min: 1,
  max: 2,
  pure: true,
  run: ([name = null, blacklist], context) => {
    if (name === null) return null;
    const type = typeIn(name, context);
    const inherited = type.traits.filter((trait) => trait !== type.name && !EVERY_TYPE.has(trait));
    return without(inherited.reverse(), blacklist);
  },
};

const inheritingTypes: ScriptFunction = {
  name: 'inheritingTypes',
  signature: 'inheritingTypes(type [, blacklist])',
  meaning: 'Names of the types that inherit from a type, without those of the list.',
  example: "contains(inheritingTypes('AbstractFile'), 'Folder') // true",
  min: 1,
  max: 2,
  pure: true,
  run: ([name = null, blacklist], context) => {
    if (name === null) return null;
    const type = typeIn(name, context);
    const below = [...context.run.schema.types.values()]
      .filter((one) => one.name !== type.name && one.kind === type.kind && one.hasTrait(type.name))
      .map((one) => one.name);
    return without(below, blacklist);
  },
};

export const schemaFunctions: FunctionCategory = {
  title: 'Schema',
  functions: [propertyInfo, typeInfo, enumInfo, functionInfo, ancestorTypes, inheritingTypes],
};
