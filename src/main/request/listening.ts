import type { TransactionOptions } from '../graph/index.js';
import type { Exchange } from '../http/index.js';

/** Ends what is read when the client goes away. A class for the reason given at the graph's own (`ReadScope`). */
export class WhileListening implements TransactionOptions {
  constructor(private readonly exchange: Exchange) {}

  readonly cancelled = (): boolean => this.exchange.aborted;

  get signal(): AbortSignal {
    return this.exchange.signal;
  }
}
