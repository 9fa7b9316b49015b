/** Values of scripts that are evaluated on the loop (plain-script.ts). */
import { ScriptEntity, type ScriptValue } from '../../../language/values.js';

export type Primitive = undefined | null | boolean | number | string;
/** Lists are the script's own. */
export type Plain = Primitive | ScriptEntity | readonly Plain[];

/** Characters of a text: each step works on a few of them, so that a script of many steps is short. */
export const LONGEST_TEXT = 10_000;

/** The script is more than can be done here. */
export class Left extends Error {
  override readonly name = 'Left';
}

/** One for all: it says nothing, and is made often. */
const LEFT = new Left('left to the engine');

export function leave(): never {
  throw LEFT;
}

export function isPrimitive(value: unknown): value is Primitive {
  return value === null || (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'bigint');
}

/** What an operation has made. */
export function short<T extends Primitive>(value: T): T {
  return typeof value === 'string' && value.length > LONGEST_TEXT ? leave() : value;
}

/** A value as JavaScript sees it; what has methods there is left. */
export function toPlain(value: ScriptValue | undefined): Plain {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return short(value);
  if (typeof value === 'boolean' || value instanceof ScriptEntity) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : leave();
  if (typeof value !== 'bigint') return leave();
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : leave();
}

/** The result of a script, as one that an isolate has answered. */
export function fromPlain(value: Plain): ScriptValue {
  if (value === undefined || typeof value === 'object') return value === undefined || value === null ? null : leave();
  if (typeof value !== 'number') return value;
  if (Number.isNaN(value)) return null;
  return Number.isSafeInteger(value)
    ? BigInt(value)
    : Number.isInteger(value) || !Number.isFinite(value)
      ? leave()
      : value;
}
