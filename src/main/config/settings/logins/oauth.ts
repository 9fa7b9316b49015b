/**
 * Settings of logins with other providers (docs/interface/security.md 8.2). One row a provider; its endpoints are in
 * `security/oauth/providers.ts`.
 */
import { httpUrl } from '../../checks.js';
import {
  boolean,
  group,
  integer,
  multiChoice,
  password,
  string,
  type Grouped,
  type StringSetting,
} from '../../setting.js';

/** Name of each provider and the scope it is asked for by default. */
const PROVIDERS = {
  auth0: { name: 'Auth0', scope: 'openid profile email' },
  azure: { name: 'Microsoft Entra ID', scope: 'openid profile email' },
  facebook: { name: 'Facebook', scope: 'email' },
  github: { name: 'GitHub', scope: 'user:email' },
  google: { name: 'Google', scope: 'email' },
  keycloak: { name: 'Keycloak', scope: 'openid profile email' },
  linkedin: { name: 'LinkedIn', scope: 'openid profile email' },
} as const;

/** A provider as it stands in paths and names of settings. */
export type OAuthProvider = keyof typeof PROVIDERS;

type CommonKey =
  | 'client_id'
  | 'client_secret'
  | 'redirect_uri'
  | 'error_uri'
  | 'return_uri'
  | 'logout_uri'
  | 'scope'
  | 'authorization_location'
  | 'token_location'
  | 'user_details_resource_uri';

type CommonSettings = { readonly [N in `oauth.${OAuthProvider}.${CommonKey}`]: Grouped<StringSetting> };

const PLACE = { check: place } as const;
const HTTP_URL = { check: httpUrl } as const;

/** A path of this server, or an absolute URL. */
function place(value: string): string | undefined {
  // Browsers take a second slash or a backslash for the beginning of a host.
  if (/^\/(?![/\\])[^\s\\]*$/.test(value)) return undefined;
  return value === '' ? 'it is empty' : httpUrl(value);
}

/** The same without a query: that is where the provider puts its answer. */
function callback(value: string): string | undefined {
  return /[?#]/.test(value) ? 'it must have no query' : place(value);
}

/** Empty, a host, or an absolute `http` or `https` URL. */
function hostOrUrl(value: string): string | undefined {
  return value === '' ? undefined : httpUrl(/^https?:\/\//.test(value) ? value : `https://${value}`);
}

function common(id: OAuthProvider): Readonly<Record<CommonKey, StringSetting>> {
  const { name, scope } = PROVIDERS[id];
  return {
    client_id: string('', `Id of this application at ${name}; empty: nobody logs in with ${name}`),
    client_secret: password('', `Secret of this application at ${name}`),
    redirect_uri: string(`/oauth/${id}/auth`, `Where ${name} sends browsers back to, as registered there`, {
      check: callback,
    }),
    error_uri: string('/error', `Where a browser goes after a failed login with ${name}`, PLACE),
    return_uri: string('/', `Where a browser goes after a login with ${name}`, PLACE),
    logout_uri: string('/logout', `Where /oauth/${id}/logout sends browsers`, PLACE),
    scope: string(scope, `Scopes that ${name} is asked for`),
    authorization_location: string('', `Where browsers log in at ${name}; empty: the usual URL`, HTTP_URL),
    token_location: string('', `Where codes of ${name} are exchanged; empty: the usual URL`, HTTP_URL),
    user_details_resource_uri: string('', `Where ${name} tells about a user; empty: the usual URL`, HTTP_URL),
  };
}

function allCommon(): CommonSettings {
  const entries = oauthProviders.map((id) => {
    const named = Object.entries(common(id)).map(([key, setting]) => [`oauth.${id}.${key}`, setting] as const);
    return group(`oauth/${PROVIDERS[id].name}`, Object.fromEntries(named));
  });
  return Object.assign({}, ...entries) as CommonSettings;
}

/** All providers there are. */
export const oauthProviders = Object.keys(PROVIDERS) as readonly OAuthProvider[];

export const oauthSettings = {
  ...group('oauth/General', {
    'oauth.servers': multiChoice(
      ['auth0', 'azure', 'facebook', 'github', 'google', 'linkedin', 'keycloak'],
      'Providers that users may log in with; those without a client_id are off in any case',
      {
        among: oauthProviders,
        check: (word) => (Object.hasOwn(PROVIDERS, word) ? undefined : `there is no provider '${word.slice(0, 60)}'`),
      },
    ),
    'oauth.timeout': integer(5000, 'A call to a provider is given up after this time (ms)', { min: 1, max: 60_000 }),
    'oauth.logging.verbose': boolean(false, 'Log every step of a login with a provider, without secrets'),
  }),
  ...allCommon(),
  ...group('oauth/Auth0', {
    'oauth.auth0.tenant': string('', 'Domain of the tenant at Auth0, such as example.eu.auth0.com', {
      check: hostOrUrl,
    }),
    'oauth.auth0.audience': string('', 'API that Auth0 is asked an access token for; empty: none'),
    'oauth.auth0.authorization_path': string('/authorize', 'Path of the tenant where browsers log in', PLACE),
    'oauth.auth0.token_path': string('/oauth/token', 'Path of the tenant where codes are exchanged', PLACE),
    'oauth.auth0.userinfo_path': string('/userinfo', 'Path of the tenant that tells about a user', PLACE),
  }),
  ...group('oauth/Microsoft Entra ID', {
    'oauth.azure.tenant_id': string('common', 'Id or domain of the tenant; common: users of any tenant', {
      pattern: /^[\w.-]+$/,
      example: 'common or 8eaef023-2b34-4da1-9baa-8bc8c9d6a490',
    }),
  }),
  ...group('oauth/Keycloak', {
    'oauth.keycloak.server_url': string('', 'URL of the Keycloak server', { check: hostOrUrl }),
    'oauth.keycloak.realm': string('master', 'Realm whose users log in'),
  }),
} as const;
