/** How long transactions took (docs/interface/monitoring.md 2). */
export class TransactionTimes {
  readonly reads = new Times();
  readonly writes = new Times();

  readonly read = (milliseconds: number): void => {
    this.reads.add(milliseconds);
  };

  readonly wrote = (milliseconds: number, failed: boolean): void => {
    this.writes.add(milliseconds);
    if (failed) this.writes.failed++;
  };
}

/** Upper bounds in seconds. */
export const TRANSACTION_BUCKETS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10] as const;

export class Times {
  count = 0;
  /** Milliseconds. */
  sum = 0;
  failed = 0;
  readonly buckets = new Float64Array(TRANSACTION_BUCKETS.length + 1);

  add(milliseconds: number): void {
    this.count++;
    this.sum += milliseconds;
    let bucket = 0;
    while (bucket < TRANSACTION_BUCKETS.length && milliseconds > (TRANSACTION_BUCKETS[bucket] ?? Infinity) * 1000)
      bucket++;
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
  }
}
