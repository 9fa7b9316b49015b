/** The documentation of functions and keywords as data, for editors (docs/interface/script-runtime.md 10.2). */
import type { JsonObject } from '../../../shared/json/index.js';
import { keywords } from '../run/names/keywords.js';
import { categories } from './table.js';

let made: readonly JsonObject[] | undefined;

/** Functions in the order of the documentation, then keywords. What is hidden is left out. */
export function functionList(): readonly JsonObject[] {
  return (made ??= [
    ...categories.flatMap(({ title, functions }) =>
      functions
        .filter((one) => one.hidden !== true)
        .map(({ name, signature, meaning, example, since }) => ({
          kind: 'function',
          name,
          category: title,
          signature,
          meaning,
          example,
          ...(since === undefined ? {} : { since }),
        })),
    ),
    ...keywords.map(({ name, aliases = [], meaning }) => ({ kind: 'keyword', name, aliases: [...aliases], meaning })),
  ]);
}
