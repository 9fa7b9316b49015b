/**
 * The providers, one row each: what they speak, where, and what makes an e-mail address of theirs a verified one
 * (docs/interface/security.md 8.3).
 */
import type { Config, OAuthProvider } from '../../config/index.js';

/** How a provider says that an address belongs to the user; see `userinfo.ts`. */
export type Proof =
  /** Claim `email_verified` is true. */
  | 'email_verified'
  /**
   * Claim `xms_edov` is true (an optional claim of the application's registration). Without it the address is what the
   * administrator of any tenant, also an attacker's own, has entered.
   */
  | 'xms_edov'
  /** `<user info>/emails` lists a primary address as verified. */
  | 'github'
  /** The interface leaves out addresses that are not confirmed. */
  | 'always';

/** What does not depend on settings. */
interface Row {
  /** Gives ID tokens. */
  readonly openid: boolean;
  /** LinkedIn refuses a code verifier from applications that have a secret. */
  readonly pkce: boolean;
  /** LinkedIn leaves the nonce out of its ID tokens. */
  readonly nonce: boolean;
  readonly proof: Proof;
  readonly endpoints: (config: Config) => Endpoints | undefined;
}

interface Endpoints {
  readonly issuer: string;
  readonly authorization: string;
  readonly token: string;
  readonly userInfo: string;
  /** Keys of ID tokens. */
  readonly keys?: string;
  /** The issuer is not known before it is asked: its metadata say what tokens must name. */
  readonly discover?: boolean;
  /** Further parameters of the authorization request. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** A provider as the settings have it now. */
export interface Provider extends Omit<Row, 'endpoints'>, Endpoints {
  readonly id: OAuthProvider;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  /** Milliseconds for one call. */
  readonly timeout: number;
}

const OPENID = { openid: true, pkce: true, nonce: true, proof: 'email_verified' } as const;
const OAUTH = { openid: false, pkce: true, nonce: false } as const;

const ROWS: Readonly<Record<OAuthProvider, Row>> = {
  auth0: { ...OPENID, endpoints: auth0 },
  azure: { ...OPENID, proof: 'xms_edov', endpoints: azure },
  facebook: {
    ...OAUTH,
    proof: 'always',
    endpoints: () => ({
      issuer: 'https://www.facebook.com',
      authorization: 'https://www.facebook.com/dialog/oauth',
      token: 'https://graph.facebook.com/oauth/access_token',
      userInfo: 'https://graph.facebook.com/me?fields=id,name,email',
    }),
  },
  github: {
    ...OAUTH,
    proof: 'github',
    endpoints: () => ({
      issuer: 'https://github.com/login/oauth',
      authorization: 'https://github.com/login/oauth/authorize',
      token: 'https://github.com/login/oauth/access_token',
      userInfo: 'https://api.github.com/user',
    }),
  },
  google: {
    ...OPENID,
    endpoints: () => ({
      issuer: 'https://accounts.google.com',
      authorization: 'https://accounts.google.com/o/oauth2/v2/auth',
      token: 'https://oauth2.googleapis.com/token',
      userInfo: 'https://www.googleapis.com/oauth2/v3/userinfo',
      keys: 'https://www.googleapis.com/oauth2/v3/certs',
    }),
  },
  keycloak: { ...OPENID, endpoints: keycloak },
  linkedin: {
    ...OPENID,
    pkce: false,
    nonce: false,
    endpoints: () => ({
      issuer: 'https://www.linkedin.com/oauth',
      authorization: 'https://www.linkedin.com/oauth/v2/authorization',
      token: 'https://www.linkedin.com/oauth/v2/accessToken',
      userInfo: 'https://api.linkedin.com/v2/userinfo',
      keys: 'https://www.linkedin.com/oauth/openid/jwks',
    }),
  },
};

/** A provider that users may log in with; undefined when there is none of this name, or it is not enabled and set up. */
export function providerOf(name: string, config: Config): Provider | undefined {
  if (!isProvider(name) || !config.get('oauth.servers').includes(name)) return undefined;
  const id = name;
  const clientId = config.get(`oauth.${id}.client_id`);
  const { endpoints, ...row } = ROWS[id];
  const places = clientId === '' ? undefined : endpoints(config);
  if (places === undefined) return undefined;
  return {
    ...row,
    ...places,
    id,
    clientId,
    clientSecret: config.get(`oauth.${id}.client_secret`),
    scope: scopeOf(config.get(`oauth.${id}.scope`), row.openid),
    timeout: config.get('oauth.timeout'),
    authorization: config.get(`oauth.${id}.authorization_location`) || places.authorization,
    token: config.get(`oauth.${id}.token_location`) || places.token,
    userInfo: config.get(`oauth.${id}.user_details_resource_uri`) || places.userInfo,
  };
}

function isProvider(name: string): name is OAuthProvider {
  return Object.hasOwn(ROWS, name);
}

/** Without the scope `openid` there is no ID token. */
function scopeOf(setting: string, openid: boolean): string {
  const words = setting.split(/[\s,]+/).filter((word) => word !== '');
  return (openid && !words.includes('openid') ? ['openid', ...words] : words).join(' ');
}

function auth0(config: Config): Endpoints | undefined {
  const location = config.get('oauth.auth0.authorization_location');
  const tenant = baseOf(config.get('oauth.auth0.tenant'));
  // A tenant behind a domain of its own has that domain in its tokens.
  const base = tenant === '' && location !== '' ? new URL(location).origin : tenant;
  if (base === '') return undefined;
  const at = (path: string): string => new URL(path, `${base}/`).href;
  const audience = config.get('oauth.auth0.audience');
  return {
    issuer: `${base}/`,
    authorization: at(config.get('oauth.auth0.authorization_path')),
    token: at(config.get('oauth.auth0.token_path')),
    userInfo: at(config.get('oauth.auth0.userinfo_path')),
    keys: `${base}/.well-known/jwks.json`,
    ...(audience === '' ? {} : { parameters: { audience } }),
  };
}

function azure(config: Config): Endpoints {
  const tenant = config.get('oauth.azure.tenant_id');
  const given = config.get('oauth.azure.token_location');
  const base = `${given === '' ? 'https://login.microsoftonline.com' : new URL(given).origin}/${tenant}`;
  return {
    issuer: `${base}/v2.0`,
    authorization: `${base}/oauth2/v2.0/authorize`,
    token: `${base}/oauth2/v2.0/token`,
    userInfo: 'https://graph.microsoft.com/oidc/userinfo',
    keys: `${base}/discovery/v2.0/keys`,
    // Tokens name a tenant by its id only: for a domain, or any tenant, the metadata say what to expect.
    discover: given === '' && !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(tenant),
  };
}

function keycloak(config: Config): Endpoints | undefined {
  const server = baseOf(config.get('oauth.keycloak.server_url'));
  if (server === '') return undefined;
  const issuer = `${server}/realms/${encodeURIComponent(config.get('oauth.keycloak.realm'))}`;
  const base = `${issuer}/protocol/openid-connect`;
  return {
    issuer,
    authorization: `${base}/auth`,
    token: `${base}/token`,
    userInfo: `${base}/userinfo`,
    keys: `${base}/certs`,
  };
}

/** A host or URL as a URL without a slash at its end; plain HTTP only for who writes it. */
function baseOf(setting: string): string {
  return setting === '' ? '' : (/^https?:\/\//.test(setting) ? setting : `https://${setting}`).replace(/\/+$/, '');
}
