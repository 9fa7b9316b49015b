/** Work that is done once however many ask for it at the same time. */
export class SingleFlight<T> {
  readonly #flights = new Map<
    string,
    { readonly done: Promise<T>; readonly control: AbortController; asking: number }
  >();

  /** How much goes on. */
  get size(): number {
    return this.#flights.size;
  }

  /**
   * What `work` comes to, begun by the first who asks for this key. Its signal is aborted when all who asked have gone. Throws what it throws,
   * and the reason of the caller's own signal.
   */
  async run(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    let flight = this.#flights.get(key);
    if (flight === undefined) {
      const control = new AbortController();
      const begun = { done: work(control.signal), control, asking: 0 };
      const over = (): void => {
        if (this.#flights.get(key) === begun) this.#flights.delete(key);
      };
      begun.done.then(over, over);
      this.#flights.set(key, (flight = begun));
    }
    const { done, control } = flight;
    const mine = flight;
    mine.asking++;
    if (signal === undefined) return done;
    return await new Promise<T>((resolve, reject) => {
      const gone = (): void => {
        if (--mine.asking === 0) {
          // Whoever comes now begins anew.
          if (this.#flights.get(key) === mine) this.#flights.delete(key);
          control.abort();
        }
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', gone, { once: true });
      const quiet = (): void => signal.removeEventListener('abort', gone);
      done.finally(quiet).then(resolve, reject);
    });
  }
}
