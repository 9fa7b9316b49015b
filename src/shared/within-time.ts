/**
 * Does something that is ended by a signal, and after some milliseconds. Rejects as the work does; the reason of its signal is that of `signal`, or a
 * `DOMException` `TimeoutError`.
 *
 * Not `AbortSignal.any` with `AbortSignal.timeout`: Node 20 collects a signal of time that nothing but another signal was made of, and then nothing is
 * ever ended.
 */
export async function withinTime<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const control = new AbortController();
  const end = (): void => {
    control.abort(signal?.reason);
  };
  if (signal?.aborted === true) end();
  signal?.addEventListener('abort', end, { once: true });
  const timer = setTimeout(() => {
    control.abort(new DOMException(`It took longer than ${String(milliseconds)} ms.`, 'TimeoutError'));
  }, milliseconds);
  try {
    return await work(control.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}
