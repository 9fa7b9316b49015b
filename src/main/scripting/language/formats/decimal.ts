/** Decimal digits of numbers, exactly: doubles are rounded by the value they have, not by the text they print as. */

const view = new DataView(new ArrayBuffer(8));

/** A finite number as `numerator * 2 ** exponent`. */
function partsOf(value: number): { readonly numerator: bigint; readonly exponent: number } {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const size = exponent === 0 ? fraction : fraction | 0x10000000000000n;
  return { numerator: value < 0 ? -size : size, exponent: (exponent === 0 ? 1 : exponent) - 1075 };
}

/** `value * 10 ** digits`, rounded to the nearest integer; of two that are equally near, to the even one. */
export function scaled(value: number | bigint, digits: number): bigint {
  const { numerator, exponent } = typeof value === 'bigint' ? { numerator: value, exponent: 0 } : partsOf(value);
  let over = numerator;
  let under = 1n;
  if (exponent >= 0) over <<= BigInt(exponent);
  else under <<= BigInt(-exponent);
  if (digits >= 0) over *= 10n ** BigInt(digits);
  else under *= 10n ** BigInt(-digits);
  const negative = over < 0n;
  if (negative) over = -over;
  let quotient = over / under;
  const twice = (over % under) * 2n;
  if (twice > under || (twice === under && quotient % 2n === 1n)) quotient++;
  return negative ? -quotient : quotient;
}

/** Position of the first digit: 0 for numbers from 1 to 9, 2 for hundreds, -1 for tenths. */
export function magnitude(value: number | bigint): number {
  if (typeof value === 'bigint') return (value < 0n ? -value : value).toString().length - 1;
  if (value === 0) return 0;
  return Number(value.toExponential().split('e')[1]);
}
