import { describe, expect, test } from 'vitest';
import { computingTime, paced } from '../../support/loop.js';
import { property, refusal } from './support.js';

describe('regular expressions', () => {
  const matches = (format: string, value: string): boolean =>
    property('String', { format }).validate(value, 'T').length === 0;

  test.each([
    ['[A-Z]{2}-\\d+', 'AB-12', true],
    ['[A-Z]{2}-\\d+', 'xAB-12', false],
    ['[A-Z]{2}-\\d+', 'AB-12 ', false],
    ['a|ab', 'ab', true],
    ['^a+$', 'aa', true],
    ['.*', 'a\nb', false],
    ['\\p{L}+', 'äöü', true],
    ['\\p{Alpha}[\\p{Digit}_]', 'a_', true],
    ['\\u00e4', 'ä', true],
    ['(?i)abc', 'ABC', true],
    ['(?=.*\\d)(?=.*[a-z]).{3,}', 'ab1', true],
    ['(?=.*\\d)(?=.*[a-z]).{3,}', 'abc', false],
    ['^(?!admin)\\w+$', 'admin2', false],
    ['^(?!admin)\\w+$', 'user', true],
  ])('%s with %j: %s', (format, value, expected) => {
    expect(matches(format, value)).toBe(expected);
  });

  test('a missing value does not match either', () => {
    const detail = "Property value must match the following pattern: '\\d+'.";
    const p = property('String', { format: '\\d+' });
    expect(p.validate(undefined, 'Task')).toEqual([{ type: 'Task', property: 'p', token: 'must_match', detail }]);
    expect(p.validate('x', 'Task')).toEqual([{ type: 'Task', property: 'p', token: 'must_match', value: 'x', detail }]);
    expect(property('String', { format: 'multi-line' }).validate(undefined, 'T')).toEqual([]);
    expect(property('String').validate(undefined, 'T')).toEqual([]);
  });

  test('no expression takes long', () => {
    const text = 'a'.repeat(100_000);
    const took = computingTime(() => {
      for (const format of ['(a+)+b', '(a|aa)*c', '(a*)*(a*)*x', '(?=(a+)+b).*', '([a-z]+)*[0-9]']) {
        expect(matches(format, text)).toBe(false);
      }
    });
    expect(took).toBeLessThan(paced(6000));
  });

  test.each([
    '(a',
    '[',
    '(a)\\1',
    'a(?=b)c',
    '((a{0,100}){0,100}){0,100}',
    '('.repeat(5000) + ')'.repeat(5000),
    '(?=a)b|c',
  ])('refuses the pattern %.20s', (format) => {
    const error = refusal(() => property('String', { format }));
    expect(error.tokens[0]).toMatchObject({ type: 'T', property: 'p', token: 'invalid_property_definition' });
  });
});

describe('ranges', () => {
  test.each([
    ['[1,10[', 1, true],
    ['[1,10[', 10, false],
    [']1,10]', 1, false],
    [']1,10]', 10, true],
    ['[ -1.5 , 2 ]', -1.5, true],
    ['[1,', 0, true],
    ['[,5]', 9, true],
    ['1-10', 99, true],
    ['[a,b]', 99, true],
  ])('%s with %d: %s', (format, value, inside) => {
    const tokens = property('Double', { format }).validate(value, 'Task');
    expect(tokens).toEqual(inside ? [] : [{ type: 'Task', property: 'p', token: 'must_be_in_range', detail: format }]);
  });

  test('large bounds are exact, missing values pass, lists give one token', () => {
    const long = property('Long', { format: '[0,9007199254740993]' });
    expect(long.validate(9007199254740993n, 'T')).toEqual([]);
    expect(long.validate(9007199254740994n, 'T')).toHaveLength(1);
    expect(long.validate(undefined, 'T')).toEqual([]);
    const list = property('IntegerArray', { format: '[1,3]' });
    expect(list.validate([1, 3], 'T')).toEqual([]);
    expect(list.validate([0, 4], 'T')).toHaveLength(1);
  });
});

describe('definitions that make no sense', () => {
  test.each([
    ['Enum', { format: '' }],
    ['Enum', { format: ' , ' }],
    ['EnumArray', { format: '' }],
    ['Enum', { format: 'a,b', defaultValue: 'c' }],
    ['Integer', { defaultValue: 'many' }],
    ['Long', { defaultValue: '1.5' }],
    ['Double', { defaultValue: 'x' }],
    ['Date', { defaultValue: 'never' }],
    ['Date', { format: 'yyyy-bb' }],
    ['Date', { format: "yyyy 'open" }],
    ['DateArray', { format: 'f' }],
    ['ZonedDateTime', { format: 'nonsense' }],
    ['Encrypted', { defaultValue: 'x' }],
    ['Password', { defaultValue: 'x' }],
  ])('%s %j', (type, definition) => {
    const error = refusal(() => property(type, definition));
    expect(error.tokens[0]).toMatchObject({ property: 'p', token: 'invalid_property_definition' });
    expect(String(error.tokens[0]?.detail)).not.toBe('');
  });

  test('enum members are separated by commas or blanks', () => {
    const p = property('Enum', { format: ' a,b  c,\n d, a' });
    for (const member of ['a', 'b', 'c', 'd']) expect(p.fromJson(member, 'T')).toBe(member);
    expect(refusal(() => p.fromJson('e', 'T')).tokens[0]?.detail).toBe('a, b, c, d');
  });
});
