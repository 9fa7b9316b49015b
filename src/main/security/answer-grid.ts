import { setTimeout as sleep } from 'node:timers/promises';

/** Answers leave at multiples of this (ms), so that their time does not tell what there was to do. */
const GRID = 100;

/** Ends, well or not, at a multiple of 100 ms after it began. */
export async function onTheGrid<T>(task: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  try {
    return await task();
  } finally {
    await untilTheGrid(begun);
  }
}

/** The same for what fails alone: who gets in may know how long it took. */
export async function failOnTheGrid<T>(task: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  try {
    return await task();
  } catch (error) {
    await untilTheGrid(begun);
    throw error;
  }
}

async function untilTheGrid(begun: number): Promise<void> {
  const took = performance.now() - begun;
  await sleep(Math.ceil(took / GRID) * GRID - took);
}
