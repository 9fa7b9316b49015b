/** Many requests, of which few run at a time. */

/** A browser has about six connections to a server: the others are for who goes on working. */
const MOST = 4;

/** Does the same with all of them, four at a time. The results are in the order of `items`. Begins no more after an error, which it throws. */
export async function fewAtOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const left = items.entries();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (const [at, item] of left) {
      try {
        results[at] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
      if (failed) return;
    }
  };
  await Promise.all(Array.from({ length: MOST }, worker));
  return results;
}
