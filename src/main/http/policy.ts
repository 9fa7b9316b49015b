import { AddressSet } from '../../shared/network.js';
import { SAFE_COOKIES } from './cookies/cookies.js';
import type { CookieDefaults } from './cookies/cookie-defaults.js';
import { DefaultHeaders } from './response/response-head.js';

/** What may change while the server runs. */
export interface HttpPolicyOptions {
  /** Added to every response that does not set the same header itself; `Strict-Transport-Security` over HTTPS only. */
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** Seconds for which browsers use HTTPS alone; 0: what `responseHeaders` says of it. */
  readonly hstsMaxAge?: number;
  readonly cookies?: CookieDefaults;
  /** Addresses and CIDR ranges whose `X-Forwarded-*` headers are believed. */
  readonly trustedProxies?: readonly string[];
}

const HSTS = 'strict-transport-security';

/** The options in the form requests use; made once for each change. */
export class HttpPolicy {
  readonly plainHeaders: DefaultHeaders;
  readonly secureHeaders: DefaultHeaders;
  readonly cookies: CookieDefaults;
  readonly proxies: AddressSet;

  constructor(options: HttpPolicyOptions) {
    const given = Object.entries(options.responseHeaders);
    const plain = Object.fromEntries(given.filter(([name]) => name.toLowerCase() !== HSTS));
    const maxAge = options.hstsMaxAge ?? 0;
    this.plainHeaders = new DefaultHeaders(plain);
    this.secureHeaders = new DefaultHeaders(
      maxAge > 0 ? { ...plain, 'Strict-Transport-Security': `max-age=${String(maxAge)}` } : options.responseHeaders,
    );
    this.cookies = options.cookies ?? SAFE_COOKIES;
    this.proxies = new AddressSet(options.trustedProxies ?? []);
  }
}
