/** How long work keeps the event loop of a test's own process from anything else. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two looks. */
const TICK = 2;

/** What this thread did and would have done, had others not had the processor, in milliseconds. */
function threadTimes(): { computed: number; waited: number } {
  try {
    const [computed, waited] = readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ');
    return { computed: Number(computed) / 1e6, waited: Number(waited) / 1e6 };
  } catch {
    // A system that does not tell.
    return { computed: performance.now(), waited: 0 };
  }
}

/** Milliseconds for which this thread computed while `work` ran: what holds on a busy machine, too. */
export function computingTime(work: () => unknown): number {
  const before = threadTimes().computed;
  work();
  return threadTimes().computed - before;
}

/** Milliseconds that `yardstick` takes on the machine on which the limits of tests were set. */
const YARDSTICK_MS = 25;

/** Texts, lists, maps and numbers, as most of what is measured works with. */
function yardstick(): number {
  const texts = Array.from({ length: 20_000 }, (_, i) => `${String((i * 7919) % 20_000)};${'x'.repeat(i % 20)}`);
  const counts = new Map<string, number>();
  for (const text of texts) for (const part of text.split(';')) counts.set(part, (counts.get(part) ?? 0) + 1);
  return texts.sort().join(',').length + counts.size;
}

let pace: number | undefined;

/**
 * A limit of time that was set on a quick machine, as it is on this one: longer where the processor is slower, never shorter.
 * What is compared with it should take a quarter of it at most.
 */
export function paced(milliseconds: number): number {
  pace ??= Math.max(1, Math.min(...Array.from({ length: 5 }, () => computingTime(yardstick))) / YARDSTICK_MS);
  return milliseconds * pace;
}

/**
 * The longest time the loop was not free while `work` ran, in milliseconds. What other processes took of the machine
 * does not count, so that this holds on a busy one, too.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let { waited } = threadTimes();
  const timer = setInterval(() => {
    const now = performance.now();
    const wait = threadTimes().waited;
    longest = Math.max(longest, now - last - TICK - (wait - waited));
    last = now;
    waited = wait;
  }, TICK);
  await sleep(10);
  try {
    await work();
    await sleep(10);
  } finally {
    clearInterval(timer);
  }
  return longest;
}

/**
 * The least of up to three such times, until one is below `limit`: the first may be held up by the compiler, any by other
 * processes in ways that are not told.
 */
export async function longestTurnAtBest(work: () => Promise<unknown>, limit: number): Promise<number> {
  let longest = Infinity;
  for (let attempt = 0; attempt < 3 && longest >= limit; attempt++)
    longest = Math.min(longest, await longestTurn(work));
  return longest;
}

/** How often the loop came round while `work` ran: no clock tells it, and a slow machine makes no difference. */
export async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let over = false;
  const next = (): void => {
    turns++;
    if (!over) setImmediate(next);
  };
  setImmediate(next);
  try {
    await work();
  } finally {
    over = true;
  }
  return turns;
}
