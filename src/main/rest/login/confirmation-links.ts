/** Where links in mails lead: `/confirm_registration` and `/reset-password` with a `key` (docs/interface/security.md 7.2, 7.3). */
import type { Config } from '../../config/index.js';
import { setCookie, targetOf, type Exchange, type Handler } from '../../http/index.js';
import { AccessError, SESSION_COOKIE, type Followed, type Security } from '../../security/index.js';
import { sendError } from '../errors.js';

const PATHS: ReadonlySet<string> = new Set(['/confirm_registration', '/reset-password']);

/** Whether a request follows a link of a mail; without a key these paths are pages like any other. */
export function isConfirmationLink({ path, query, method }: Exchange): boolean {
  if (!PATHS.has(path) || (method !== 'GET' && method !== 'HEAD')) return false;
  return new URLSearchParams(query).has('key');
}

/** The handler of what `isConfirmationLink` says yes to. */
export function createConfirmationLinks(config: Config, security: Security): Handler {
  return async (exchange) => {
    try {
      // Programs that look at links before people do ask for the head alone: a key is not used up by that.
      if (exchange.method === 'HEAD') exchange.end();
      else await follow(exchange, config, security);
    } catch (error) {
      sendError(exchange, error);
    }
  };
}

async function follow(exchange: Exchange, config: Config, security: Security): Promise<void> {
  // A key is a password of its own: not to be guessed at full speed.
  security.loginLimiter.check(exchange.address);
  const parameters = new URLSearchParams(exchange.query);
  const key = parameters.get('key') ?? '';
  const isReset = exchange.path === '/reset-password';
  const followed = isReset ? await security.registration.reset(key) : await security.registration.confirm(key);
  const autologin = followed?.inTime === true && config.get('jsonrestservlet.user.autologin');
  const second = autologin ? await logIn(exchange, security, followed) : undefined;
  const goOn = isReset || followed !== undefined ? 'target' : 'onerror';
  const location =
    second === undefined ? localPath(parameters.get(goOn)) : `${config.get('application.root.path')}${second}`;
  // The key is in the address of this page: it is not for caches and not for the next site.
  exchange.setHeader('Cache-Control', 'no-store');
  exchange.setHeader('Referrer-Policy', 'no-referrer');
  if (location !== undefined) {
    exchange.status = 302;
    exchange.setHeader('Location', location);
  }
  exchange.end();
}

/**
 * Without session he goes on all the same: he is locked, has too many, or is gone. Returns where he goes instead when his second
 * factor is asked for.
 */
async function logIn(exchange: Exchange, security: Security, { user }: Followed): Promise<string | undefined> {
  try {
    await security.login.byLink(user, exchange.address);
    setCookie(exchange, SESSION_COOKIE, await security.sessions.begin(user.id));
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    if (error.status !== 202) return undefined;
    for (const [name, value] of Object.entries(error.headers)) exchange.setHeader(name, value);
    const { twoFactorLoginPage = '/', token = '' } = error.headers;
    return `${twoFactorLoginPage}${twoFactorLoginPage.includes('?') ? '&' : '?'}token=${encodeURIComponent(token)}`;
  }
  return undefined;
}

/** Path and query of where to go on: scheme and host are dropped, whatever way they are written. */
export function localPath(target: string | null): string | undefined {
  if (target === null || target.trim() === '') return undefined;
  return targetOf(target.trim());
}
