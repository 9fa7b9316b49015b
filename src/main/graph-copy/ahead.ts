/** The same items, the next one asked for while the consumer works on the last: both sides of a copy are busy. */
export async function* ahead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  const request = (): Promise<IteratorResult<T>> => {
    const next = iterator.next();
    // Its error is met when it is awaited, unless the consumer has failed before.
    next.catch(() => undefined);
    return next;
  };
  let next = request();
  try {
    for (;;) {
      const result = await next;
      if (result.done === true) return;
      next = request();
      yield result.value;
    }
  } finally {
    await iterator.return?.();
  }
}
