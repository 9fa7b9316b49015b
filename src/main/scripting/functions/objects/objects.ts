/** Objects and their properties (docs/interface/script-runtime.md 8.6). */
import type { FunctionCategory } from '../../run/function/function.js';
import { ScriptError } from '../../language/errors.js';
import { propertyOf } from '../../run/names/lookup.js';
import { chain, ScriptEntity, type ScriptValue } from '../../language/values.js';
import { privileged } from '../../run/context.js';
import type { ScriptContext } from '../../run/run.js';
import { typeIn } from './find.js';
import { entityIn, pairsIn } from '../../run/function/pairs.js';

export const objectFunctions: FunctionCategory = {
  title: 'Objects',
  functions: [
    {
      name: 'create',
      signature: 'create(type [, key, value... | map])',
      meaning: 'A new object with these values; it belongs to the user.',
      example: "create('Group', 'name', 'Editors')",
      min: 1,
      run: (args, context) => context.run.entities.createFrom(typeIn(args[0], context), pairsIn(args, 1), context),
    },
    {
      name: 'get',
      signature: 'get(object, key)',
      meaning: "The value of an object's property, or of a key of a map; the empty text when the object is null.",
      example: "get(me, 'name')",
      min: 2,
      max: 2,
      run: ([object = null, key = null], context) => {
        if (object === null) return '';
        const one = Array.isArray(object) && object.length === 1 ? (object[0] ?? null) : object;
        if (one === null || typeof one !== 'object' || Array.isArray(one) || typeof key !== 'string') {
          return 'get() needs an object or a map, and the name of a key.';
        }
        return chain(propertyOf(one, key, context), (value) => {
          if (value !== undefined) return value;
          throw new ScriptError(422, `Unknown key '${key}': ${titleOf(one)} has no such property.`);
        });
      },
    },
    {
      name: 'getOrNull',
      signature: 'getOrNull(object, key)',
      meaning: 'The value of a property, or null when there is no such property.',
      example: "getOrNull(me, 'nickname') // ",
      min: 2,
      max: 2,
      run: ([object = null, key = null], context) =>
        object === null || typeof key !== 'string'
          ? null
          : chain(propertyOf(object, key, context), (value) => value ?? null),
    },
    setting('set', 'Writes properties of an object by the rules for REST input.', (context) => context),
    setting('setPrivileged', 'Like set, without regard to the rights of the user.', privileged),
    {
      name: 'delete',
      signature: 'delete(object | list...)',
      meaning: 'Deletes objects and relationships, with what their relationships take along.',
      example: "delete(find('Group', 'name', 'Editors'))",
      run: async (args, context) => {
        for (const arg of args) await remove(arg, context);
        return '';
      },
    },
  ],
};

function titleOf(value: ScriptValue): string {
  return value instanceof ScriptEntity ? value.type : 'the map';
}

function setting(
  name: string,
  meaning: string,
  rights: (context: ScriptContext) => ScriptContext,
): FunctionCategory['functions'][number] {
  return {
    name,
    signature: `${name}(object, key, value... | map)`,
    meaning,
    example: `${name}(me, 'eMail', 'jane@example.com')`,
    min: 2,
    run: async (args, given): Promise<ScriptValue> => {
      const context = rights(given);
      const [target = null] = args;
      if (target instanceof Map) {
        for (const [key, value] of pairsIn(args, 1)) target.set(key, value);
        return '';
      }
      await context.run.entities.set(entityIn(target, `The first argument of ${name}()`), pairsIn(args, 1), context);
      return '';
    },
  };
}

async function remove(value: ScriptValue, context: ScriptContext): Promise<void> {
  if (value === null) return;
  if (Array.isArray(value)) for (const one of value) await remove(one, context);
  else await context.run.entities.delete(entityIn(value, 'What delete() was given'), context);
}
