/** What tells values from each other, for sets and comparisons (docs/interface/script-runtime.md 8.1, 8.4). */
import { ScriptEntity, type ScriptValue } from '../../language/values.js';

const DEEPEST = 100;

/**
 * Numbers of values: equal values have the same one. Objects are equal by id, numbers by value whatever their kind, lists and maps
 * by what they hold; everything else, what holds itself, and what is nested too deeply, by itself. A list or map is looked into
 * once, however often it is met.
 */
export class Identities {
  private readonly known = new Map<unknown, number>();
  /** By what they hold. */
  private readonly composed = new Map<string, number>();
  private count = 0;

  of(value: ScriptValue, depth = 0): number {
    const key = plain(value);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    // Whoever finds it in itself has an answer already.
    const own = ++this.count;
    this.known.set(key, own);
    if (key === null || typeof key !== 'object' || depth > DEEPEST) return own;
    const text = this.contentOf(key, depth + 1);
    if (text === undefined) return own;
    const equal = this.composed.get(text);
    if (equal === undefined) this.composed.set(text, own);
    else this.known.set(key, equal);
    return equal ?? own;
  }

  /** Undefined: it is equal by itself. */
  private contentOf(value: Exclude<ScriptValue, null | boolean | number | bigint | string>, depth: number) {
    if (value instanceof Date) return `d${String(value.getTime())}`;
    if (value instanceof ScriptEntity) return `e${value.id}`;
    if (value instanceof Uint8Array) return `x${Buffer.from(value).toString('base64')}`;
    if (Array.isArray(value)) return `l${value.map((one) => this.of(one, depth)).join(',')}`;
    if (!(value instanceof Map)) return undefined;
    const entries = [...value].map(([key, one]) => `${String(this.of(key))}:${String(this.of(one, depth))}`);
    return `m${entries.sort().join(',')}`;
  }
}

/** Integers that a double can say are doubles. */
function plain(value: ScriptValue): ScriptValue {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return BigInt(number) === value ? number : value;
}
