/** Who may use the Configuration Interface: whoever has told the superuser's password, or the token before the setup is complete. */
import { sameText } from '../../shared/same-text.js';
import { logger } from '../../shared/log.js';
import type { Config } from '../config/index.js';
import { setCookie, type Exchange } from '../http/index.js';
import { ConfigurationError } from './errors.js';
import type { ConfigSessions } from './sessions.js';
import type { Setup } from './setup.js';

const log = logger('configuration');
const COOKIE = 'svc_config';
/** Sent below it only. */
const PATH = '/svc/config';
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);

export interface AccessParts {
  readonly config: Config;
  readonly setup: Setup;
  readonly sessions: ConfigSessions;
  /** Counts an attempt of an address; throws 429 when there were too many. */
  readonly countAttempt: (address: string) => void;
  /** A page of another site makes this request. */
  readonly isForeign: (exchange: Exchange) => boolean;
}

export class ConfigAccess {
  constructor(private readonly parts: AccessParts) {}

  /** The secret of the session that asks; undefined: nobody is logged in. */
  sessionOf(exchange: Exchange): string | undefined {
    const secret = exchange.cookie(COOKIE);
    return secret !== undefined && this.parts.sessions.holds(secret) ? secret : undefined;
  }

  /**
   * The secret of the session of a request that does something. Throws `ConfigurationError` 401 without a login and 403 for what a page of
   * another site sends, reads included: some addresses of the interface act by GET.
   */
  require(exchange: Exchange): string {
    this.refuseForeign(exchange);
    const secret = this.sessionOf(exchange);
    if (secret === undefined) throw new ConfigurationError(401, 'Log in to the Configuration Interface first.');
    return secret;
  }

  /** Throws `ConfigurationError` 403 for what a page of another site sends. */
  refuseForeign(exchange: Exchange): void {
    // The browser's own word, where it says one: a link of another site must not act, either.
    const site = exchange.header('sec-fetch-site').toLowerCase();
    const byLink = SAFE.has(exchange.method) && (site === 'cross-site' || site === 'same-site');
    if (byLink || this.parts.isForeign(exchange))
      throw new ConfigurationError(403, 'The Configuration Interface takes no requests of other sites.');
  }

  /** Begins a session. Throws `ConfigurationError` 401 for a wrong password or token, and what too many attempts throw. */
  login(
    exchange: Exchange,
    given: { readonly password?: string | undefined; readonly token?: string | undefined },
  ): void {
    this.refuseForeign(exchange);
    const { config, setup, sessions, countAttempt } = this.parts;
    countAttempt(exchange.address);
    const byToken = given.token !== undefined && setup.accepts(given.token);
    const byPassword = setup.isComplete && sameText(given.password ?? '', config.get('superuser.password'));
    if (!byToken && !byPassword) {
      log.warn(`a login to the Configuration Interface from ${exchange.address} was refused`);
      throw new ConfigurationError(401, setup.isComplete ? 'The password is wrong.' : 'The token is wrong.');
    }
    log.info(`a login to the Configuration Interface from ${exchange.address}`);
    const secret = sessions.begin(exchange.address, exchange.header('user-agent'));
    setCookie(exchange, COOKIE, secret, { path: PATH, httpOnly: true, sameSite: 'Strict' });
  }

  logout(exchange: Exchange): void {
    this.refuseForeign(exchange);
    const secret = exchange.cookie(COOKIE);
    if (secret !== undefined) this.parts.sessions.end(secret);
    setCookie(exchange, COOKIE, '', { path: PATH, httpOnly: true, sameSite: 'Strict', maxAge: 0 });
  }
}
