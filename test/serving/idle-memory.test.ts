/** A front-end thread that has nothing to do gives back what its work has left. */
import { getHeapStatistics } from 'node:v8';
import { expect, it, vi } from 'vitest';
import { giveMemoryOfThreadBackWhenIdle } from '../../src/main/idle-memory.js';

const MB = 1024 * 1024;
const used = (): number => getHeapStatistics().used_heap_size;

it('garbage is collected when nothing happens', async () => {
  giveMemoryOfThreadBackWhenIdle();
  const before = used();
  let kept: unknown[] | undefined = Array.from({ length: 1_000_000 }, (_, i) => ({ i, text: `text ${String(i)}` }));
  expect(used() - before).toBeGreaterThan(40 * MB);
  expect(kept).toHaveLength(1_000_000);
  kept = undefined;
  await vi.waitFor(
    () => {
      expect(used() - before).toBeLessThan(20 * MB);
    },
    { timeout: 60_000, interval: 500 },
  );
}, 70_000);
