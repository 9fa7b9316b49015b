/** Functions of the interface that this version does not have: who calls one is told so, and not that its name is wrong. */
import { ScriptError } from '../language/errors.js';
import type { ScriptFunction } from '../run/function/function.js';
import { camelCase } from '../language/camel-case.js';
import { catalogue } from './catalogue.js';
import { functionNamed } from './table.js';

const coming: ReadonlyMap<string, ScriptFunction> = new Map(
  catalogue
    .flatMap(({ names }) => names)
    .filter((name) => functionNamed(name)?.name !== name)
    .map((name) => [name, missing(name)]),
);

function missing(name: string): ScriptFunction {
  return {
    name,
    signature: `${name}(...)`,
    meaning: 'Not there yet.',
    example: '',
    pure: true,
    run: () => {
      throw new ScriptError(501, `${name}() is not part of this version: docs/functions.md lists what is missing.`);
    },
  };
}

/** The function of a name in either spelling, those that are missing included; undefined: the interface has none. */
export function callableNamed(name: string): ScriptFunction | undefined {
  return functionNamed(name) ?? coming.get(name) ?? coming.get(camelCase(name));
}
