/** Looking for objects (docs/interface/scripting.md 8). */
import { privileged } from '../../run/context.js';
import type { ScriptContext } from '../../run/run.js';
import { findObjects } from './search.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { ScriptPredicate, type ScriptValue } from '../../language/values.js';
import { ScriptError } from '../../language/errors.js';
import { pairsIn, shown } from '../../run/function/pairs.js';

function finding(name: string, meaning: string, example: string, inexact: boolean, asSystem: boolean): ScriptFunction {
  return {
    name,
    signature: `${name}(type [, uuid | key, value... | map | predicate...])`,
    meaning,
    example,
    run: async (args, given) => {
      const context = asSystem ? privileged(given) : given;
      const [named = null, ...rest] = args;
      if (named === null) return `Error in ${name}(): no type specified.`;
      const type = typeof named === 'string' ? context.run.schema.type(named) : undefined;
      if (named === 'GraphObject') throw new ScriptError(422, `${name}() needs a type of nodes or of relationships.`);
      if (type === undefined) return unknownType(name, shown(named));
      return findObjects(type, rest, context, inexact);
    },
  };
}

/** What scripts compare with: each of the two says it in its own way (docs/interface/scripting.md 7.1). */
function unknownType(name: string, type: string): string {
  return `Error in ${name}(): ${name === 'search' ? `type ${type} not found.` : `type not found: ${type}`}`;
}

/** A condition or directive, which means something inside of `find` and `search` only. */
function predicate(name: string, signature: string, meaning: string, example: string): ScriptFunction {
  return {
    name: `find.${name}`,
    signature,
    meaning,
    example,
    pure: true,
    run: (args) => new ScriptPredicate(name, args),
  };
}

