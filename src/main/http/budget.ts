import { clientKey } from '../../shared/network.js';
import type { ProcessCounts } from './counts/process-counts.js';
import type { Tally } from './counts/tally.js';
import { HttpError } from './errors.js';

/** Bounds of a `ByteBudget`, in bytes; 0: none. */
export interface BudgetLimits {
  /** All shares together. */
  readonly total: number;
  /** All shares of one client address together; clients with IPv6 count by their /64. */
  readonly perAddress: number;
}

/** Bytes of one that is told other threads. */
const UNIT = 1024;

/** Seconds after which a client that was refused for lack of memory should come again. */
const RETRY_AFTER = '5';

/**
 * Counts bytes that requests keep in memory, for the whole process and for each client address. Nobody is told to wait: what does
 * not fit is refused, and whoever asked gives up what it has. A share that is alone always gets what it asks for, so that
 * a budget smaller than one allowed body does not make that body impossible: of the whole process only one can be so.
 */
export class ByteBudget {
  #held = 0;
  /** What other threads have been told of it, in `UNIT`s. */
  #told = 0;
  readonly #addresses = new Map<string, number>();

  /**
   * `shared`: what all threads hold. Their sum counts for `total`, which they may exceed by what they take in the same moment; `perAddress` counts for
   * this thread.
   */
  constructor(
    private limits: BudgetLimits,
    private readonly shared?: Tally,
  ) {}

  /** Bytes of all shares. */
  get held(): number {
    return this.#held;
  }

  /** Bytes of the shares of one client address. */
  heldBy(address: string): number {
    return this.#addresses.get(clientKey(address)) ?? 0;
  }

  /** Holds for what is asked for from now on; what is held stays. */
  configure(limits: BudgetLimits): void {
    this.limits = limits;
  }

  /** An empty share for what one request holds. Costs nothing until it takes something. To be released by its owner. */
  share(address: string): ByteShare {
    return new ByteShare(this, address);
  }

  /** For `ByteShare` alone: `own` is what the share that asks holds already. */
  take(bytes: number, key: string, own: number): boolean {
    const { total, perAddress } = this.limits;
    const ofAddress = this.#addresses.get(key) ?? 0;
    if (total > 0) {
      const held = this.#held + this.#elsewhere();
      if (held + bytes > total && held > own) return false;
    }
    if (perAddress > 0 && ofAddress + bytes > perAddress && ofAddress > own) return false;
    this.#change(bytes);
    this.#addresses.set(key, ofAddress + bytes);
    return true;
  }

  /** For `ByteShare` alone. */
  give(bytes: number, key: string): void {
    this.#change(-bytes);
    const left = (this.#addresses.get(key) ?? 0) - bytes;
    if (left > 0) this.#addresses.set(key, left);
    else this.#addresses.delete(key);
  }

  /** Bytes that the budgets of others hold: of other threads, and of other servers of this one. */
  #elsewhere(): number {
    return this.shared === undefined ? 0 : (this.shared.total - this.#told) * UNIT;
  }

  #change(bytes: number): void {
    this.#held += bytes;
    const units = Math.ceil(this.#held / UNIT);
    if (this.shared === undefined || units === this.#told) return;
    this.shared.add(units - this.#told);
    this.#told = units;
  }
}

/** What one request holds of a budget. */
export class ByteShare {
  #key: string | undefined;
  #held = 0;
  #released = false;

  constructor(
    private readonly budget: ByteBudget,
    private readonly address: string,
  ) {}

  /** Bytes that count. */
  get held(): number {
    return this.#held;
  }

  /** Counts so many bytes more. False when they do not fit; nothing has changed then. After `release` nothing counts. */
  tryAcquire(bytes: number): boolean {
    if (bytes <= 0 || this.#released) return true;
    this.#key ??= clientKey(this.address);
    if (!this.budget.take(bytes, this.#key, this.#held)) return false;
    this.#held += bytes;
    return true;
  }

  /** As `tryAcquire`. Throws `HttpError` 503 with `Retry-After` when they do not fit. */
  acquire(bytes: number): void {
    if (!this.tryAcquire(bytes)) throw overBudget();
  }

  /** So many bytes, at most what is held, are gone. */
  give(bytes: number): void {
    const given = Math.min(bytes, this.#held);
    if (given <= 0 || this.#key === undefined) return;
    this.#held -= given;
    this.budget.give(given, this.#key);
  }

  /** All of it is gone, for good. May be called more than once. */
  release(): void {
    this.give(this.#held);
    this.#released = true;
  }
}

/** What a request that does not fit is answered with. */
export function overBudget(): HttpError {
  return new HttpError(503, 'The server has no memory left for this request now; try again later.', {
    'Retry-After': RETRY_AFTER,
  });
}

/** The budgets of one server: what its requests hold, whatever port they came by. */
export class HttpBudgets {
  /** Request bodies from their arrival until their reader is done with them (`Exchange.bodyDone`) or the request is over. */
  readonly bodies: ByteBudget;
  /** Answers that are made and wait for a reader. */
  readonly answers: ByteBudget;

  /** `counts`: what other threads hold counts as well. */
  constructor(limits: { readonly bodies: BudgetLimits; readonly answers: BudgetLimits }, counts?: ProcessCounts) {
    this.bodies = new ByteBudget(limits.bodies, counts?.tally('bodies'));
    this.answers = new ByteBudget(limits.answers, counts?.tally('answers'));
  }
}
