import { clientKey } from '../../shared/network.js';
import type { TransactionOptions } from '../graph/index.js';
import type { Exchange } from '../http/index.js';
import type { Actor } from '../schema/index.js';

/** One state of the database for all of an answer; ends what is read when the client goes away. A class for the reason given at the graph's own (`ReadScope`). */
export class WhileListening implements TransactionOptions {
  /** An answer is of one state. */
  readonly snapshot = true;

  constructor(
    private readonly exchange: Exchange,
    private readonly actor: Actor,
  ) {}

  /** Asked for by long reads only. Whom nobody knows is told apart by the address, one with IPv6 by its /64, as for other bounds. */
  get asker(): string {
    return this.actor.id ?? `/${clientKey(this.exchange.address)}`;
  }

  /** Until something of it has left. */
  readonly repeatable = (): boolean => !this.exchange.responded;

  readonly cancelled = (): boolean => this.exchange.aborted;

  get signal(): AbortSignal {
    return this.exchange.signal;
  }
}
