/** The engines of both languages with the functions of the library, which they do not know by themselves. */
import type { Config } from '../../config/index.js';
import { Expressions } from '../engines/expression/expressions.js';
import { JavaScript } from '../engines/javascript/javascript.js';
import { callableNamed } from '../functions/coming.js';
import { functionNames } from '../functions/table.js';

export const expressions = new Expressions(callableNamed);

/** One an instance, by its settings. */
const instances = new WeakMap<Config, JavaScript>();

/** JavaScript of one instance of the service. */
export function javaScriptOf(config: Config): JavaScript {
  let known = instances.get(config);
  if (known === undefined) instances.set(config, (known = new JavaScript(config, callableNamed, functionNames)));
  return known;
}
