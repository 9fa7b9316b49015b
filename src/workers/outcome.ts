/** What a thread answers that works for a script: a value, or what is wrong with what it was given. */
export type Outcome<T> = { readonly value: T } | { readonly problem: string };

/** Errors do not keep their classes on their way between threads; so what is wrong goes as text. */
export async function outcomeOf<T>(work: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { problem: (error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 300) ?? '' };
  }
}
