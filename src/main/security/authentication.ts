/**
 * Who asks: the user of a request (contract, Authentication). A table of means in the contract's order; the first that
 * yields a user wins. A new means is one line in `means`.
 */
import { sameText } from '../../shared/same-text.js';
import type { GraphNode } from '../graph/index.js';
import type { Exchange } from '../http/index.js';
import { ANONYMOUS, SYSTEM, type Actor } from '../schema/index.js';
import { CredentialCache } from './passwords/credential-cache.js';
import { DECIDING_HEADERS, type DocumentedLogin, type LoginSource } from './passwords/documented-login.js';
import { AccessError } from './errors.js';
import type { LoginLimiter } from './login/login-limiter.js';
import { WRONG, type PasswordCheck } from './passwords/password-check.js';
import type { Principals } from './principals.js';
import type { CookieGuard } from './cross-site/cookie-guard.js';
import type { Sessions } from './login/sessions.js';
import { ACCESS_COOKIE } from './tokens/token-cookies.js';
import type { Tokens } from './tokens/tokens.js';

export interface AuthenticationOptions {
  /** Read at every use, so that a changed setting holds at once. */
  readonly superuserName: () => string;
  readonly superuserPassword: () => string;
  readonly cacheSeconds: number;
  /** `security.authentication.header.enabled` */
  readonly headerPasswords: () => boolean;
  /** Throws `AccessError` for a user whose password alone is no login from this address. */
  readonly refuseHalf: (user: GraphNode, address: string) => void;
  /** Whether `refuseHalf` says something else to who asks this than to others. */
  readonly isExempt: (asking: { readonly address: string }) => boolean;
  readonly documented: DocumentedLogin;
  /** Absent: names and passwords are checked here. */
  readonly elsewhere?: PasswordsElsewhere | undefined;
}

/** Another thread that checks names and passwords, as attempts count and are written in one place only. */
export interface PasswordsElsewhere {
  /** The id of the user; null: the superuser. Throws `AccessError`. */
  verify(name: string, password: string, from: LoginFacts): Promise<string | null>;
}

/** A `LoginSource` as plain data. */
export interface LoginFacts {
  readonly address: string;
  readonly remoteAddress: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Name of the cookie that holds the value of a session. */
export const SESSION_COOKIE = 'JSESSIONID';

/** The user a request names in one way; undefined when it does not, or names one that is not there any more. */
type Means = (exchange: Exchange) => Actor | undefined | Promise<Actor | undefined>;

export class Authentication {
  readonly #cache: CredentialCache;
  /** Names and passwords that are being checked, by their key. */
  readonly #checking = new Map<string, Promise<Actor>>();
  /** In the contract's order. */
  readonly #means: readonly Means[] = [
    (exchange) => this.#bySession(exchange),
    (exchange) => this.#byToken(exchange),
    (exchange) => this.#bySessionToken(exchange),
    (exchange) => this.#byHeaders(exchange),
  ];

  constructor(
    private readonly principals: Principals,
    private readonly sessions: Sessions,
    private readonly passwords: PasswordCheck,
    private readonly tokens: Tokens,
    private readonly cookies: CookieGuard,
    private readonly limiter: LoginLimiter,
    private readonly options: AuthenticationOptions,
  ) {
    this.#cache = new CredentialCache(options.cacheSeconds);
    principals.onChange((id) => {
      if (id === undefined) this.#cache.clear();
      else this.#cache.forget(id);
    });
  }

  /** Names and passwords are looked at anew: a setting about them has changed. */
  forgetPasswords(): void {
    this.#cache.clear();
  }

  /** The user of a request; anonymous when it names none. Throws `AccessError` when a name and password are wrong. */
  authenticate(exchange: Exchange): Actor | Promise<Actor> {
    return this.#ask(exchange, 0);
  }

  /**
   * The user of an `Authorization: Basic` header, which counts only where it is asked for (RFC 7617); undefined when there
   * is none. Checked, limited and locked like other passwords in headers. Throws `AccessError`.
   */
  byBasic(exchange: Exchange): Actor | undefined | Promise<Actor> {
    const encoded = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(exchange.header('authorization'))?.[1];
    if (encoded === undefined) return undefined;
    const pair = Buffer.from(encoded, 'base64').toString('utf8');
    const colon = pair.indexOf(':');
    if (colon < 0) throw new AccessError(WRONG);
    return this.#byPassword(exchange, pair.slice(0, colon), pair.slice(colon + 1));
  }

  #ask(exchange: Exchange, from: number): Actor | Promise<Actor> {
    for (let i = from; i < this.#means.length; i++) {
      const found = this.#means[i]?.(exchange);
      if (found instanceof Promise) return found.then((actor) => actor ?? this.#ask(exchange, i + 1));
      if (found !== undefined) return found;
    }
    return ANONYMOUS;
  }

