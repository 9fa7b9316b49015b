import { expect, test } from 'vitest';
import type { GraphEntity } from '../../src/main/graph/index.js';
import { ByteBudget } from '../../src/main/http/index.js';
import { AnswerMemory, HeldObjects } from '../../src/main/rest/answer/held-objects.js';

const object = (size: number): GraphEntity => ({
  kind: 'node',
  id: 'a',
  type: 'Note',
  properties: { text: 'x'.repeat(size), list: ['y'.repeat(size)] },
});

test('an object counts once, for one of those who keep it, until the last has it no more', () => {
  const budget = new ByteBudget({ total: 1000, perAddress: 0 });
  const objects = new HeldObjects();
  const entity = object(300);
  const answers = ['a', 'b', 'b'].map((address) => new AnswerMemory(objects, budget.share(address)));
  for (const answer of answers) answer.keep(entity);
  answers[0]?.keep(entity);
  expect([budget.heldBy('a'), budget.heldBy('b')]).toEqual([600, 0]);
  answers[0]?.release();
  expect([budget.heldBy('a'), budget.heldBy('b')]).toEqual([0, 600]);
  answers[2]?.release();
  expect(budget.held).toBe(600);
  answers[1]?.release();
  expect([budget.held, objects.size]).toEqual([0, 0]);
});

test('an equal object that is another one counts by itself, and what does not fit is refused and not kept', () => {
  const budget = new ByteBudget({ total: 1000, perAddress: 0 });
  const objects = new HeldObjects();
  const [one, other] = ['a', 'b'].map((address) => new AnswerMemory(objects, budget.share(address)));
  one?.keep(object(300));
  expect(() => other?.keep(object(300))).toThrow(expect.objectContaining({ status: 503 }));
  other?.release();
  expect([budget.held, objects.size]).toEqual([600, 1]);
  one?.release();
  expect([budget.held, objects.size]).toEqual([0, 0]);
});
