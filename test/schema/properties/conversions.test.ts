import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { propertyTypes } from '../../../src/main/schema/properties/table.js';
import type { JsonValue } from '../../../src/shared/json/index.js';
import { afterWriting, property, refusal } from './support.js';

describe('input and output (docs/interface/schema.md 5.2)', () => {
  const rows: [type: string, input: JsonValue, output: string][] = [
    ['String', 'a"b\n', '"a\\"b\\n"'],
    ['String', '', '""'],
    ['String', 12.5, '"12.5"'],
    ['String', true, '"true"'],
    ['String', 9007199254740993n, '"9007199254740993"'],
    ['Integer', 12.7, '12'],
    ['Integer', -12.7, '-12'],
    ['Integer', '12.7', '12'],
    ['Integer', ' 7 ', '7'],
    ['Integer', '', 'null'],
    ['Integer', 4294967297, '1'],
    ['Integer', 2147483648, '-2147483648'],
    ['Integer', 9007199254740993n, '1'],
    ['Long', 9007199254740993n, '9007199254740993'],
    ['Long', '9223372036854775807', '9223372036854775807'],
    ['Long', '-9223372036854775808', '-9223372036854775808'],
    ['Long', '+5', '5'],
    ['Long', 1e18, '1000000000000000000'],
    ['Long', 5.9, '5'],
    ['Double', 1, '1.0'],
    ['Double', '1.25', '1.25'],
    ['Double', -0, '0.0'], // one zero: what equals is written alike,
    ['Double', 1e21, '1e+21'],
    ['Double', 'NaN', 'null'],
    ['Double', '-Infinity', 'null'],
    ['Double', ' ', 'null'],
    ['Boolean', true, 'true'],
    ['Boolean', 'TRUE', 'true'],
    ['Boolean', 'on', 'true'],
    ['Boolean', '1', 'true'],
    ['Boolean', 1, 'false'],
    ['Boolean', 'yes', 'false'],
    ['Boolean', null, 'false'],
    ['Date', '2024-03-01T10:00:00+0100', '"2024-03-01T09:00:00+0000"'],
    ['Date', '2024-03-01T10:00:00Z', '"2024-03-01T10:00:00+0000"'],
    ['Date', '2024-03-01T10:00:00.250+01:00', '"2024-03-01T09:00:00+0000"'],
    ['Date', 1365151420000, '"2013-04-05T08:43:40+0000"'],
    ['Date', ' ', 'null'],
    ['ZonedDateTime', '2013-04-05T10:43:40+0200', '"2013-04-05T10:43:40+02:00"'],
    ['ZonedDateTime', '2013-04-05T10:43:40.5+02:00[Europe/Berlin]', '"2013-04-05T10:43:40.500+02:00[Europe/Berlin]"'],
    ['ZonedDateTime', '2013-04-05T10:43:40Z', '"2013-04-05T10:43:40Z"'],
    ['ZonedDateTime', '', 'null'],
    ['Enum', 'done', '"done"'],
    ['Enum', ' ', 'null'],
    ['StringArray', ['a', 1], '["a","1"]'],
    ['StringArray', [], '[]'],
    ['IntegerArray', [1, '2.9'], '[1,2]'],
    ['LongArray', [9007199254740993n, '1'], '[9007199254740993,1]'],
    ['DoubleArray', [1, 2.5], '[1.0,2.5]'],
    ['BooleanArray', [true, 'on', 0], '[true,true,false]'],
    ['DateArray', [0, 'never', '1970-01-02T00:00:00Z'], '["1970-01-01T00:00:00+0000","1970-01-02T00:00:00+0000"]'],
    ['DateArray', ['never'], '[]'],
    ['EnumArray', ['done', 'open'], '["done","open"]'],
    ['ByteArray', 'häh', '"häh"'],
    ['ByteArray', [104, -61, 164, 104], '"häh"'],
    ['Encrypted', 'clear', '"clear"'],
    ['Encrypted', 5, '"5"'],
  ];
  test.each(rows)('%s %s reads as %s', (type, input, output) => {
    expect(afterWriting(property(type), input)).toBe(output);
  });

  /** What types read as without a value, where that is not null. */
  const ALWAYS: Readonly<Record<string, string>> = { Boolean: 'false', Password: '"****** HIDDEN ******"' };
  test('null clears every type, and nothing reads as null, false, hidden or []', () => {
    for (const { name } of propertyTypes.values()) {
      const p = property(name);
      expect(p.fromJson(null, 'T')).toBeNull();
      expect(p.toJson(undefined)).toBe(p.isCollection ? '[]' : (ALWAYS[name] ?? 'null'));
    }
  });

  test('lenient JSON writes NaN and infinities', () => {
    const p = property('Double', {}, { lenientJson: true });
    expect(afterWriting(p, 'NaN')).toBe('NaN');
    expect(afterWriting(p, 'Infinity')).toBe('Infinity');
  });
});

