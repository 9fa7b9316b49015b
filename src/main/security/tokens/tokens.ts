/**
 * JSON Web Tokens (docs/interface/security.md 6): issued in pairs to users, checked with every request that carries one. A pair holds
 * while its id is listed in `User.refreshTokens`: what is deleted there ends both tokens.
 */
import { sign, verify, type Algorithm } from '@node-rs/jsonwebtoken';
import { hash, randomBytes } from 'node:crypto';
import { settingNames, type Config } from '../../config/index.js';
import type { Graph, GraphNode, WriteTransaction } from '../../graph/index.js';
import { happened, whoOf } from '../../../shared/happened.js';
import { logger } from '../../../shared/log.js';
import { hasVerifiedAddress, textOf, type Actor } from '../../schema/index.js';
import { AccessError } from '../errors.js';
import type { ExternalTokens } from './external-tokens.js';
import type { LoginListenerPlace } from '../login/login-events.js';
import { loginOf, named, strangers } from '../origins.js';
import { texts, type Principal, type Principals } from '../principals.js';
import { ServicePrincipals } from './service-principals.js';
import { TokenKeyring } from './token-keys.js';

const log = logger('security.tokens');

/** What a user gets: two tokens, and how long they hold. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** End of the access token, milliseconds since 1970. */
  readonly expires: number;
  /** Seconds from now to the end of each. */
  readonly accessAge: number;
  readonly refreshAge: number;
}

export type Claims = Readonly<Record<string, unknown>>;

/** Who a token belongs to, found out before. */
interface Verified {
  readonly actor: Actor;
  /** Milliseconds since 1970. */
  readonly until: number;
  /** Nothing has changed since then that the answer rests on. */
  readonly holds: () => boolean;
}

const ACCESS = 'access_token';
const REFRESH = 'refresh_token';
/** Longer ones come from nobody we know. */
const LONGEST = 16_384;
const CAPACITY = 20_000;
/** Pairs of one user where `application.session.max.number` sets no limit; beyond it the oldest ends. */
const MOST_PAIRS = 1000;
/** How long an external token counts before its key and the groups are looked at again (ms). */
const EXTERNAL_MEMORY = 60_000;
const REFUSED = 'The refresh token is not valid, or was used before';

/** How a pair is issued. */
interface Issue {
  /** Id of the pair that this one takes the place of. */
  readonly used?: string;
  /** Somebody has shown who he is. */
  readonly isLogin?: boolean;
  /** A transaction of the caller's; absent: one of its own. */
  readonly tx?: WriteTransaction;
  /** Minutes. */
  readonly ages?: { readonly access?: number | undefined; readonly refresh?: number | undefined };
}

export class Tokens {
  readonly #verified = new Map<string, Verified>();
  readonly #keys: TokenKeyring;
  /** Loaded when a token of another issuer comes: most services have none, and the library is large. */
  #external: Promise<ExternalTokens> | undefined;
  readonly #callers: ServicePrincipals;
  /** Grows with every change of a setting, and of a group: what was found out before may be wrong. */
  #settings = 0;
  #groups = 0;

  constructor(
    private readonly graph: Graph,
    private readonly principals: Principals,
    private readonly config: Config,
    private readonly events: LoginListenerPlace,
  ) {
    this.#keys = new TokenKeyring(config);
    this.#callers = new ServicePrincipals(graph, principals, config);
    graph.caches.add({ name: 'security.tokens', dependsOn: ['security.principals', 'settings'] });
    principals.onChange((id) => {
      if (id === undefined) this.#groups++;
    });
    for (const name of settingNames) {
      if (!/^security\.jw[tk]s?\.|^application\.instance\.name$/.test(name)) continue;
      config.onChange(name, () => {
        this.#settings++;
        this.#keys.forget();
        this.#external = undefined;
        this.#verified.clear();
      });
    }
  }

  /** Says in the log what is wrong with the settings, before somebody's login fails of it. */
  async warn(): Promise<void> {
    const problem = await this.#keys.problem();
    if (problem !== undefined) log.warn(`tokens do not work: ${problem}`);
  }

  /** A pair for a user who has shown who he is. Throws `AccessError` when he has too many, or tokens are not set up. */
  async issue(user: GraphNode): Promise<TokenPair> {
    const pair = await this.#issue(user.id, { isLogin: true });
    happened('Authentication', 'Token creation successful', whoOf(named(user)));
    await this.events.listener?.loggedIn(user.id);
    return pair;
  }

  /**
   * A pair for a user whom a script has chosen, in the transaction that the script writes; ages in minutes, absent: those of the
   * settings. Throws `AccessError` as `issue` does.
   */
  issueWithin(
    tx: WriteTransaction,
    userId: string,
    ages: { readonly access?: number | undefined; readonly refresh?: number | undefined },
  ): Promise<TokenPair> {
    return this.#issue(userId, { tx, ages });
  }

