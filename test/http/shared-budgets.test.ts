/** Budgets of memory count for all threads of a process (docs/design/threads.md 9). */
import { expect, test } from 'vitest';
import { HttpBudgets } from '../../src/main/http/budget.js';
import { ProcessCounts } from '../../src/main/http/index.js';

const KB = 1024;

test('what one thread holds is not there for the others, until it is given back or the thread has ended', () => {
  const counts = ProcessCounts.create(3);
  const limits = { bodies: { total: 100 * KB, perAddress: 0 }, answers: { total: 10 * KB, perAddress: 0 } };
  const [main, second, third] = [0, 1, 2].map(
    (thread) => new HttpBudgets(limits, thread === 0 ? counts : new ProcessCounts(counts.memory, thread)),
  ) as [HttpBudgets, HttpBudgets, HttpBudgets];
  const [a, b, c] = [main.bodies.share('a'), second.bodies.share('b'), third.bodies.share('c')];
  expect(a.tryAcquire(60 * KB)).toBe(true);
  expect(b.tryAcquire(30 * KB)).toBe(true);
  expect(c.tryAcquire(11 * KB)).toBe(false);
  expect(c.tryAcquire(10 * KB)).toBe(true);
  // Each budget for itself.
  expect(third.answers.share('c').tryAcquire(10 * KB)).toBe(true);
  expect(main.answers.share('a').tryAcquire(KB)).toBe(false);
  a.give(20 * KB);
  expect(b.tryAcquire(21 * KB)).toBe(false);
  expect(b.tryAcquire(20 * KB)).toBe(true);
  a.release();
  c.release();
  // Alone in the process it gets what it asks for.
  expect(b.tryAcquire(200 * KB)).toBe(true);
  expect(a.held).toBe(0);
  expect(third.bodies.share('d').tryAcquire(1)).toBe(false);
  counts.forget(1);
  expect(third.bodies.share('d').tryAcquire(100 * KB)).toBe(true);
});

test('bytes are told in KB, and none is left when all are given back', () => {
  const counts = ProcessCounts.create(2);
  const limits = { bodies: { total: 8 * KB, perAddress: 0 }, answers: { total: 0, perAddress: 0 } };
  const [main, other] = [new HttpBudgets(limits, counts), new HttpBudgets(limits, new ProcessCounts(counts.memory, 1))];
  const shares = Array.from({ length: 7 }, () => main.bodies.share('a'));
  for (const share of shares) for (let i = 0; i < 10; i++) expect(share.tryAcquire(100)).toBe(true);
  expect(counts.tally('bodies').total).toBe(7);
  const share = other.bodies.share('b');
  expect(share.tryAcquire(KB)).toBe(true);
  expect(share.tryAcquire(1)).toBe(false);
  for (const one of [...shares, share]) one.release();
  expect(counts.tally('bodies').total).toBe(0);
});
