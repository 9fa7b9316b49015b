/**
 * Cookies say who asks without the client's doing, also when a page of another site makes the browser ask. So a cookie
 * counts on a method that changes something only when the request comes from a page of this server, or from none at
 * all; and so it is with a WebSocket, whose answers browsers hand to the pages of any site.
 */
import type { Exchange } from '../../http/index.js';

/** Whether pages of another origin may act with the cookies of their users on a path (CORS with credentials). */
export type TrustsOrigin = (origin: string, path: string) => boolean;

export interface CookieGuardOptions {
  /** `application.baseurl.override`: the name of this server where a proxy gives it another `Host`. */
  readonly baseUrl: () => string;
  readonly trustsOrigin: TrustsOrigin;
}

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export class CookieGuard {
  constructor(private readonly options: CookieGuardOptions) {}

  /** Value of a cookie that says who asks; undefined when there is none, or when a page of another site sends it. */
  read(exchange: Exchange, name: string): string | undefined {
    if (exchange.header('cookie') === '') return undefined;
    const isGuarded = !SAFE.has(exchange.method) || exchange.wantsWebSocket;
    return isGuarded && this.foreign(exchange) ? undefined : exchange.cookie(name);
  }

  /**
   * A page of another site makes this request. `Sec-Fetch-Site` is the browser's own word, which pages cannot change: it
   * alone decides where it is clear, so that a proxy that changes `Host` is no problem. Clients that are no browsers send
   * neither header and no cookie they were not told to send.
   */
  foreign(exchange: Exchange): boolean {
    const origin = exchange.header('origin');
    const site = exchange.header('sec-fetch-site').toLowerCase();
    if (site === 'same-origin' || site === 'none') return false;
    if (site !== 'cross-site' && (origin === '' || this.#isOwn(origin, exchange.header('host')))) return false;
    return origin === '' || !this.options.trustsOrigin(origin, exchange.path);
  }

  #isOwn(origin: string, host: string): boolean {
    const given = urlOf(origin);
    if (given === undefined) return false;
    // Read as a URL of the same scheme: its default port may be written or not.
    if (given.host === urlOf(`${given.protocol}//${host}`)?.host) return true;
    const base = this.options.baseUrl();
    return base !== '' && given.host === urlOf(base)?.host;
  }
}

function urlOf(text: string): URL | undefined {
  try {
    const url = new URL(text);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
  } catch {
    return undefined;
  }
}
