import { expect, test } from 'vitest';
import { SizedCache } from '../../src/main/scripting/language/sized-cache.js';

const text = (name: string, length = 36): string => name.padEnd(length, '-');

test('those not used for longest make room', () => {
  // Each text counts 100.
  const cache = new SizedCache<number>(1000);
  for (let i = 0; i < 10; i++) cache.set(text(String(i)), i);
  expect(cache.get(text('0'))).toBe(0);
  cache.set(text('10'), 10);
  cache.set(text('11'), 11);
  expect(cache.get(text('0'))).toBe(0);
  expect(cache.get(text('1'))).toBe(undefined);
  expect(cache.get(text('2'))).toBe(undefined);
  expect(cache.get(text('3'))).toBe(3);
  expect(cache.get(text('11'))).toBe(11);
});

test('long texts are not kept, and what is kept stays', () => {
  const cache = new SizedCache<number>(1000);
  cache.set(text('long', 37), 1);
  expect(cache.get(text('long', 37))).toBe(undefined);
  cache.set(text('a'), 1);
  cache.set(text('a'), 2);
  expect(cache.get(text('a'))).toBe(1);
});