  #bySession(exchange: Exchange): Actor | undefined | Promise<Actor | undefined> {
    if (exchange.header('cookie') === '' || exchange.header('authorization') !== '') return undefined;
    return this.sessions.actorOf(this.cookies.read(exchange, SESSION_COOKIE) ?? '');
  }

  /**
   * The cookie first; what it holds may be out of date, so the header is asked then. Browsers send it on their own: one that is
   * wrong hinders nobody from saying in another way who he is.
   */
  #byToken(exchange: Exchange): Actor | undefined | Promise<Actor | undefined> {
    const asked = this.tokens.actorOf(this.cookies.read(exchange, ACCESS_COOKIE) ?? '');
    const inCookie = asked instanceof Promise ? asked.catch(passOver) : asked;
    const inHeader = (): Actor | undefined | Promise<Actor | undefined> => this.tokens.actorOf(bearerOf(exchange));
    return inCookie instanceof Promise ? inCookie.then((actor) => actor ?? inHeader()) : (inCookie ?? inHeader());
  }

  /** Not of the user any more, or timed out: the request goes on as anonymous, whatever else it carries (docs/interface/security.md 2.3). */
  #bySessionToken(exchange: Exchange): Actor | undefined | Promise<Actor | undefined> {
    const token = exchange.header('x-svcsessiontoken');
    if (token === '') return undefined;
    const found = this.sessions.actorOf(token);
    return found instanceof Promise ? found.then((actor) => actor ?? ANONYMOUS) : (found ?? ANONYMOUS);
  }

  #byHeaders(exchange: Exchange): Actor | undefined | Promise<Actor> {
    const [name, password] = [exchange.header('x-user'), exchange.header('x-password')];
    if ((name !== '' || password !== '') && !this.options.headerPasswords())
      return Promise.reject(new AccessError('Passwords in headers are switched off'));
    return this.#byPassword(exchange, name, password);
  }

  /** The user of a name and a password that another thread was sent. Throws `AccessError`. */
  async verified(
    name: string,
    password: string,
    { address, remoteAddress, headers }: LoginFacts,
  ): Promise<string | null> {
    const from = { address, remoteAddress, header: (name: string) => headers[name] ?? '' };
    const actor = await this.#byPassword(from, name, password);
    if (actor === undefined) throw new AccessError(WRONG);
    return actor === SYSTEM ? null : (actor.id ?? null);
  }

  #byPassword(from: LoginSource, name: string, password: string): Actor | undefined | Promise<Actor> {
    if (name === '' || password === '') {
      if (name === '' && password === '') return undefined;
      return Promise.reject(new AccessError(WRONG));
    }
    // What is enough from one address may be half of a login from another.
    const key = this.#cache.keyOf(`${this.#placeOf(from, password)}${name}`, password);
    const known = this.#cache.get(key);
    // The superuser's password is a setting, whose changes the cache does not hear of.
    if (known !== undefined && (known !== SYSTEM || this.isSuperuser(name, password))) return known;
    const { address } = from;
    const { elsewhere } = this.options;
    const verify = (): Promise<Actor> =>
      elsewhere === undefined
        ? this.limiter.guard(address, () => this.#verify(name, password, key, from))
        : this.#askElsewhere(elsewhere, name, password, key, from);
    // A client with many connections brings the same pair with each: one check of it is enough. A wrong pair is no
    // answer to the others, for every attempt counts.
    const running = this.#checking.get(key);
    if (running !== undefined) return running.catch(verify);
    const check = verify().finally(() => {
      this.#checking.delete(key);
    });
    this.#checking.set(key, check);
    return check;
  }

  /** Two characters that tell the addresses apart for which a name and a password mean something else. */
  #placeOf(from: LoginSource, password: string): string {
    const { documented, isExempt } = this.options;
    return `${isExempt(from) ? 'x' : '-'}${documented.isFromElsewhere(password, from) ? 'e' : '-'}`;
  }

  async #askElsewhere(
    elsewhere: PasswordsElsewhere,
    name: string,
    password: string,
    key: string,
    from: LoginSource,
  ): Promise<Actor> {
    const { address, remoteAddress } = from;
    const headers = Object.fromEntries(DECIDING_HEADERS.map((header) => [header, from.header(header)]));
    const { generation } = this.principals;
    const id = await elsewhere.verify(name, password, { address, remoteAddress, headers });
    if (id === null) {
      this.#cache.set(key, SYSTEM);
      return SYSTEM;
    }
    const principal = await this.principals.get(id);
    if (principal === undefined || principal.blocked) throw new AccessError(WRONG);
    // Told meanwhile that a user has changed: it may be this one's password.
    if (generation === this.principals.generation) this.#cache.set(key, principal.actor);
    return principal.actor;
  }

  async #verify(name: string, password: string, key: string, from: LoginSource): Promise<Actor> {
    if (this.isSuperuser(name, password)) {
      this.#cache.set(key, SYSTEM);
      return SYSTEM;
    }
    // Read before: afterwards the request may be over.
    const { address } = from;
    const user = await this.passwords.check(name, password, from);
    this.options.refuseHalf(user, address);
    const { generation } = this.principals;
    const principal = await this.principals.get(user.id);
    if (principal === undefined || principal.blocked) throw new AccessError(WRONG);
    // Told meanwhile that a user has changed: what was read may be older.
    if (
      principal.node.properties['password'] === user.properties['password'] &&
      generation === this.principals.generation
    )
      this.#cache.set(key, principal.actor);
    return principal.actor;
  }

  /** Whether these are the superuser's, who is no object of the database. */
  isSuperuser(name: string, password: string): boolean {
    return name === this.options.superuserName() && sameText(password, this.options.superuserPassword());
  }
}

/** A token that is wrong is none. */
function passOver(error: unknown): undefined {
  if (!(error instanceof AccessError)) throw error;
}

/** The token of `Authorization: Bearer`; empty when there is none. */
function bearerOf(exchange: Exchange): string {
  return /^bearer +(\S+)\s*$/i.exec(exchange.header('authorization'))?.[1] ?? '';
}
