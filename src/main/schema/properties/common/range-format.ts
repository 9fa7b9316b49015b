import type { PropertyDefinition } from '../../model/property.js';
import type { ValueRule } from './scalar-property.js';

const NUMBER = String.raw`\s*([+-]?\d+(?:\.\d+)?)\s*`;
const RANGE = new RegExp(`^\\s*([[\\]])${NUMBER},${NUMBER}([[\\]])\\s*$`);

/** Two ends, and whether they belong to the range themselves. */
export interface NumberRange {
  readonly low: number | bigint;
  readonly high: number | bigint;
  readonly withLow: boolean;
  readonly withHigh: boolean;
}

/** The range that a format says: `[1,10[` and the like; undefined for other texts, and for ranges with one end. */
export function numberRange(format: string | undefined): NumberRange | undefined {
  const match = RANGE.exec(format ?? '');
  if (match === null) return undefined;
  return {
    low: bound(match[2] ?? ''),
    high: bound(match[3] ?? ''),
    withLow: match[1] === '[',
    withHigh: match[4] === ']',
  };
}

/**
 * The rule in a number's format. A range with one bound, or a text that is no range, is kept but never checked, as in the reference.
 */
export function rangeRule(definition: PropertyDefinition): ValueRule | undefined {
  const { name, format } = definition;
  const range = numberRange(format);
  if (range === undefined) return undefined;
  const { low, high, withLow, withHigh } = range;
  return (value, typeName) => {
    if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
    const inside = (withLow ? value >= low : value > low) && (withHigh ? value <= high : value < high);
    return inside ? undefined : { type: typeName, property: name, token: 'must_be_in_range', detail: format };
  };
}

function bound(text: string): number | bigint {
  const number = Number(text);
  return Number.isInteger(number) && !Number.isSafeInteger(number) && /^[+-]?\d+$/.test(text)
    ? BigInt(text.replace('+', ''))
    : number;
}
