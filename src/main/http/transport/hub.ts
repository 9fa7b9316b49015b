import type { ServerShared } from './transport.js';

/** What a listener's clock looks at: a request that waits for its client. */
export interface Waiting {
  check(now: number): void;
}

const SWEEP_MS = 500;

/** What all requests of one listener share. */
export class Hub {
  /** Coarse clock in ms, so that requests need not ask for the time. */
  now = Date.now();
  closing = false;
  active = 0;
  readonly waiting = new Set<Waiting>();
  private readonly timer: NodeJS.Timeout;
  private onIdle: (() => void) | undefined;

  constructor(
    readonly shared: ServerShared,
    /** Requests come over TLS. */
    readonly secure: boolean,
    /** The parser sees all headers, and knows that trailers belong to the request before them. */
    readonly isExact: boolean,
    /** Called with each step of the clock. */
    private readonly onSweep: (now: number) => void = () => undefined,
  ) {
    const { maxBodyTime, readTimeout } = shared.options;
    this.timer = setInterval(this.sweep, Math.min(SWEEP_MS, Math.max(20, Math.min(maxBodyTime, readTimeout) / 4)));
    this.timer.unref();
  }

  /** A request is over. */
  requestOver(): void {
    if (--this.active === 0) this.onIdle?.();
  }

  /** No more requests are served after those that run, which get `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    this.closing = true;
    if (this.active === 0 || graceMs <= 0) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, graceMs);
      this.onIdle = () => {
        clearTimeout(late);
        // The last response may still be in a buffer here.
        setTimeout(resolve, 20);
      };
    });
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private readonly sweep = (): void => {
    this.now = Date.now();
    for (const one of this.waiting) one.check(this.now);
    this.onSweep(this.now);
  };
}
