import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { scaled } from '../../../src/main/scripting/language/formats/decimal.js';
import { formatNumber, parseNumber } from '../../../src/main/scripting/language/formats/number-format.js';
import { ScriptWorld } from '../support.js';
import { call, type Case } from './support.js';

describe('functions of numbers', () => {
  let world: ScriptWorld;
  let context: ScriptContext;
  beforeAll(async () => {
    world = await ScriptWorld.open();
    context = world.context();
  });
  afterAll(() => world.close());

  it.each<Case>([
    ['add', [1, '2', 3n], 6],
    ['add', [null, '11'], 11],
    ['add', [null, null], 0],
    ['add', [], 0],
    ['add', [1, 'x'], 'For input string: "x"'],
    ['subt', [5, '2', 1n], 2],
    ['subt', [5, null], ''],
    ['subt', [null, 5], ''],
    ['subt', ['x', 5], 'For input string: "x"'],
    ['mult', [2, '3', 4n], 24],
    ['mult', [2, null], null],
    ['mult', ['x', 2], 'For input string: "x"'],
    ['quot', [7, 2], 3.5],
    ['quot', ['7', null], 7],
    ['quot', [null, 7], null],
    ['quot', [1, 0], Infinity],
    ['div', [1n, '4'], 0.25],
    ['div', [null, null], null],
    ['mod', [7, 4], 3n],
    ['mod', ['-7', 4n], -3n],
    ['mod', [7, 0], null],
    ['mod', [null, 4], null],
    ['mod', [7, null], null],
    ['min', [3, '2'], 2],
    ['min', [null, 2], null],
    ['min', ['x', 2], 'Usage: min(number, number)'],
    ['max', [3, '2'], 3],
    ['max', [3, null], null],
    ['max', [3, 'x'], 'Usage: max(number, number)'],
    ['round', [2.5], 3n],
    ['round', [-2.5], -2n],
    ['round', ['1.4'], 1n],
    ['round', [1.23456, 2], 1.23],
    ['round', [2.345, 2n], 2.35],
    ['round', [1234.5, -2], 1200],
    ['round', [1e308, 10], 1e308],
    ['round', [1, 1000], 'Usage: round(number [, places])'],
    ['round', [9007199254740993n], 9007199254740993n],
    ['round', [1e300], 9223372036854775807n],
    ['round', [NaN], 0n],
    ['round', ['x'], 'For input string: "x"'],
    ['round', [null], null],
    ['floor', [-1.5], -2n],
    ['floor', [null], null],
    ['ceil', ['1.2'], 2n],
    ['ceil', [9007199254740993n], 9007199254740993n],
    ['ceil', [null], null],
    ['num', ['1.5'], 1.5],
    ['num', [2n], 2],
    ['num', [new Date(5)], 5],
    ['num', ['1970-01-01T00:00:01+0000'], 1000],
    ['num', ['x'], null],
    ['num', [null], null],
    ['long', ['12.7'], 12n],
    ['long', [new Date(1704103200000)], 1704103200000n],
    ['long', [9007199254740993n], 9007199254740993n],
    ['long', [''], null],
    ['long', [null], null],
    ['int', [-12.7], -12n],
    ['int', ['2024-01-01T10:00:00.000Z'], 1704103200000n],
    ['int', [true], null],
    ['int', [null], null],
    ['rint', [1], 0n],
    ['rint', [0], 'Usage: rint(bound)'],
    ['rint', [null], null],
    ['doubleSum', [[1, '2', 3n, null]], 6],
    ['doubleSum', [[]], 0],
    ['doubleSum', [null], null],
    ['doubleSum', ['1'], 'Usage: doubleSum(list)'],
    ['intSum', [[1.9, '2', 3n]], 6n],
    ['intSum', [['x']], 'For input string: "x"'],
    ['intSum', [null], null],
    ['numberFormat', [12345.678, 'de', '#,##0.00'], '12.345,68'],
    ['numberFormat', ['2', 'en', '0.00'], '2.00'],
    ['numberFormat', [null, 'en', '0.00'], ''],
    ['numberFormat', [1, null, '0.00'], 'Usage: numberFormat(number, locale, pattern)'],
    ['numberFormat', [1, 'en', '0.0.0'], 'Usage: numberFormat(number, locale, pattern)'],
    ['parseNumber', ['123.456 €', 'de'], 123456n],
    ['parseNumber', ['123.456 €', 'en'], 123.456],
    ['parseNumber', ['1,234.5'], 1234.5],
    ['parseNumber', ['-1.234,5', 'de_DE'], -1234.5],
    ['parseNumber', ['none'], null],
    ['parseNumber', [null], null],
  ])('%s(%s) is %s', async (name, args, expected) => {
    expect(await call(context, name, ...args)).toEqual(expected);
  });

  it('rint stays below its bound', async () => {
    const found = new Set<unknown>();
    for (let i = 0; i < 200; i++) found.add(await call(context, 'rint', 3));
    expect(found).toEqual(new Set([0n, 1n, 2n]));
  });

  it('parseNumber uses the locale of the run', async () => {
    expect(await call(world.context({ locale: 'de_DE' }), 'parseNumber', '1.234,5')).toBe(1234.5);
  });
});

