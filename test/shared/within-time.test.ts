/** What may take only so long is ended then, whatever the collector of garbage does meanwhile. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { withinTime } from '../../src/shared/within-time.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Ends by its signal alone. */
const endless = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

it('ends when the time is over, though all that nobody holds is collected', async () => {
  const outer = new AbortController();
  const ended = Promise.allSettled(Array.from({ length: 20 }, () => withinTime(100, outer.signal, endless)));
  const timer = setInterval(collect, 5);
  try {
    for (const one of await ended) expect(one).toMatchObject({ reason: { name: 'TimeoutError' } });
  } finally {
    clearInterval(timer);
  }
});

it('ends when its signal does, with its reason, also one that has ended before', async () => {
  const outer = new AbortController();
  const ended = withinTime(60_000, outer.signal, endless);
  outer.abort(new Error('gone'));
  await expect(ended).rejects.toThrow('gone');
  await expect(withinTime(60_000, outer.signal, async (signal) => signal.throwIfAborted())).rejects.toThrow('gone');
});

it('answers what the work answers', async () => {
  expect(await withinTime(60_000, undefined, async () => 1)).toBe(1);
});
