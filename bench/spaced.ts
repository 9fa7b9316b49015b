/** Requests at equal distances, whether or not those before are answered: what they wait beside something else. */
import { setTimeout as delay } from 'node:timers/promises';

/** What each of the requests took that were sent while `over` did not say so, every `distance` ms; ms, the shortest first. */
export async function times(over: () => boolean, distance: number, request: () => Promise<void>): Promise<number[]> {
  const taken: number[] = [];
  const open: Promise<void>[] = [];
  while (!over()) {
    const begin = performance.now();
    open.push(request().then(() => void taken.push(performance.now() - begin)));
    await delay(distance);
  }
  await Promise.all(open);
  return taken.sort((a, b) => a - b);
}

/** The time that a share of them took at most. */
export const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
