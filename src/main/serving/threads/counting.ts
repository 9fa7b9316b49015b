/** What a front-end thread has answered, told to the main thread, which counts for the process. */
import type { Exchange, Handler } from '../../http/index.js';
import type { HappeningListener, HappeningType } from '../../../shared/happened.js';
import type { JsonObject } from '../../../shared/json/index.js';
import type { Calls } from './calls.js';

/** Milliseconds for which it is gathered. */
const EVERY = 20;
/** More than this is told at once. */
const MOST = 500;

/** A request that was answered, for who counts. */
export interface CountedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly place: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
}

/** Something that has happened, or a request that was let in (`HappeningListener`). */
export type CountedHappening =
  | { readonly type: HappeningType; readonly description: string; readonly data: JsonObject }
  | {
      readonly type: 'Rest' | 'Csv';
      readonly method: string;
      readonly path: string;
      readonly id: string | undefined;
      readonly name: string;
    };

export class Counting implements HappeningListener {
  #requests: CountedRequest[] = [];
  #happenings: CountedHappening[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly calls: Pick<Calls, 'tell'>) {}

  /** Counts what a handler answers; what it hands over counts where it is answered. */
  around(handler: Handler): Handler {
    return (exchange) => {
      const since = performance.now();
      const answering = handler(exchange);
      if (answering instanceof Promise)
        return answering.then(() => {
          this.#over(exchange, since);
        });
      this.#over(exchange, since);
    };
  }

  happened(type: HappeningType, description: string, data: JsonObject): void {
    this.#happenings.push({ type, description, data });
    this.#soon();
  }

  answered(type: 'Rest' | 'Csv', method: string, path: string, id: string | undefined, name: string): void {
    this.#happenings.push({ type, method, path, id, name });
    this.#soon();
  }

  #over(exchange: Exchange, since: number): void {
    if (exchange.handedOver !== undefined) return;
    const { method, path, query, place, status } = exchange;
    this.#requests.push({ method, path, query, place, status, milliseconds: performance.now() - since });
    this.#soon();
  }

  #soon(): void {
    if (this.#requests.length + this.#happenings.length > MOST) this.#tell();
    else
      this.#timer ??= setTimeout(() => {
        this.#tell();
      }, EVERY);
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [requests, happenings] = [this.#requests, this.#happenings];
    this.#requests = [];
    this.#happenings = [];
    this.calls.tell('counted', requests, happenings);
  }
}
