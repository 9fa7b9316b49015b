/**
 * An object of which only some parts are here. Whoever asks for another one gets what `missing` throws: nothing is left out without being
 * noticed. `then` is no part of anything, so that it can be awaited.
 */
export function partly<T extends object>(parts: Partial<T>, missing: (name: string) => Error): T {
  // Parts are the object's own, so that only what is missing costs more than a look-up.
  const absent = new Proxy(Object.create(null) as object, {
    get(_, name) {
      if (typeof name === 'symbol' || name === 'then') return undefined;
      throw missing(name);
    },
  });
  return Object.setPrototypeOf({ ...parts }, absent) as T;
}
