/** What is made of several results of a method (docs/interface/lists.md 2.2). */
import type { ScriptValue } from '../../scripting/index.js';
import { ScriptEntity } from '../../scripting/index.js';

/** Each value once, in the order of the first; objects by their ids (docs/interface/lists.md 2.2). */
export function distinct(values: readonly ScriptValue[]): ScriptValue[] {
  const seen = new Set<unknown>();
  return values.filter((value) => {
    const key = value instanceof ScriptEntity ? value.id : value instanceof Date ? value.getTime() : value;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