export const findFunctions: FunctionCategory = {
  title: 'Finding objects',
  functions: [
    finding(
      'find',
      'All objects of the type, and of types that inherit it, that fulfil the conditions and that the user may read. With a single UUID: that object, or null.',
      "find('User', 'name', 'admin')",
      false,
      false,
    ),
    finding(
      'search',
      'Like find, but texts need only contain what is looked for, in any case.',
      "search('User', 'name', 'adm')",
      true,
      false,
    ),
    finding(
      'findPrivileged',
      'Like find, without regard to the rights of the user.',
      "findPrivileged('User', 'name', 'admin')",
      false,
      true,
    ),
    {
      name: 'findRelationship',
      signature: 'findRelationship(type [, uuid | key, value...])',
      meaning: 'Relationships of a relationship type, both ends of which the user may read; with a UUID: that one.',
      example: "findRelationship('PrincipalOwnsNode')",
      min: 1,
      run: async (args, context) => {
        const [named = null, ...rest] = args;
        const type = typeof named === 'string' ? context.run.schema.type(named) : undefined;
        if (type?.kind !== 'relationship')
          return `Error in findRelationship(): there is no relationship type ${shown(named)}.`;
        return findObjects(type, rest, context, false);
      },
    },
    {
      name: 'getOrCreate',
      signature: 'getOrCreate(type, key, value... | map)',
      meaning: 'The first object that has all the values; one that is created with them when there is none.',
      example: "getOrCreate('Group', 'name', 'Editors')",
      min: 2,
      run: async (args, context) => {
        const type = typeIn(args[0], context);
        const pairs = pairsIn(args, 1);
        const found = await findObjects(
          type,
          pairs.flatMap(([key, value]): ScriptValue[] => [key, value]),
          context,
          false,
        );
        const first = Array.isArray(found) ? found[0] : found;
        return first ?? context.run.entities.createFrom(type, pairs, context);
      },
    },
    {
      name: 'createOrUpdate',
      signature: 'createOrUpdate(type, key, value... | map)',
      meaning:
        'Looks for an object by the first of the keys that is unique; sets all values on it, or creates an object with them.',
      example: "createOrUpdate('User', 'name', 'jane', 'eMail', 'jane@example.com')",
      min: 2,
      run: async (args, context) => {
        const type = typeIn(args[0], context);
        const pairs = pairsIn(args, 1);
        const unique = pairs.find(([key]) => {
          const property = type.properties.get(key);
          return key === 'id' || (property?.kind === 'value' && property.definition.unique === true);
        });
        if (unique === undefined) {
          throw new ScriptError(422, `createOrUpdate() needs a unique property of ${type.name} among its keys.`);
        }
        const found = await findObjects(type, [new Map([unique])], context, false);
        const first = Array.isArray(found) ? found[0] : undefined;
        if (first === undefined) return context.run.entities.createFrom(type, pairs, context);
        const entity = first as Parameters<typeof context.run.entities.set>[0];
        await context.run.entities.set(
          entity,
          pairs.filter(([key]) => key !== 'id'),
          context,
        );
        return entity;
      },
    },
    predicate(
      'and',
      'and(predicate...)',
      'All of the conditions.',
      "find('User', and(equals('name', 'admin'), not(empty('eMail'))))",
    ),
    predicate(
      'or',
      'or(predicate...)',
      'One of the conditions at least.',
      "find('User', or(equals('name', 'a'), equals('name', 'b')))",
    ),
    predicate('not', 'not(predicate...)', 'Not all of the conditions.', "find('User', not(equals('name', 'admin')))"),
    predicate(
      'equals',
      'equals(key, value) or equals(value)',
      'The value itself.',
      "find('User', equals('name', 'admin'))",
    ),
    predicate(
      'contains',
      'contains(key, value)',
      'A text that has the value in it, in any case; a list or related objects that have it.',
      "find('User', contains('name', 'adm'))",
    ),
    predicate(
      'startsWith',
      'startsWith(key, value)',
      'A text that begins with the value.',
      "find('User', startsWith('name', 'ad'))",
    ),
    predicate(
      'endsWith',
      'endsWith(key, value)',
      'A text that ends with the value.',
      "find('User', endsWith('name', 'min'))",
    ),
    predicate('empty', 'empty(key)', 'No value, or nothing related.', "find('User', empty('eMail'))"),
    predicate(
      'range',
      'range(start, end [, includeStart = true [, includeEnd = true]])',
      'A value between two others, as the value of a key; null is an open end.',
      "find('User', 'createdDate', range(null, now))",
    ),
    predicate('lt', 'lt(value)', 'Less, as the value of a key.', "find('User', 'createdDate', lt(now))"),
    predicate('lte', 'lte(value)', 'Less or equal, as the value of a key.', "find('User', 'createdDate', lte(now))"),
    predicate('gt', 'gt(value)', 'Greater, as the value of a key.', "find('User', 'createdDate', gt(now))"),
    predicate('gte', 'gte(value)', 'Greater or equal, as the value of a key.', "find('User', 'createdDate', gte(now))"),
    predicate(
      'any',
      'any(list)',
      'One of the values, as the value of a key.',
      "find('User', 'name', any(merge('a', 'b')))",
    ),
    predicate(
      'withinDistance',
      'withinDistance(latitude, longitude, kilometres)',
      'Objects with latitude and longitude that are nearer than that.',
      "find('Location', withinDistance(50.1, 8.6, 10))",
    ),
    predicate(
      'sort',
      'sort(key [, descending = false])',
      'The order of the result; further ones decide between equal values.',
      "find('User', sort('name'))",
    ),
    predicate(
      'page',
      'page(page [, pageSize = 10])',
      'A part of the result, counted from 1.',
      "find('User', sort('name'), page(1, 5))",
    ),
  ],
};

export function typeIn(
  value: ScriptValue | undefined,
  { run }: ScriptContext,
): NonNullable<ReturnType<typeof run.schema.type>> {
  const type = typeof value === 'string' ? run.schema.type(value) : undefined;
  if (type !== undefined) return type;
  throw new ScriptError(422, `There is no type ${shown(value)}.`);
}