describe('refused input (docs/interface/schema.md 5.3)', () => {
  const numbers = ["Cannot parse input for property 'p'", 'must_be_numerical'] as const;
  const dates = ["Cannot parse input for property 'p'", 'invalid_date_format'] as const;
  const enums = ['Cannot parse input for property ‛p‛', 'must_be_one_of'] as const;
  const list = (type: string) => [`Invalid JSON input for key p, expected a JSON ${type}[].`, undefined] as const;
  const rows: [type: string, input: JsonValue, expected: readonly [message: string, token: string | undefined]][] = [
    ['Integer', 'twelve', numbers],
    ['Integer', true, numbers],
    ['Integer', [1], numbers],
    ['Integer', 'NaN', numbers],
    ['Long', '1.5', numbers],
    ['Long', 9223372036854775808n, numbers],
    ['Long', 1e19, numbers],
    ['Long', '9223372036854775808', numbers],
    ['Double', '1,5', numbers],
    ['Double', {}, numbers],
    ['Date', 'yesterday', dates],
    ['Date', '2024-02-31T00:00:00Z', dates],
    ['Date', 1e16, dates],
    ['Date', '2024-03-01', dates],
    ['Date', true, ['Unknown input type for date property ‛p‛: boolean', undefined]],
    ['ZonedDateTime', 'now', ['Could not parse ZonedDateTime from source now for property p', undefined]],
    ['ZonedDateTime', 5, ['Could not parse ZonedDateTime from source 5 for property p', undefined]],
    ['Enum', 'Done', enums],
    ['Enum', ['done'], enums],
    ['StringArray', 'a', list('String')],
    ['IntegerArray', 5, list('Integer')],
    ['DateArray', '2024-03-01T10:00:00Z', list('Date')],
    ['ByteArray', 5, list('Byte')],
    ['IntegerArray', [1, null], numbers],
    ['LongArray', [''], numbers],
    ['DoubleArray', ['x'], numbers],
    ['ByteArray', [256], numbers],
    ['EnumArray', ['done', 'late'], enums],
    ['EnumArray', [null], enums],
  ];
  test.each(rows)('%s %s', (type, input, [message, token]) => {
    const error = refusal(() => property(type).fromJson(input, 'Task'));
    expect(error.message).toBe(message);
    expect(error.tokens[0]?.token).toBe(token);
    if (token !== undefined) expect(error.tokens[0]).toMatchObject({ type: 'Task', property: 'p' });
  });

  test('tokens say what was wrong', () => {
    expect(refusal(() => property('Long').fromJson(2n ** 64n, 'T')).tokens[0]?.value).toBe('18446744073709551616');
    expect(refusal(() => property('Date').fromJson('never', 'T')).tokens[0]?.detail).toBe('never');
    expect(refusal(() => property('Enum').fromJson('late', 'T')).tokens[0]?.detail).toBe('open, done');
    expect(refusal(() => property('IntegerArray').fromJson([1, 'x'], 'T')).tokens[0]?.value).toBe('x');
  });

  test('no JSON value crashes any type', () => {
    const inputs: JsonValue[] = [
      null,
      true,
      false,
      0,
      -1,
      1.5,
      1e300,
      -0,
      2n ** 70n,
      '',
      ' ',
      'x',
      '\ud800',
      '1e999',
      '9'.repeat(5000),
      [],
      [[]],
      [null],
      [{}],
      [1, 'a', true, null],
      {},
      { a: 1n },
      { id: 'x' },
    ];
    for (const { name } of propertyTypes.values()) {
      const p = property(name);
      for (const input of inputs) {
        let stored;
        try {
          stored = p.fromJson(input, 'T');
        } catch (error) {
          expect((error as Error).name, `${name} ${inspect(input)}`).toBe('SchemaError');
          expect(() => JSON.stringify((error as { tokens: unknown }).tokens)).not.toThrow();
          continue;
        }
        expect(() => JSON.parse(p.toJson(stored ?? undefined)) as unknown).not.toThrow();
      }
    }
  });

  test('what another type has stored still gives valid JSON', () => {
    const stored = ['text', '', '12', 5, 1.5, Number.NaN, Infinity, 2n ** 60n, true, [], ['a'], [1, 2], [true], 9e15];
    for (const { name } of propertyTypes.values()) {
      for (const value of stored) expect(() => JSON.parse(property(name).toJson(value)) as unknown).not.toThrow();
    }
  });
});

describe('defaults', () => {
  test.each([
    ['String', 'none', '"none"', 'none'],
    ['Integer', '5', '5', 5],
    ['Long', '9007199254740993', '9007199254740993', 9007199254740993n],
    ['Double', '2', '2.0', 2],
    ['Boolean', 'true', 'true', true],
    ['Date', '1970-01-01T00:00:01Z', '"1970-01-01T00:00:01+0000"', 1000],
    ['Enum', 'open', '"open"', 'open'],
    ['EnumArray', 'open, done', '["open","done"]', ['open', 'done']],
  ])('of %s', (type, defaultValue, json, stored) => {
    const p = property(type, { defaultValue });
    expect(p.defaultValue).toEqual(stored);
    expect(p.toJson(undefined)).toBe(json);
  });

  test('other lists have none', () => {
    expect(property('StringArray', { defaultValue: 'a,b' }).defaultValue).toBeUndefined();
  });
});
