/**
 * Moments in which nobody is being answered. What is read in one transaction is of one state; scripts and pages read one thing after the other, each as
 * it is then. So that none of their answers is of two applications, an import waits for such a moment with its commit (docs/design/requests.md 6).
 */
import type { Exchange, Handler } from '../http/index.js';

/** Milliseconds that those who are being answered may take, while all others wait. */
const PATIENCE = 1000;

/** Those who answer requests beside this thread. */
export interface OtherAnswerers {
  /** Resolves when none of them is answering anybody, or they take too long; what it answers lets them go on. */
  rest(): Promise<() => void>;
}

export class Standstill {
  /** Set where there are some. */
  others: OtherAnswerers | undefined;
  /** Requests that read and have begun. */
  readonly #answering = new Set<Exchange>();
  /** One that has begun in this very call. */
  #starting: Exchange | undefined;
  /** Resolves when requests may begin again; undefined: they may. */
  #still: Promise<void> | undefined;
  /** Called when nobody is being answered any more. */
  #quiet: (() => void) | undefined;

  constructor(private readonly patience = PATIENCE) {}

  /** A handler whose requests that read wait while there is such a moment. Those that write are transactions of their own. */
  watching(handler: Handler): Handler {
    const answer: Handler = (exchange) => {
      // Most are answered before anybody could wait for them.
      const around = this.#starting;
      this.#starting = exchange;
      let answering: void | Promise<void>;
      let hasLeft = false;
      try {
        answering = handler(exchange);
      } finally {
        hasLeft = this.#starting !== exchange;
        this.#starting = around;
      }
      if (!(answering instanceof Promise)) return;
      if (!hasLeft) this.#answering.add(exchange);
      return answering.finally(() => {
        this.leave(exchange);
      });
    };
    return (exchange) => {
      const { method } = exchange;
      if (method !== 'GET' && method !== 'HEAD') return handler(exchange);
      return this.#still === undefined ? answer(exchange) : this.#still.then(() => answer(exchange));
    };
  }

  /** Nothing more is read for this request: what is left is to send content that does not change. */
  leave(exchange: Exchange): void {
    if (this.#starting === exchange) this.#starting = undefined;
    this.#answering.delete(exchange);
    if (this.#answering.size === 0) this.#quiet?.();
  }

  /**
   * Resolves when all requests that read have been answered, or have taken too long; those that come wait until what it answers is called, which its
   * caller does in any case. That tells for how many milliseconds they had to wait.
   */
  async begin(): Promise<() => number> {
    while (this.#still !== undefined) await this.#still;
    const since = performance.now();
    let goOn = (): number => 0;
    let othersGoOn = (): void => undefined;
    this.#still = new Promise((resolve) => {
      goOn = () => {
        this.#still = undefined;
        othersGoOn();
        resolve();
        return performance.now() - since;
      };
    });
    if (this.others !== undefined) othersGoOn = await this.others.rest();
    if (this.#answering.size > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#quiet = resolve;
        timer = setTimeout(resolve, this.patience);
      });
      clearTimeout(timer);
      this.#quiet = undefined;
    }
    return goOn;
  }
}
