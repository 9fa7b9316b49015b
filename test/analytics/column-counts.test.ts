import { expect, it } from 'vitest';
import { Aggregate } from '../../src/main/analytics/digest/aggregate.js';
import type { Aggregation } from '../../src/main/analytics/digest/question.js';
import type { ColumnBlock, TextColumn } from '../../src/shared/digest.js';

interface Event {
  readonly timestamp: number;
  readonly subject: string | undefined;
  readonly object: string | undefined;
  readonly message: string | undefined;
  readonly taken: boolean;
}

const HOUR = 3_600_000;
const check = (): void => undefined;

function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Around the end of daylight saving time, some out of order, some without a time or a text. */
function eventsOf(count: number, apart: number, weights: number): Event[] {
  const next = random(count);
  const text = (letter: string, of: number): string | undefined =>
    next(20) === 0 ? undefined : `${letter}${String(next(of))}`;
  return Array.from({ length: count }, (_, i) => ({
    timestamp: next(50) === 0 ? NaN : Date.parse('2026-04-03T00:00:00Z') + i * apart + next(3) * next(20) * HOUR,
    subject: text('s', 7),
    object: text('o', 5),
    message: text('amount=', weights),
    taken: next(4) > 0,
  }));
}

function columnOf(texts: readonly (string | undefined)[]): TextColumn {
  const values = [undefined, ...new Set(texts.filter((text) => text !== undefined))];
  const codes = Uint32Array.from(texts, (text) => values.indexOf(text));
  return { codes, values: values.length, text: (code) => values[code] };
}

function blockOf(events: readonly Event[], masked: boolean): ColumnBlock {
  const times = events.map(({ timestamp }) => timestamp).filter((time) => !Number.isNaN(time));
  const numbers = Float64Array.from(events, ({ timestamp }) => timestamp);
  return {
    rows: events.length,
    taken: masked ? Uint8Array.from(events, ({ taken }) => Number(taken)) : undefined,
    min: Math.min(...times),
    max: Math.max(...times),
    numbers: () => numbers,
    texts: (key) => columnOf(events.map((event) => event[key as 'subject' | 'object' | 'message'])),
  };
}

const PLAIN = { kind: 'aggregation', indent: false, filters: [], named: [] } as const;
const BERLIN = { ...PLAIN, pattern: 'yyyy-MM-dd', zone: 'Europe/Berlin' } as const;
const correlate = (operator: 'and' | 'andSubject' | 'andObject' | 'not', pattern?: string): Aggregation => ({
  ...BERLIN,
  correlation: { action: 'A', operator, pattern },
});
const AMOUNT = 'amount=(\\d+)';

it.each<[string, Aggregation, events?: number, apart?: number, weights?: number]>([
  ['days', BERLIN],
  ['hours where clocks are set back', { ...PLAIN, pattern: 'yyyy-MM-dd HH', zone: 'Australia/Sydney' }],
  [
    'names and values',
    { ...BERLIN, named: [{ name: 'one', source: 'amount=1.*' }], histogram: { name: 'h', source: AMOUNT } },
  ],
  ['filters', { ...BERLIN, filters: ['amount=1.*'] }],
  [
    'more places than are counted at once',
    { ...PLAIN, pattern: 'HH:mm', zone: 'UTC', multiplier: AMOUNT },
    6000,
    10_000,
    2500,
  ],
  ['the same subject and object', correlate('and')],
  ['another subject or object', correlate('not')],
  ['the same value', correlate('and', AMOUNT)],
  ['the same value, another one', correlate('not', AMOUNT)],
  ['the same value and subject', correlate('andSubject', AMOUNT)],
  ['the same value and object', correlate('andObject', AMOUNT)],
])(
  'events in columns come to what they come to one by one: %s',
  (_, asked, count = 5000, apart = 60_000, weights = 30) => {
    const events = eventsOf(count, apart, weights);
    const others = eventsOf(25, apart, weights);
    const before = asked.correlation === undefined ? 0 : 1;
    for (const masked of [false, true]) {
      const [byColumn, oneByOne] = [new Aggregate(asked, check), new Aggregate(asked, check)];
      for (const [query, list] of before === 0
        ? [[0, events] as const]
        : [[0, others] as const, [1, events] as const]) {
        byColumn.takeColumns(query, blockOf(list, masked));
        for (const { taken, ...properties } of list) if (taken || !masked) oneByOne.take(query, 'id', properties);
      }
      const text = [...oneByOne.end()].join('');
      expect([...byColumn.end()].join('')).toBe(text);
      expect(text).toMatch(/"total":[1-9]/);
    }
  },
);
