/**
 * How many requests came, and how long they took, by what has answered them (docs/interface/monitoring.md 1, 2). Names of these are few:
 * those of endpoints of the schema and of pages, never what a client has put into a path.
 */
import type { Exchange, Handler } from '../http/index.js';

/** Upper bounds of the buckets of the histogram, in seconds. */
export const BUCKETS = [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6] as const;
/** Names that are counted apart, of pages and of everything else; what comes later counts under `OTHER`. */
const MOST_NAMES = 1000;
const MOST_STATUSES = 40;
const PAGES = '/svc/html/';
const OTHER = '<other>';
const UNKNOWN = '<unknown>';
const FILE = '<file>';
const METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'PATCH', 'POST', 'DELETE', 'HEAD', 'OPTIONS']);

/** What is counted of a request; an `Exchange` is one. */
export interface AnsweredRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly place: string | undefined;
}

/** Requests of one method to one place. */
export class Counts {
  count = 0;
  /** Milliseconds, like `min` and `max`. */
  sum = 0;
  min = Infinity;
  max = 0;
  /** How many ended within each bound, and beyond all of them. */
  readonly buckets = new Float64Array(BUCKETS.length + 1);
  readonly statuses = new Map<string, number>();

  add(milliseconds: number, status: number): void {
    this.count++;
    this.sum += milliseconds;
    if (milliseconds < this.min) this.min = milliseconds;
    if (milliseconds > this.max) this.max = milliseconds;
    let bucket = 0;
    while (bucket < BUCKETS.length && milliseconds > (BUCKETS[bucket] ?? Infinity) * 1000) bucket++;
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
    const known = String(status);
    // Scripts choose statuses.
    const key = this.statuses.has(known) || this.statuses.size < MOST_STATUSES ? known : OTHER;
    this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1);
  }
}

export class RequestCounts {
  /** By place, then by method. */
  readonly #places = new Map<string, Map<string, Counts>>();
  readonly #names = { pages: 0, others: 0 };
  #running = 0;

  /** Told of each request when it is over: for those who count differently. */
  onRequest: ((method: string) => void) | undefined;
  /** The same, for a line in a log. */
  onLogged: ((request: AnsweredRequest, status: number, milliseconds: number) => void) | undefined;

  /** Requests that front-end threads have handed over to the main thread. */
  handedOver = 0;

  /** Requests that are being answered. */
  get running(): number {
    return this.#running;
  }

  /** Counts what a handler answers. */
  wrap(handler: Handler): Handler {
    return (exchange) => {
      const since = performance.now();
      this.#running++;
      let answering: void | Promise<void>;
      try {
        answering = handler(exchange);
      } catch (error) {
        this.#over(exchange, since, 500);
        throw error;
      }
      if (!(answering instanceof Promise)) {
        this.#over(exchange, since);
        return;
      }
      return answering.then(
        () => {
          this.#over(exchange, since);
        },
        (error: unknown) => {
          this.#over(exchange, since, 500);
          throw error;
        },
      );
    };
  }

  *[Symbol.iterator](): Generator<readonly [path: string, method: string, counts: Counts], void, undefined> {
    for (const [path, methods] of this.#places) for (const [method, counts] of methods) yield [path, method, counts];
  }

  /** Counts of a place, all methods together. */
  *places(): Generator<readonly [path: string, counts: readonly Counts[]], void, undefined> {
    for (const [path, methods] of this.#places) yield [path, [...methods.values()]];
  }

  /** Counts one that another thread has answered. */
  add(request: AnsweredRequest, status: number, milliseconds: number): void {
    const method = METHODS.has(request.method) ? request.method : OTHER;
    const methods = this.#methodsAt(placeOf(request, status));
    let counts = methods.get(method);
    if (counts === undefined) methods.set(method, (counts = new Counts()));
    counts.add(milliseconds, status);
    this.onRequest?.(method);
    this.onLogged?.(request, status, milliseconds);
  }

  #over(exchange: Exchange, since: number, status = exchange.status): void {
    this.#running--;
    this.add(exchange, status, performance.now() - since);
  }

  #methodsAt(place: string): Map<string, Counts> {
    const known = this.#places.get(place);
    if (known !== undefined) return known;
    const isPage = place.startsWith(PAGES);
    const kind = isPage ? 'pages' : 'others';
    if (this.#names[kind] >= MOST_NAMES) {
      const rest = isPage ? PAGES + OTHER : `/svc/rest/${OTHER}`;
      if (place !== rest) return this.#methodsAt(rest);
    } else this.#names[kind]++;
    const methods = new Map<string, Counts>();
    this.#places.set(place, methods);
    return methods;
  }
}

/** Servlets whose path says all; below others there are names, which their rooms know. */
const MOUNTS =
  /^\/(?:svc\/(?:rest|csv|upload|proxy|deploy|login|logout|token|health|histogram|metrics|openapi|flow|EventSource|ws|pdf|js)|oauth)(?=\/|$)/;

/** What has answered: the room's own word, else the mount point. */
function placeOf({ place, path }: AnsweredRequest, status: number): string {
  if (place !== undefined) return place;
  const mount = MOUNTS.exec(path)?.[0];
  if (mount !== undefined) return mount === '/svc/rest' ? `${mount}/${UNKNOWN}` : mount;
  return PAGES + (status < 400 ? FILE : UNKNOWN);
}
