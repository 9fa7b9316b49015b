/** Resolves as the work does, or with undefined after some milliseconds, when `late` is called: nobody waits any longer, and the work goes on. */
export async function inTime<T>(milliseconds: number, work: Promise<T>, late: () => void): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      late();
      resolve(undefined);
    }, milliseconds);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
