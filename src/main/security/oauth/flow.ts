/**
 * `/oauth/<provider>/<action>`: logins with other providers (docs/interface/security.md 8): authorization code with PKCE, state and
 * nonce. Whatever goes wrong after the provider is known ends at `error_uri`; the log says why.
 */
import * as openid from 'openid-client';
import type { Config } from '../../config/index.js';
import { setCookie, type Exchange } from '../../http/index.js';
import { logger } from '../../../shared/log.js';
import { SESSION_COOKIE } from '../authentication.js';
import { AccessError } from '../errors.js';
import type { LoginLimiter } from '../login/login-limiter.js';
import type { LoginListenerPlace } from '../login/login-events.js';
import type { Sessions } from '../login/sessions.js';
import { setTokenCookies } from '../tokens/token-cookies.js';
import type { TokenPair, Tokens } from '../tokens/tokens.js';
import type { Accounts } from './accounts.js';
import { absolute, baseUrl } from './base-url.js';
import { configured, type OpenIdClients } from './client.js';
import { providerOf, type Provider } from './providers.js';
import { OAuthRefusal } from './refusal.js';
import { browserSecret, LOGIN_LIFE, type BegunLogin, type LoginSecrets, type OAuthStates } from './state.js';
import { userInfo, verifiedAddress } from './userinfo.js';

const log = logger('security.oauth');

export interface OAuthParts {
  readonly config: Config;
  readonly states: OAuthStates;
  readonly clients: OpenIdClients;
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly tokens: Tokens;
  readonly events: LoginListenerPlace;
  readonly limiter: LoginLimiter;
}

const BACKEND = 'isBackendOAuthLogin';
const TOKENS = 'createTokens';
const ACCESS = 'access_token';
const REFRESH = 'refresh_token';
/** Parameters of the login that do not come back; as for tokens, only the server may hand out any. */
const NOT_RETURNED: ReadonlySet<string> = new Set([BACKEND, TOKENS, ACCESS, REFRESH]);
/** Answers of a provider; others of its parameters are not looked at. */
const ANSWER = ['code', 'error', 'error_description', 'iss'] as const;
const ADMIN_UI = '/svc/';
const COOKIE = 'svc_oauth';

/** One request to a provider that is set up. */
interface Request {
  readonly exchange: Exchange;
  readonly provider: Provider;
  readonly base: URL;
  readonly query: URLSearchParams;
}

/** Shows the page for a status; false: there is none, and nothing is answered. */
type ShowErrorPage = (exchange: Exchange, status: number) => Promise<boolean>;
export type OAuthHandler = (exchange: Exchange, showErrorPage: ShowErrorPage) => Promise<void>;

/** The handler of everything below `/oauth/`. */
export function createOAuth(parts: OAuthParts): OAuthHandler {
  const { config } = parts;
  const verbose = (provider: Provider, text: string): void => {
    if (config.get('oauth.logging.verbose')) log.info(`${provider.id}: ${text}`);
  };

  async function login({ exchange, provider, base, query }: Request): Promise<void> {
    const { id } = provider;
    const cookie = cookieName(exchange);
    const browser = browserSecret(exchange.cookie(cookie));
    const redirectUri = absolute(config.get(`oauth.${id}.redirect_uri`), base).href;
    const secrets = await parts.states.begin({ provider: id, parameters: [...query], redirectUri }, browser);
    const url = openid.buildAuthorizationUrl(configured(provider), {
      ...provider.parameters,
      redirect_uri: redirectUri,
      scope: provider.scope,
      state: secrets.state,
      ...(provider.nonce ? { nonce: secrets.nonce } : {}),
      ...(provider.pkce
        ? {
            code_challenge: await openid.calculatePKCECodeChallenge(secrets.verifier),
            code_challenge_method: 'S256',
          }
        : {}),
    });
    // Lax whatever the settings say: the provider's redirect comes from another site.
    setCookie(exchange, cookie, browser, { maxAge: LOGIN_LIFE, httpOnly: true, sameSite: 'Lax' });
    verbose(provider, 'a login begins');
    redirect(exchange, url);
  }

  async function callback({ exchange, provider, base, query }: Request): Promise<void> {
    parts.limiter.check(exchange.address);
    const browser = exchange.cookie(cookieName(exchange)) ?? '';
    const begun = await parts.states.take(provider.id, query.get('state') ?? '', browser);
    const client = await parts.clients.of(provider);
    const tokens = await exchangeCode(provider, client, begun, query);
    verbose(provider, 'the code is exchanged');
    const address = await verifiedAddress(provider, client, tokens);
    verbose(provider, 'the user information has a verified address');
    const user = await parts.accounts.of(address);
    const url = returnUrl(provider, begun, base);
    if (begun.parameters.some(([name, value]) => name === TOKENS && value === 'true')) {
      const pair = await parts.tokens.issue(user);
      setTokenCookies(exchange, pair);
      addTokens(url, pair, begun);
    } else setCookie(exchange, SESSION_COOKIE, await parts.sessions.begin(user.id));
    verbose(provider, `user ${user.id} is logged in`);
    await parts.events.listener?.byOAuth(user.id, provider.id, () =>
      userInfo(provider, client, tokens).catch((error: unknown) => {
        // What went wrong may hold a part of the answer.
        throw new OAuthRefusal(`the user information cannot be read: ${reasonOf(error)}`);
      }),
    );
    redirect(exchange, url);
  }

  function returnUrl({ id }: Provider, begun: BegunLogin, base: URL): URL {
    if (begun.parameters.some(([name]) => name === BACKEND)) return absolute(ADMIN_UI, base);
    const url = absolute(config.get(`oauth.${id}.return_uri`), base);
    for (const [name, value] of begun.parameters) if (!NOT_RETURNED.has(name)) url.searchParams.append(name, value);
    return url;
  }

  function run(request: Request, action: string): Promise<void> {
    const { exchange, provider, base } = request;
    const { id } = provider;
    switch (action) {
      case 'login':
        return login(request);
      case 'auth':
        return callback(request);
      case 'logout':
        redirect(exchange, absolute(config.get(`oauth.${id}.logout_uri`), base));
        return Promise.resolve();
      default:
        return Promise.reject(new OAuthRefusal('there is no such action'));
    }
  }

  return async (exchange, showErrorPage) => {
    const [name = '', action = '', ...rest] = exchange.path.slice('/oauth/'.length).split('/');
    if (name === '' || action === '' || rest.length > 0) {
      sendError(exchange, 404, 'There is nothing at this path');
      return;
    }
    const provider = providerOf(name, config);
    if (provider === undefined) {
      if (await showErrorPage(exchange, 501)) return;
      sendError(exchange, 501, 'Logins with this provider are not set up');
      return;
    }
    if (exchange.method !== 'GET') {
      exchange.setHeader('Allow', 'GET');
      sendError(exchange, 405, 'Only GET is allowed here');
      return;
    }
    const base = baseUrl(exchange, config.get('application.baseurl.override'));
    if (base === undefined) {
      sendError(exchange, 400, 'The header Host is not a host');
      return;
    }
    const { id } = provider;
    try {
      await run({ exchange, provider, base, query: new URLSearchParams(exchange.query) }, action);
    } catch (error) {
      log.info(`${id}: ${action === 'auth' ? 'login refused' : 'no login'}: ${reasonOf(error)}`);
      if (!exchange.responded) redirect(exchange, absolute(config.get(`oauth.${id}.error_uri`), base));
    }
  };
}

