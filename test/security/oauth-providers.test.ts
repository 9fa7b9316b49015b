import { describe, expect, it } from 'vitest';
import { Config, oauthProviders, type SettingValues } from '../../src/main/config/index.js';
import { absolute } from '../../src/main/security/oauth/base-url.js';
import { providerOf } from '../../src/main/security/oauth/providers.js';

const clients = Object.fromEntries(oauthProviders.map((id) => [`oauth.${id}.client_id`, 'client']));
const provider = (name: string, settings: Partial<SettingValues> = {}) =>
  providerOf(name, Config.of({ ...clients, ...settings }));

describe('providers', () => {
  it('have the endpoints of their kind', () => {
    expect(provider('google')).toMatchObject({
      authorization: 'https://accounts.google.com/o/oauth2/v2/auth',
      userInfo: 'https://www.googleapis.com/oauth2/v3/userinfo',
      scope: 'openid email',
    });
    expect(provider('github')).toMatchObject({ userInfo: 'https://api.github.com/user', scope: 'user:email' });
    expect(provider('facebook')?.userInfo).toMatch(/^https:\/\/graph\.facebook\.com\/me\?/);
    expect(provider('linkedin')).toMatchObject({ userInfo: 'https://api.linkedin.com/v2/userinfo', pkce: false });
    expect(
      provider('keycloak', { 'oauth.keycloak.server_url': 'id.example.org/', 'oauth.keycloak.realm': 'a b' }),
    ).toMatchObject({
      issuer: 'https://id.example.org/realms/a%20b',
      token: 'https://id.example.org/realms/a%20b/protocol/openid-connect/token',
    });
    expect(
      provider('auth0', { 'oauth.auth0.tenant': 'shop.eu.auth0.com', 'oauth.auth0.audience': 'api' }),
    ).toMatchObject({
      issuer: 'https://shop.eu.auth0.com/',
      authorization: 'https://shop.eu.auth0.com/authorize',
      token: 'https://shop.eu.auth0.com/oauth/token',
      parameters: { audience: 'api' },
    });
  });

  it('name the issuer where they can, and ask for it where a tenant is none or a domain', () => {
    const tenant = '8eaef023-2b34-4da1-9baa-8bc8c9d6a490';
    expect(provider('azure', { 'oauth.azure.tenant_id': tenant })).toMatchObject({
      issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
      discover: false,
      proof: 'xms_edov',
    });
    for (const name of ['common', 'example.onmicrosoft.com'])
      expect(provider('azure', { 'oauth.azure.tenant_id': name })?.discover).toBe(true);
    const location = 'https://login.example.org/authorize';
    expect(provider('auth0', { 'oauth.auth0.authorization_location': location })?.issuer).toBe(
      'https://login.example.org/',
    );
  });

  it('are off without what they need', () => {
    for (const name of ['auth0', 'keycloak', 'GitHub', 'toString']) expect(provider(name)).toBeUndefined();
    expect(provider('github', { 'oauth.github.client_id': '' })).toBeUndefined();
    expect(provider('github', { 'oauth.servers': ['google'] })).toBeUndefined();
  });
});

it('paths in settings are below the base URL of the server', () => {
  expect(absolute('/error', new URL('https://example.org/app/')).href).toBe('https://example.org/app/error');
  expect(absolute('https://other.example/x', new URL('https://example.org')).href).toBe('https://other.example/x');
});
