import type { PropertyDefinition } from '../../model/property.js';
import type { ValueRule } from './scalar-property.js';

const NUMBER = String.raw`\s*([+-]?\d+(?:\.\d+)?)\s*`;
const RANGE = new RegExp(`^\\s*([[\\]])${NUMBER},${NUMBER}([[\\]])\\s*$`);

/**
 * The rule in a number's format: `[1,10[` and the like. A range with one bound, or a text that is no range, is kept
 * but never checked, as in the reference.
 */
export function rangeRule(definition: PropertyDefinition): ValueRule | undefined {
  const { name, format } = definition;
  const match = RANGE.exec(format ?? '');
  if (format === undefined || match === null) return undefined;
  const low = bound(match[2] ?? '');
  const high = bound(match[3] ?? '');
  const withLow = match[1] === '[';
  const withHigh = match[4] === ']';
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
