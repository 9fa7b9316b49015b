/** Random runs of the short tests and of the long ones. */
import fc from 'fast-check';

/** The part of the runs that is taken in `npm test`. */
const PART = 5;

/** Whether all is tried: `npm run test:long` takes the tests that ask here once more, with all of their runs. */
export const tryAll = process.env['SVC_TEST_RUNS'] === 'all';

/** Runs of a random test: all of them in `npm run test:long`, a part in `npm test`. */
export function runsOf(all: number): number {
  return tryAll ? all : Math.ceil(all / PART);
}

/** Runs between two looks at the clock: fast-check's own limit of time would leave a run going on beside what comes next. */
const AT_ONCE = 5;

/**
 * Checks a property so many times, or as often as fits into a third of `seconds` (at least once): the short tests run on machines of
 * any speed. The long ones have all of that time.
 */
export async function randomRuns<T>(property: fc.IAsyncProperty<T>, runs: number, seconds: number): Promise<void> {
  const end = performance.now() + (tryAll ? seconds : seconds / 3) * 1000;
  for (let done = 0; done < runs && (done === 0 || performance.now() < end); done += AT_ONCE) {
    // What failed is told at once, with the seed that makes it again: shrinking it on a database can take longer than a test may.
    await fc.assert(property, { numRuns: Math.min(AT_ONCE, runs - done), endOnFailure: true });
  }
}