  /** A new pair for a refresh token, which ends with that, and its access token too. Throws `AccessError`. */
  async refresh(token: string): Promise<TokenPair> {
    // First, so that a token is not used up for nothing.
    await this.#keys.get();
    const owner = await this.ownerOf(token);
    if (owner === undefined) throw new AccessError(REFUSED);
    return this.#issue(owner.userId, { used: owner.tokenId });
  }

  /** The user a refresh token belongs to; undefined when it does not hold (any more). */
  async ownerOf(token: string): Promise<{ userId: string; tokenId: string } | undefined> {
    const claims = await this.#claimsOf(token, REFRESH);
    const { uuid, tokenId } = claims ?? {};
    if (typeof uuid !== 'string' || typeof tokenId !== 'string') return undefined;
    const user = await this.principals.get(uuid);
    return user === undefined || user.blocked || !user.refreshTokens.has(tokenId)
      ? undefined
      : { userId: uuid, tokenId };
  }

  /** Ends all tokens of a user. */
  async revoke(userId: string): Promise<void> {
    const actor = (await this.principals.get(userId))?.actor;
    await this.graph.write(
      async (tx) => {
        const user = await tx.node(userId);
        if (user !== undefined && texts(user, 'refreshTokens').length > 0)
          await tx.updateNode(userId, { refreshTokens: null });
      },
      { origin: actor === undefined ? strangers('logout') : loginOf(actor, 'logout') },
    );
  }

  /**
   * The user of an access token; undefined when it is not valid (any more). Throws `AccessError` 422 for a wrong token
   * of another issuer (mode `jwks`).
   */
  actorOf(token: string): Actor | undefined | Promise<Actor | undefined> {
    if (token === '' || token.length > LONGEST) return undefined;
    const key = hash('sha256', token, 'base64');
    const known = this.#verified.get(key);
    if (known !== undefined && known.until > Date.now() && known.holds()) return known.actor;
    return this.#verify(token, key);
  }

  async #verify(token: string, key: string): Promise<Actor | undefined> {
    const settings = this.#settings;
    const external = this.config.get('security.jwt.secrettype') === 'jwks';
    const found = await (external ? this.#verifyExternal(token) : this.#verifyOwn(token));
    if (found === undefined) {
      this.#verified.delete(key);
      return undefined;
    }
    if (settings === this.#settings) {
      const oldest = this.#verified.size >= CAPACITY ? this.#verified.keys().next().value : undefined;
      if (oldest !== undefined) this.#verified.delete(oldest);
      this.#verified.set(key, found);
    }
    return found.actor;
  }

