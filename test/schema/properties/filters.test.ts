import { describe, expect, test } from 'vitest';
import type { Predicate } from '../../../src/main/graph/index.js';
import { property, refusal } from './support.js';

function filter(type: string, texts: string[], inexact = false): Predicate {
  const p = property(type, { dbName: 'k' });
  return p.filter(
    texts.map((text) => p.fromText(text, 'T')),
    inexact,
  );
}

describe('filter values (docs/interface/lists.md 1.3)', () => {
  const instant = Date.UTC(2024, 2, 1, 9);
  test.each<[string, string[], boolean, Predicate]>([
    ['String', ['a'], false, { op: 'equals', key: 'k', value: 'a' }],
    ['String', ['a'], true, { op: 'contains', key: 'k', value: 'a', ignoreCase: true }],
    [
      'String',
      ['a', 'b'],
      false,
      {
        op: 'and',
        terms: [
          { op: 'equals', key: 'k', value: 'a' },
          { op: 'equals', key: 'k', value: 'b' },
        ],
      },
    ],
    ['Integer', ['5'], true, { op: 'equals', key: 'k', value: 5 }],
    ['Integer', ['1.5'], false, { op: 'equals', key: 'k', value: 1.5 }],
    ['Long', ['9007199254740993'], false, { op: 'equals', key: 'k', value: 9007199254740993n }],
    ['Double', ['1e2'], false, { op: 'equals', key: 'k', value: 100 }],
    ['Boolean', ['ON'], false, { op: 'equals', key: 'k', value: true }],
    ['Boolean', ['no'], true, { op: 'equals', key: 'k', value: false, orNull: true }],
    ['Date', ['2024-03-01T10:00:00+0100'], false, { op: 'equals', key: 'k', value: instant }],
    [
      'ZonedDateTime',
      ['2024-03-01T10:00:00+0100'],
      false,
      { op: 'startsWith', key: 'k', value: '2024-03-01T09:00:00.000Z' },
    ],
    ['Enum', ['other'], false, { op: 'equals', key: 'k', value: 'other' }],
    ['Enum', ['on'], true, { op: 'contains', key: 'k', value: 'on', ignoreCase: true }],
    ['StringArray', ['a', 'b'], false, { op: 'arrayEquals', key: 'k', values: ['a', 'b'] }],
    ['IntegerArray', ['1'], false, { op: 'arrayEquals', key: 'k', values: [1] }],
    ['StringArray', ['a'], true, { op: 'arrayContains', key: 'k', value: 'a' }],
    [
      'LongArray',
      ['1', '2'],
      true,
      {
        op: 'and',
        terms: [
          { op: 'arrayContains', key: 'k', value: 1 },
          { op: 'arrayContains', key: 'k', value: 2 },
        ],
      },
    ],
    ['ByteArray', ['a', 'b'], false, { op: 'arrayEquals', key: 'k', values: [97, 44, 98] }],
  ])('%s %j, inexact %s', (type, texts, inexact, predicate) => {
    expect(filter(type, texts, inexact)).toEqual(predicate);
  });

  test.each([
    ['String', { op: 'isEmpty', key: 'p' }],
    ['Integer', { op: 'isNull', key: 'p' }],
    ['Date', { op: 'isNull', key: 'p' }],
    ['Enum', { op: 'isNull', key: 'p' }],
    ['StringArray', { op: 'isEmpty', key: 'p' }],
    ['Boolean', { op: 'equals', key: 'p', value: false, orNull: true }],
  ])('an empty parameter for %s', (type, predicate) => {
    expect(property(type).filterEmpty()).toEqual(predicate);
  });

  test('a Boolean without a value is found as what it reads as', () => {
    const p = property('Boolean', { defaultValue: 'true' });
    expect(p.filter([true], false)).toEqual({ op: 'equals', key: 'p', value: true, orNull: true });
    expect(p.filter([false], false)).toEqual({ op: 'equals', key: 'p', value: false });
  });

  test('ranges of zoned dates take in their bounds, whatever the offset', () => {
    const p = property('ZonedDateTime');
    const stored = ['2024-03-01T10:00:00+01:00', '2024-03-01T09:00:00Z', '2024-03-01T08:00:00-01:00'].map((text) =>
      String(p.fromJson(text, 'T')),
    );
    const bound = p.fromText('2024-03-01T11:00:00+0200', 'T');
    const range = p.filterRange?.(bound, bound);
    if (range?.op !== 'range') throw new Error('no range');
    for (const text of stored) {
      expect(text >= String(range.from) && text <= String(range.to)).toBe(true);
    }
  });

  test.each([
    ['Integer', 'x', 'must_be_numerical'],
    ['Long', '', 'must_be_numerical'],
    ['DoubleArray', '1-2', 'must_be_numerical'],
    ['Date', 'x', 'invalid_date_format'],
    ['Date', '2024-02-30T00:00:00Z', 'invalid_date_format'],
  ])('%s %j is refused', (type, text, token) => {
    const error = refusal(() => property(type).fromText(text, 'Task'));
    expect(error.tokens[0]).toMatchObject({ type: 'Task', property: 'p', token });
  });

  test.each(['Encrypted', 'Password'])('%s cannot be searched', (type) => {
    const error = refusal(() => property(type).fromText('x', 'T'));
    expect(error.kind).toBe('bad_request');
    expect(error.message).toContain('p');
  });
});
