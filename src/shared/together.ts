/**
 * Runs work for all items, at most so many at a time. After the first error no more is begun; it is thrown when what runs has
 * ended.
 */
export async function together<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const waiting = items.entries();
  const failures: unknown[] = [];
  const line = async (): Promise<void> => {
    // One iterator for all lines: each takes what comes next.
    for (const [index, item] of waiting) {
      await work(item, index).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, line));
  if (failures.length > 0) throw failures[0];
}
