/** Random runs of the short tests and of the long ones. */
import fc from 'fast-check';
import { expect } from 'vitest';

/**
 * Checks a property so many times, or as often as fits into `seconds` (at least once): the short tests run on machines of
 * any speed, and the long ones look further.
 */
export async function randomRuns<T>(
  property: fc.IAsyncPropertyWithHooks<T>,
  runs: number,
  seconds: number,
): Promise<void> {
  const found = await fc.check(property, {
    numRuns: runs,
    interruptAfterTimeLimit: seconds * 1000,
    markInterruptAsFailure: false,
  });
  if (found.failed) throw new Error(fc.defaultReportMessage(found) ?? 'failed', { cause: found.errorInstance });
  expect(found.numRuns).toBeGreaterThan(0);
}
