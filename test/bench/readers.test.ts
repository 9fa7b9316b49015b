/** How case 25 judges what it has measured. */
import { expect, it } from 'vitest';
import { judge, type ReaderFigures } from '../../bench/cases/readers.js';

const series = (median: number): ReaderFigures['first'] => ({ median, samples: [median] });

it('the worst list of a reader counts, and each goal has one row', () => {
  const figures = (['sorted', 'unsorted', 'filtered'] as const).map((list, i) => ({
    reader: 'user' as const,
    share: 1,
    list,
    administrator: series(100),
    first: series(110 + i * 20),
    deep: list === 'filtered' ? undefined : series(150),
  }));
  const rows = judge(figures).map(({ title, figure, goal, met }) => [title, figure.toFixed(2), goal, met]);
  expect(rows).toEqual([
    ['page of 20, user seeing 100 % (filtered)', '1.50', '≤ 1.3 ×', false],
    ['page 90, whoever asks (sorted user seeing 100 %)', '1.36', '≤ 1.5 ×', true],
    ['unsorted, whoever asks (user seeing 100 %)', '1.18', '≤ 1 ×', false],
  ]);
});
