/** Arguments of methods as expressions write them (docs/interface/scripting.md 2.2). */
import { isMap, type ScriptMap, type ScriptValue } from './values.js';

/**
 * Names and values in turn, or maps, or both, as the maps that methods take. What is neither is left as it is, so that the method
 * can say what is wrong with it.
 */
export function methodArguments(args: readonly ScriptValue[]): readonly ScriptValue[] {
  if (args.every(isMap)) return args;
  const merged: ScriptMap = new Map();
  for (let i = 0; i < args.length; i++) {
    const one = args[i] ?? null;
    if (isMap(one)) {
      for (const [key, value] of one) merged.set(key, value);
      continue;
    }
    const value = args[++i];
    if (typeof one !== 'string' || value === undefined) return args;
    merged.set(one, value);
  }
  return [merged];
}
