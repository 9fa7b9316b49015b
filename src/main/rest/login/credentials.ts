/** Logging in and out, however it was asked for: `/login`, `/logout` and `/token` over REST, or the forms of a page. */
import type { GraphNode } from '../../graph/index.js';
import { setCookie, type Exchange } from '../../http/index.js';
import { happened, whoOf } from '../../../shared/happened.js';
import type { JsonObject } from '../../../shared/json/index.js';
import type { Actor } from '../../schema/index.js';
import {
  AccessError,
  clearTokenCookies,
  markPrivate,
  REFRESH_COOKIE,
  SESSION_COOKIE,
  setTokenCookies,
  type Security,
  type TokenPair,
} from '../../security/index.js';

/** Fields of a body with credentials, of whichever step. */
const CREDENTIALS = ['name', 'eMail', 'password', 'twoFactorToken', 'twoFactorCode'] as const;

/** Checks credentials and begins a session, whose cookie goes with the answer. Returns the user. */
export async function beginSession(exchange: Exchange, security: Security, input: JsonObject): Promise<GraphNode> {
  markPrivate(exchange);
  refuseForeign(exchange, security);
  const user = await identify(exchange, security, input);
  setCookie(exchange, SESSION_COOKIE, await security.sessions.begin(user.id));
  return user;
}

/** The user of the credentials in a body. Attempts are limited by address; see `Login.identify` for what is thrown. */
async function identify(exchange: Exchange, security: Security, input: JsonObject): Promise<GraphNode> {
  security.loginLimiter.check(exchange.address);
  try {
    const user = await security.login.identify(input, exchange);
    const notice = security.documentedPassword.noticeFor(user.id);
    if (notice !== undefined) exchange.setHeaders(notice);
    return user;
  } catch (error) {
    // A login that needs its second step ends the one before (docs/interface/security.md 5): the next request is nobody's.
    const value = security.cookies.read(exchange, SESSION_COOKIE) ?? '';
    if (error instanceof AccessError && error.status === 202 && value !== '') await security.sessions.end(value);
    throw error;
  }
}

/**
 * A pair of tokens for credentials, or for a refresh token: of the body, else of the cookie, else of a header. The
 * cookies go with the answer, unless a page of another site asked: it must not log anybody in here.
 */
export async function grantTokens(exchange: Exchange, security: Security, input: JsonObject): Promise<TokenPair> {
  markPrivate(exchange);
  const { tokens, cookies } = security;
  const given = input[REFRESH_COOKIE] ?? '';
  if (typeof given !== 'string') throw new AccessError('The field refresh_token must be a string');
  const named = CREDENTIALS.some((field) => (input[field] ?? '') !== '');
  const refreshToken =
    given !== '' || named
      ? given
      : (cookies.read(exchange, REFRESH_COOKIE) ?? '') ||
        exchange.header('refresh_token') ||
        exchange.header('refresh-token');
  const pair =
    refreshToken === ''
      ? await tokens.issue(await identify(exchange, security, input))
      : await tokens.refresh(refreshToken);
  if (!cookies.foreign(exchange)) setTokenCookies(exchange, pair);
  return pair;
}

/** Ends the session of a request and all tokens of its user; nobody logged in is no error. */
export async function endLogin(exchange: Exchange, security: Security, actor: Actor): Promise<void> {
  markPrivate(exchange);
  const { sessions, tokens, cookies, events } = security;
  const session = cookies.read(exchange, SESSION_COOKIE) ?? exchange.header('x-svcsessiontoken');
  const left = session === '' ? undefined : await sessions.end(session);
  // Whose access token has run out is still known by the other one.
  const owner = await tokens.ownerOf(cookies.read(exchange, REFRESH_COOKIE) ?? '');
  const users = actor.isSuperuser ? [left, owner?.userId] : [left, actor.id, owner?.userId];
  for (const id of new Set(users)) {
    if (id === undefined) continue;
    happened('Authentication', 'Logout', whoOf(id === actor.id ? actor : { id, name: '' }));
    await tokens.revoke(id);
    await events.listener?.loggedOut(id);
  }
  if (cookies.foreign(exchange)) return;
  setCookie(exchange, SESSION_COOKIE, '', { maxAge: 0 });
  clearTokenCookies(exchange);
}

/** A page of another site must not log its visitor in here, as somebody he is not. */
export function refuseForeign(exchange: Exchange, security: Security): void {
  if (security.cookies.foreign(exchange)) throw new AccessError('Pages of other sites cannot log in here', 403);
}
