import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { together } from '../../src/shared/together.js';

describe('work for many', () => {
  it('runs for all, so many at a time, with its index', async () => {
    let running = 0;
    let most = 0;
    const done: string[] = [];
    await together(['a', 'b', 'c', 'd', 'e'], 2, async (item, index) => {
      most = Math.max(most, ++running);
      await sleep(1);
      running--;
      done[index] = item;
    });
    expect(done).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(most).toBe(2);
  });

  it('begins no more after an error, and throws it when what runs has ended', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const work = async (item: number): Promise<void> => {
      begun.push(item);
      await sleep(item === 2 ? 1 : 20);
      if (item === 2) throw new Error('no');
      ended.push(item);
    };
    await expect(together([1, 2, 3, 4], 2, work)).rejects.toThrow('no');
    expect(begun).toEqual([1, 2]);
    expect(ended).toEqual([1]);
  });

  it('has nothing to do for none', async () => {
    await together([], 4, () => Promise.reject(new Error('no')));
  });
});
