import { performance } from 'node:perf_hooks';
import { AddressSet, clientKey } from '../../shared/network.js';
import { RateWindow } from '../../shared/rate-window.js';
import { logger } from '../../shared/log.js';
import type { ProcessCounts } from './counts/process-counts.js';
import { SharedRates } from './counts/shared-rates.js';
import { Tally } from './counts/tally.js';
import type { Exchange, Handler } from './exchange.js';
import { AddressCounts } from './transport/address-counts.js';

const log = logger('http.limits');

/** `httpservice.dosfilter.*`; times in milliseconds. */
export interface RateLimits {
  readonly enabled: boolean;
  readonly requestsPerSecond: number;
  /** For requests beyond that: -1 refuses them, 0 sends them to the slots at once. */
  readonly delay: number;
  /** So many of them run at the same time. */
  readonly slots: number;
  /** How long one waits for a slot before that counts as throttling. */
  readonly slotWait: number;
  /** ... and how much longer before it is refused. */
  readonly throttle: number;
  /** Longest run of any request; 0: no limit. */
  readonly maxRun: number;
  readonly forgetAfter: number;
  /** Tell clients by the header `DoSFilter`. */
  readonly headers: boolean;
  /** Count each connection for itself. */
  readonly perConnection: boolean;
  readonly refusedStatus: number;
  /** Addresses and CIDR ranges without limits. */
  readonly exempt: readonly string[];
}

type Mark = 'delayed' | 'throttled' | 'unavailable';

/** Requests that wait at the same time; who comes on top is refused. */
const MAX_WAITING = 1000;
const MAX_WAITING_PER_CLIENT = 100;
const SWEEP_MS = 1000;
/** Slots that other threads give back are looked for so often. */
const LOOK_MS = 20;
const UNAVAILABLE = 503;

interface Waiting {
  readonly resolve: (got: boolean) => void;
}

/**
 * Slows down clients that send too many requests: beyond the limit a request is delayed, then it needs one of few slots.
 * Nothing here blocks; who waits is a timer, given back when the client goes away. With `shared` all threads of the process count together.
 */
