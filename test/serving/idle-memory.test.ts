/** A front-end thread that has nothing to do gives back what its work has left. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

interface Told {
  /** Bytes of the heap in use, more than at the beginning. */
  readonly more: number;
  /** Objects that are kept. */
  readonly kept: number;
}

const MB = 1024 * 1024;

it('garbage is collected when nothing happens', async () => {
  // Without the flag V8 may collect by itself some time after a collection.
  const work = fork(fileURLToPath(new URL('../support/idle-process.mjs', import.meta.url)), {
    execArgv: ['--no-memory-reducer'],
  });
  onTestFinished(() => {
    work.kill('SIGKILL');
  });
  const told = async (what: 'fill' | 'forget' | 'look'): Promise<Told> => {
    work.send(what);
    return ((await once(work, 'message')) as [Told])[0];
  };
  const filled = await told('fill');
  expect(filled.kept).toBe(1_000_000);
  expect(filled.more).toBeGreaterThan(40 * MB);
  expect((await told('forget')).kept).toBe(0);
  await expect.poll(async () => (await told('look')).more, { timeout: 60_000, interval: 500 }).toBeLessThan(20 * MB);
}, 90_000);