  async #verifyOwn(token: string): Promise<Verified | undefined> {
    const claims = await this.#claimsOf(token, ACCESS);
    if (claims === undefined || typeof claims['exp'] !== 'number') return undefined;
    const user = await this.#userOf(claims);
    const tokenId = claims['tokenId'] ?? null;
    if (user === undefined || user.blocked) return undefined;
    // Tokens without an id were issued without a refresh token.
    if (tokenId !== null && !(typeof tokenId === 'string' && user.refreshTokens.has(tokenId))) return undefined;
    return this.#asUser(user, claims['exp'] * 1000);
  }

  async #verifyExternal(token: string): Promise<Verified | undefined> {
    this.#external ??= import('./external-tokens.js').then((loaded) => new loaded.ExternalTokens(this.config));
    const claims = await (await this.#external).verify(token);
    if (claims === undefined) return undefined;
    const until = Math.min(Number(claims['exp']) * 1000, Date.now() + EXTERNAL_MEMORY);
    const user = await this.#byAddress(claims);
    if (user !== undefined) return user.blocked ? undefined : this.#asUser(user, until);
    const groups = this.#groups;
    const actor = await this.#callers.of(claims);
    return { actor, until, holds: () => groups === this.#groups };
  }

  /** Holds while the very same state of the user is in memory: each change of it makes another. */
  #asUser(user: Principal, until: number): Verified {
    const { id } = user.node;
    return { actor: user.actor, until, holds: () => this.principals.peek(id) === user };
  }

  /** The claims of a token that this service has signed for this purpose; undefined when it has not. */
  async #claimsOf(token: string, type: typeof ACCESS | typeof REFRESH): Promise<Claims | undefined> {
    if (token === '' || token.length > LONGEST) return undefined;
    const issuer = this.config.get('security.jwt.jwtissuer');
    const audience = this.config.get('security.jwt.audience');
    let claims: Claims;
    try {
      const keys = await this.#keys.get();
      claims = await verify(token, keys.verify, {
        // The mode decides, never the token: a public key is no secret to sign with.
        algorithms: [keys.algorithm as Algorithm],
        requiredSpecClaims: ['exp', 'iss', ...(audience === '' ? [] : ['aud'])],
        iss: [issuer],
        ...(audience === '' ? {} : { aud: [audience] }),
        leeway: 0,
        validateExp: true,
        validateNbf: true,
      });
    } catch (error) {
      // Of the reason only its kind: what follows may quote the token.
      if (log.enabled('DEBUG'))
        log.debug(
          `refused a token: ${String(error)
            .slice(0, 80)
            .replace(/[`'"].*|:[^:]*$/, '')}`,
        );
      return undefined;
    }
    return claims['tokenType'] === type ? claims : undefined;
  }

  /** By id where this instance issued the token, or an instance on the same database; by e-mail address otherwise. */
  async #userOf(claims: Claims): Promise<Principal | undefined> {
    const { uuid, instance, tokenId } = claims;
    const own = instance === this.config.get('application.instance.name');
    const user = typeof uuid === 'string' ? await this.principals.get(uuid) : undefined;
    if (own) return user;
    if (user !== undefined && typeof tokenId === 'string' && user.refreshTokens.has(tokenId)) return user;
    return this.#byAddress(claims);
  }

  /** An address that the issuer of the token has not verified is anybody's, and so is one that was not verified here. */
  async #byAddress(claims: Claims): Promise<Principal | undefined> {
    if (claims['email_verified'] === false) return undefined;
    const address = claims['eMail'] ?? claims['email'];
    if (typeof address !== 'string' || address.trim() === '') return undefined;
    const [node, ...others] = await this.principals.find(['eMail'], address.trim().toLowerCase());
    if (node === undefined || others.length > 0 || !hasVerifiedAddress(node)) return undefined;
    return this.principals.get(node.id);
  }

  async #issue(userId: string, { used, isLogin = false, tx: outer, ages = {} }: Issue): Promise<TokenPair> {
    const { config } = this;
    const keys = await this.#keys.get();
    const accessAge = Math.round((ages.access ?? config.get('security.jwt.expirationtime')) * 60);
    const refreshAge = Math.round((ages.refresh ?? config.get('security.jwt.refreshtoken.expirationtime')) * 60);
    const now = Date.now();
    const seconds = Math.floor(now / 1000);
    // The pair holds as long as the longer of the two.
    const end = seconds + Math.max(accessAge, refreshAge);
    const tokenId = `${randomBytes(16).toString('hex')}_${String(end * 1000)}`;
    // Transactions come one after the other: of two that bring the same refresh token, the second finds it gone.
    const enter = async (tx: WriteTransaction): Promise<GraphNode> => {
      const node = await tx.node(userId);
      if (node === undefined || !this.principals.isUser(node) || node.properties['blocked'] === true)
        throw new AccessError(used === undefined ? 'The user is gone or blocked' : REFUSED);
      const all = texts(node, 'refreshTokens');
      if (used !== undefined && !all.includes(used)) throw new AccessError(REFUSED);
      const living = all.filter((id) => id !== used && endOf(id) > now);
      const most = config.get('application.session.max.number');
      if (most >= 0 && living.length >= most) throw new AccessError('Max. number of sessions exceeded');
      // Written past the rules of objects: logging in is no modification of the user.
      return tx.updateNode(userId, {
        refreshTokens: [...living.slice(1 - MOST_PAIRS), tokenId],
        ...(isLogin ? { lastLoginDate: now } : {}),
      });
    };
    const asking = outer === undefined ? (await this.principals.get(userId))?.actor : undefined;
    const origin = asking === undefined ? strangers('tokens') : loginOf(asking, 'tokens');
    const user = await (outer === undefined ? this.graph.write(enter, { origin }) : enter(outer));
    const audience = config.get('security.jwt.audience');
    const eMail = textOf(user, 'eMail') ?? null;
    const shared = {
      sub: textOf(user, 'name') ?? eMail,
      iss: config.get('security.jwt.jwtissuer'),
      ...(audience === '' ? {} : { aud: audience }),
      tokenId,
      uuid: user.id,
    };
    const access = {
      ...shared,
      exp: seconds + accessAge,
      tokenType: ACCESS,
      instance: config.get('application.instance.name'),
      eMail,
      ...(eMail === null ? {} : { email_verified: hasVerifiedAddress(user) }),
    };
    const refresh = { ...shared, exp: seconds + refreshAge, tokenType: REFRESH };
    const header = { algorithm: keys.algorithm as Algorithm };
    const [accessToken, refreshToken] = await Promise.all([
      sign(access, keys.sign, header),
      sign(refresh, keys.sign, header),
    ]);
    return { accessToken, refreshToken, expires: access.exp * 1000, accessAge, refreshAge };
  }
}

/** When the refresh token of this id ends, milliseconds since 1970. An id of another form ended long ago. */
function endOf(tokenId: string): number {
  const end = Number(tokenId.slice(tokenId.lastIndexOf('_') + 1));
  return Number.isFinite(end) ? end : 0;
}
