/** What names stand for is looked up once a name: work is bounded by steps, and what they do not suffice for is doubted. */
import { describe, expect, it } from 'vitest';
import { callsInJavaScript } from '../../../src/main/scripting/analysis/javascript-calls.js';

function calls(source: string, mostSteps?: number): (string | undefined)[] {
  const found = callsInJavaScript(source, (name) => (name === 'GET' ? name : undefined), mostSteps);
  return found.map(({ doubt }) => doubt);
}

describe('names that are given values again and again', () => {
  it.each([5, 100])('are looked at once, with %i values', (count) => {
    const lines = 'best = a.x > best.x ? a : best;\n'.repeat(count);
    expect(calls(`let best = 1, a = 2; ${lines} best.GET();`, 4 * count + 10)).toEqual([]);
    expect(calls(`let best = 1, a = 2; ${lines} best = $; best.GET();`, 4 * count + 10)).toEqual([
      'best may be something else',
    ]);
  });

  it('are looked at once though each may be all others', () => {
    const names = Array.from({ length: 12 }, (_, i) => `n${String(i)}`);
    const lines = names.map((name) => `${name} = ${names.join(' || ')};`).join('\n');
    const used = names.map((name) => `${name}.GET();`).join('\n');
    expect(calls(`let ${names.join()};\n${lines}\n${used}`, 1000)).toEqual([]);
  });

  it('are doubted when the steps do not suffice', () => {
    expect(calls('let a = 1; a = b; a = c; a = 2; a.GET(); let d = 1; d.GET(); $.GET();', 3)).toEqual([
      'it takes too long to follow d',
      undefined,
    ]);
  });
});

it('names in circles mean what one of them means, whichever is looked at first', () => {
  const doubts = [expect.stringContaining('may be something else'), expect.stringContaining('may be something else')];
  expect(calls('let a, b; b = a; a = b; b = $; b.GET(); a.GET();')).toEqual(doubts);
  expect(calls('let a, b; b = a; a = b; b = $; a.GET(); b.GET();')).toEqual(doubts);
});

it('a name in the middle of a chain that is too long is still followed from there', () => {
  const chain = Array.from({ length: 30 }, (_, i) => `const n${String(i)} = ${i === 0 ? '$' : `n${String(i - 1)}`};`);
  expect(calls(`${chain.join('')} n29.GET(); n15.GET();`)).toEqual([undefined]);
});