describe('patterns of numbers', () => {
  it.each<[number | bigint, string, string, string]>([
    [1234567.891, '#,##0.00', 'en', '1,234,567.89'],
    [1234567.891, '#,##0.00', 'de_DE', '1.234.567,89'],
    [0.125, '0.00', 'en', '0.12'],
    [0.375, '0.00', 'en', '0.38'],
    [2.5, '0', 'en', '2'],
    [3.5, '#', 'en', '4'],
    // Nearer to 2.67 than its text says.
    [2.675, '0.00', 'en', '2.67'],
    [0, '#', 'en', '0'],
    [0.5, '#.##', 'en', '0.5'],
    [0.5, '#.00', 'en', '.50'],
    [7, '000', 'en', '007'],
    [0.256, '0.0 %', 'en', '25.6 %'],
    [0.256, '0\u2030', 'en', '256\u2030'],
    [-3.5, '0.0', 'en', '-3.5'],
    [-3.5, '0.0;(0.0)', 'en', '(3.5)'],
    [-0.001, '0.00', 'en', '0.00'],
    [12345, "'#'0", 'en', '#12345'],
    [5, "0 'o''clock'", 'en', "5 o'clock"],
    [9223372036854775807n, '#,##0', 'en', '9,223,372,036,854,775,807'],
    [12345, '0.##E0', 'en', '1.23E4'],
    [0.00012345, '00.##E00', 'en', '12.34E-05'],
    [9999, '0.0E0', 'en', '1.0E4'],
    [12345, '##0.##E0', 'en', '12.3E3'],
    [0, '0.0E0', 'en', '0.0E0'],
    [Infinity, '0', 'en', '∞'],
    [NaN, '0', 'en', 'NaN'],
    [5, '¤ 0.00', 'de_DE', '€ 5,00'],
    [1.5, '0.0', 'no such locale', '1.5'],
  ])('%s by %s in %s is %s', (value, pattern, locale, expected) => {
    expect(formatNumber(value, pattern, locale)).toBe(expected);
  });

  it.each(['0.0.0', "'open", '0;0;0', '0#', ',', '0,', 'x'.repeat(300)])('%s is none', (pattern) => {
    expect(formatNumber(1, pattern, 'en')).toBeUndefined();
  });

  it('rounds as decimals do, not as texts of doubles', () => {
    expect(scaled(1.005, 2)).toBe(100n);
    expect(scaled(-2.5, 0)).toBe(-2n);
    expect(scaled(1e300, -299)).toBe(10n);
    expect(scaled(5e-324, 10)).toBe(0n);
    expect(scaled(15n, -1)).toBe(2n);
  });

  it('ends numbers where the way of the locale to write them does', () => {
    expect(parseNumber('1.5.6', 'en')).toBe(1.5);
    expect(parseNumber('12-3', 'en')).toBe(12n);
    expect(parseNumber(',5', 'de')).toBe(0.5);
    expect(parseNumber('-', 'en')).toBeUndefined();
    expect(parseNumber('12345678901234567890', 'en')).toBe(1.2345678901234567e19);
  });
});
