import type { Exchange } from '../exchange.js';
import type { CookieDefaults, SameSite } from './cookie-defaults.js';

/** The `SameSite` attribute. */
export interface CookieOptions {
  /** Seconds; 0 ends the cookie. Absent: until the browser is closed. */
  readonly maxAge?: number;
  /** Default `/`. */
  readonly path?: string;
  /** The host and all below it; absent: the host of the request alone. */
  readonly domain?: string;
  readonly httpOnly?: boolean;
  readonly sameSite?: SameSite;
  readonly secure?: boolean;
}

/** What holds when nobody has configured anything. */
export const SAFE_COOKIES: CookieDefaults = { httpOnly: true, sameSite: 'Lax', secure: false };

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 6265, 4.1.1: visible ASCII without quote, comma, semicolon and backslash. */
const VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;
const DOMAIN = /^\.?(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const PATH = /^\/[\x20-\x3a\x3c-\x7e]*$/;
/** Browsers drop what is longer. */
const MAX_SIZE = 4096;
/** Of a request with more, the rest is not looked at. */
const MAX_COOKIES = 200;

/**
 * Sends a cookie with the response; an earlier one of the same name is replaced.
 *
 * @throws {TypeError} as `cookieLine`
 */
export function setCookie(exchange: Exchange, name: string, value: string, options: CookieOptions = {}): void {
  exchange.setHeader('Set-Cookie', cookieLine(exchange, name, value, options));
}

/**
 * Value of a `Set-Cookie` header. Values of cookies are not encoded: what a cookie cannot hold is refused, as is everything that
 * could make one header look like two.
 *
 * @throws {TypeError} when name, value or an attribute cannot be sent
 */
export function cookieLine(
  exchange: Pick<Exchange, 'cookieDefaults' | 'secure'>,
  name: string,
  value: string,
  options: CookieOptions = {},
): string {
  const defaults = exchange.cookieDefaults;
  const { maxAge, path = '/', httpOnly = defaults.httpOnly } = options;
  // A browser takes no insecure cookie in place of a secure one, so HTTPS never sends insecure ones by default.
  const secure = options.secure ?? (defaults.secure || exchange.secure);
  // `None` without `Secure` is dropped by browsers: as a mere default it gives way.
  const sameSite = options.sameSite ?? (defaults.sameSite === 'None' && !secure ? 'Lax' : defaults.sameSite);
  if (!TOKEN.test(name)) throw new TypeError(`Invalid cookie name ${JSON.stringify(name)}`);
  // The value may be a secret, so it is not repeated.
  if (!VALUE.test(value)) throw new TypeError(`Invalid value of cookie ${name}`);
  if (name.length + value.length > MAX_SIZE) throw new TypeError(`The cookie ${name} is too long`);
  if (!PATH.test(path)) throw new TypeError(`Invalid path of cookie ${name}`);
  if (options.domain !== undefined && !(options.domain.length < 254 && DOMAIN.test(options.domain)))
    throw new TypeError(`Invalid domain of cookie ${name}`);
  if (maxAge !== undefined && !(Number.isSafeInteger(maxAge) && maxAge >= 0))
    throw new TypeError(`Invalid age of cookie ${name}`);
  if (sameSite === 'None' && !secure) throw new TypeError(`The cookie ${name} needs Secure for SameSite=None`);
  if (/^__(?:secure|host)-/i.test(name) && !secure) throw new TypeError(`The name of cookie ${name} needs Secure`);
  if (/^__host-/i.test(name) && options.domain !== undefined)
    throw new TypeError(`The name of cookie ${name} allows no domain`);
  if (/^__host-/i.test(name) && path !== '/') throw new TypeError(`The name of cookie ${name} needs the path /`);
  let line = `${name}=${value}; Path=${path}`;
  if (options.domain !== undefined) line += `; Domain=${options.domain}`;
  if (maxAge !== undefined) line += `; Max-Age=${String(maxAge)}`;
  if (httpOnly) line += '; HttpOnly';
  if (secure) line += '; Secure';
  return `${line}; SameSite=${sameSite}`;
}

/** Value of a cookie in a `Cookie` header: the first of its name, without quotes; undefined when there is none. */
export function cookieOf(header: string, name: string): string | undefined {
  let at = 0;
  for (let count = 0; count < MAX_COOKIES && at < header.length; count++) {
    let end = header.indexOf(';', at);
    if (end < 0) end = header.length;
    const equals = header.indexOf('=', at);
    if (equals > 0 && equals < end && header.slice(at, equals).trim() === name) {
      const value = header.slice(equals + 1, end).trim();
      return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
    }
    at = end + 1;
  }
  return undefined;
}