/** Only the place of the setting gets them: the Admin UI has the cookies. */
function addTokens(url: URL, { accessToken, refreshToken }: TokenPair, begun: BegunLogin): void {
  if (begun.parameters.some(([name]) => name === BACKEND)) return;
  url.searchParams.append(ACCESS, accessToken);
  url.searchParams.append(REFRESH, refreshToken);
}

async function exchangeCode(
  provider: Provider,
  client: openid.Configuration,
  begun: BegunLogin & LoginSecrets,
  query: URLSearchParams,
): Promise<openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers> {
  const url = new URL(begun.redirectUri);
  url.searchParams.set('state', begun.state);
  for (const name of ANSWER) for (const value of query.getAll(name)) url.searchParams.append(name, value);
  return openid.authorizationCodeGrant(client, url, {
    expectedState: begun.state,
    idTokenExpected: provider.openid,
    ...(provider.pkce ? { pkceCodeVerifier: begun.verifier } : {}),
    ...(provider.nonce ? { expectedNonce: begun.nonce } : {}),
  });
}

/** Over HTTPS a name that no other host of the domain can set a cookie of. */
function cookieName(exchange: Exchange): string {
  return exchange.secure ? `__Host-${COOKIE}` : COOKIE;
}

function redirect(exchange: Exchange, url: URL): void {
  exchange.status = 302;
  exchange.setHeader('Location', url.href);
  exchange.setHeader('Cache-Control', 'no-store');
  exchange.setHeader('Referrer-Policy', 'no-referrer');
  exchange.end();
}

function sendError(exchange: Exchange, code: number, message: string): void {
  exchange.status = code;
  exchange.setHeader('Content-Type', 'application/json;charset=utf-8');
  exchange.end(`${JSON.stringify({ code, message, errors: [] }, null, 2)}\n`);
}

/** What the log may say: no part of an answer but the name of an error, for answers hold tokens. */
function reasonOf(error: unknown): string {
  if (error instanceof OAuthRefusal || error instanceof AccessError) return error.message;
  if (error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError)
    return `the provider answered ${/^[\w.-]{1,60}$/.test(error.error) ? error.error : 'an error'}`;
  if (!(error instanceof Error)) return 'unknown reason';
  // The library's own texts say what was wrong; others, such as a parser's, may quote an answer.
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const why = cause === undefined || !codeOf(cause).startsWith('OAUTH_') ? '' : ` (${cause.message.slice(0, 200)})`;
  const known = error instanceof openid.ClientError || codeOf(error).startsWith('OAUTH_');
  return known
    ? `${error.message}${why}`
    : [error, cause].map((one) => (one === undefined ? '' : codeOf(one))).join(' ');
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