export class RateLimiter {
  private readonly rates: RateWindow | SharedRates;
  private readonly now: () => number;
  private readonly waitingPerClient: AddressCounts;
  private readonly waitingCount: Tally;
  private readonly queue = new Set<Waiting>();
  private readonly used: Tally;
  private looking: NodeJS.Timeout | undefined;
  private exempt: AddressSet;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private limits: RateLimits,
    private readonly shared?: ProcessCounts,
  ) {
    this.rates = shared?.rates ?? new RateWindow(1000);
    this.now = shared === undefined ? () => performance.now() : () => SharedRates.now();
    this.waitingPerClient = new AddressCounts(MAX_WAITING_PER_CLIENT, shared?.keys('waiting'));
    this.waitingCount = shared?.tally('waiting') ?? new Tally();
    this.used = shared?.tally('slots') ?? new Tally();
    this.exempt = new AddressSet(limits.exempt);
    this.timer = setInterval(() => {
      this.rates.forget(this.now(), this.limits.forgetAfter);
    }, SWEEP_MS);
    this.timer.unref();
  }

  /** Holds from the next request on. */
  configure(limits: RateLimits): void {
    this.limits = limits;
    this.exempt = new AddressSet(limits.exempt);
    this.serveQueue();
  }

  /** Requests that are being held back. */
  get waiting(): number {
    return this.waitingCount.total;
  }

  /** Clients that are remembered. */
  get tracked(): number {
    return this.rates.size;
  }

  /** `handler` behind the limits. */
  wrap(handler: Handler): Handler {
    return (exchange) => {
      const { limits } = this;
      if (!limits.enabled || this.exempt.has(exchange.address)) return handler(exchange);
      const client = clientKey(exchange.address);
      const key = limits.perConnection ? `${client} ${String(exchange.connectionId)}` : client;
      if (this.rates.add(key, this.now()) <= limits.requestsPerSecond) return this.run(handler, exchange);
      return this.slowDown(handler, exchange, client);
    };
  }

  /** `handler`, whose answers may take as long as any: for requests that another thread has counted (`Exchange.handOver`). */
  timed(handler: Handler): Handler {
    return (exchange) =>
      this.limits.enabled && !this.exempt.has(exchange.address) ? this.run(handler, exchange) : handler(exchange);
  }

  private async slowDown(handler: Handler, exchange: Exchange, client: string): Promise<void> {
    const { limits } = this;
    log.debug(`${client} sends more than ${String(limits.requestsPerSecond)} requests a second`);
    if (limits.delay < 0 || this.waitingCount.total >= MAX_WAITING || !this.waitingPerClient.admit(client)) {
      this.refuse(exchange, limits.refusedStatus);
      return;
    }
    this.waitingCount.add(1);
    let slot: boolean;
    try {
      if (limits.delay > 0) {
        this.mark(exchange, 'delayed');
        await pause(limits.delay, exchange.signal);
      }
      slot = await this.slot(exchange, limits);
    } finally {
      this.waitingCount.add(-1);
      this.waitingPerClient.release(client);
    }
    if (!slot) {
      if (!exchange.aborted) this.refuse(exchange, UNAVAILABLE);
      return;
    }
    try {
      if (!exchange.aborted) await this.run(handler, exchange);
      await exchange.handedOver;
    } finally {
      this.used.add(-1);
      this.serveQueue();
    }
  }

  /** Waits for a slot and takes it. False when there was none in time, or the client is gone. */
  private async slot(exchange: Exchange, limits: RateLimits): Promise<boolean> {
    if (exchange.aborted) return false;
    if (this.takeSlot()) return true;
    if (limits.slotWait > 0 && (await this.queued(limits.slotWait, exchange.signal))) return true;
    if (exchange.aborted || limits.throttle <= 0) return false;
    this.mark(exchange, 'throttled');
    return this.queued(limits.throttle, exchange.signal);
  }

  private queued(ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const entry: Waiting = {
        resolve: (got) => {
          this.queue.delete(entry);
          clearTimeout(timer);
          signal.removeEventListener('abort', leave);
          resolve(got);
        },
      };
      const leave = (): void => {
        entry.resolve(false);
      };
      const timer = setTimeout(leave, ms);
      signal.addEventListener('abort', leave);
      this.queue.add(entry);
      if (this.shared !== undefined) this.look();
    });
  }

  private takeSlot(): boolean {
    if (this.used.add(1) <= this.limits.slots) return true;
    this.used.add(-1);
    return false;
  }

  /** Nobody tells of slots that were given back in other threads. */
  private look(): void {
    this.looking ??= setInterval(() => {
      this.serveQueue();
      if (this.queue.size > 0) return;
      clearInterval(this.looking);
      this.looking = undefined;
    }, LOOK_MS).unref();
  }

  private serveQueue(): void {
    for (const next of this.queue) {
      if (!this.takeSlot()) return;
      next.resolve(true);
    }
  }

  /** Runs the handler; an answer that takes too long is given in its place. */
  private run(handler: Handler, exchange: Exchange): void | Promise<void> {
    const { maxRun } = this.limits;
    const running = handler(exchange);
    if (!(running instanceof Promise) || maxRun <= 0) return running;
    const timer = setTimeout(() => {
      if (exchange.responded) return;
      log.warn(`${exchange.method} ${exchange.path} ran longer than ${String(maxRun)} ms`);
      this.refuse(exchange, UNAVAILABLE, 'The request took too long.');
      exchange.abandon();
    }, maxRun);
    timer.unref();
    return running.finally(() => {
      clearTimeout(timer);
    });
  }

  private refuse(exchange: Exchange, status: number, message = 'Too many requests; try again later.'): void {
    exchange.status = status;
    exchange.setHeader('Content-Type', 'application/json;charset=utf-8');
    exchange.setHeader('Retry-After', '1');
    this.mark(exchange, 'unavailable');
    exchange.end(`${JSON.stringify({ code: status, message, errors: [] }, undefined, 2)}\n`);
  }

  private mark(exchange: Exchange, mark: Mark): void {
    if (this.limits.headers) exchange.setHeader('DoSFilter', mark);
  }
}

/** Resolves after `ms`, or as soon as the client is gone. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
