/** Tokens in cookies (docs/interface/security.md 6.1). */
import { setCookie, type Exchange } from '../../http/index.js';
import type { TokenPair } from './tokens.js';

export const ACCESS_COOKIE = 'access_token';
export const REFRESH_COOKIE = 'refresh_token';
/** The refresh token goes only where it is of use. */
const REFRESH_PATH = '/svc';
/** Browsers drop cookies of 4096 bytes and more. */
const LONGEST = 4000;

/** Sends both tokens as cookies; one that is too long for a cookie (a user name can be) is in the answer alone. */
export function setTokenCookies(exchange: Exchange, tokens: TokenPair): void {
  if (tokens.accessToken.length <= LONGEST)
    setCookie(exchange, ACCESS_COOKIE, tokens.accessToken, { maxAge: tokens.accessAge });
  if (tokens.refreshToken.length <= LONGEST) {
    const options = { maxAge: tokens.refreshAge, path: REFRESH_PATH, httpOnly: true };
    setCookie(exchange, REFRESH_COOKIE, tokens.refreshToken, options);
  }
}

/** Ends both cookies. */
export function clearTokenCookies(exchange: Exchange): void {
  setCookie(exchange, ACCESS_COOKIE, '', { maxAge: 0 });
  setCookie(exchange, REFRESH_COOKIE, '', { maxAge: 0, path: REFRESH_PATH, httpOnly: true });
}
