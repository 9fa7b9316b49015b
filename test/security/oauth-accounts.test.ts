import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Client } from '../support/client.js';
import { Jar, type Page } from '../support/jar.js';
import { CLIENT, OpenIdProvider } from '../support/openid-provider.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { bearer, claimsOf, SECRET } from '../support/tokens.js';

describe('accounts of logins with another provider', () => {
  let keycloak: OpenIdProvider;
  let server: TestServer;
  let anna: string;
  let jar: Jar;
  const settings = {
    'oauth.servers': 'keycloak',
    'oauth.keycloak.realm': 'test',
    'oauth.keycloak.client_id': CLIENT.id,
    'oauth.keycloak.client_secret': CLIENT.secret,
    'oauth.keycloak.return_uri': '/svc/rest/me',
    'security.jwt.secret': SECRET,
    'application.session.max.number': 5,
  };

  beforeAll(async () => {
    vi.spyOn(console, 'warn').mockReturnValue(undefined);
    vi.spyOn(console, 'info').mockReturnValue(undefined);
    keycloak = await OpenIdProvider.start('keycloak');
    server = await TestServer.start({ settings: { ...settings, 'oauth.keycloak.server_url': keycloak.url } });
    keycloak.register(`${server.url}/oauth/keycloak/auth`);
    await allow(server.admin, 'User', 'user', ['GET', 'PUT']);
    await allow(server.admin, '_token', 'anonymous', ['POST']);
    await allow(server.admin, '_logout', 'user', ['POST']);
    anna = await server.admin.create('User', { name: 'anna', eMail: 'anna@example.com' });
    keycloak.accounts.set('anna', { email: 'anna@example.com', email_verified: true });
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await Promise.all([server.stop(), keycloak.stop()]);
  });

  /** Names of this server's cookies; the provider is on the same host. */
  const cookies = (): string[] => jar.names(`${server.url}/svc`).filter((name) => !name.startsWith('_'));

  /** Logs in at the provider, with a new browser; stops where this server's callback leads. */
  async function logIn(account: string, query = ''): Promise<Page> {
    jar = new Jar();
    const page = await jar.open(`${server.url}/oauth/keycloak/login${query}`);
    const action = new URL(/action="([^"]+)"/.exec(page.text)?.[1] ?? '', page.url);
    const ours = (url: URL): boolean => url.origin === server.url && !url.pathname.endsWith('/auth');
    return jar.open(action, { account, in: '' }, ours);
  }

  describe('with createTokens=true', () => {
    it('get tokens at the place of the setting, and no session', async () => {
      const { url } = await logIn('anna', '?createTokens=true&page=1&access_token=planted&refresh_token=planted');
      expect([url.origin + url.pathname, [...url.searchParams.keys()]]).toEqual([
        `${server.url}/svc/rest/me`,
        ['page', 'access_token', 'refresh_token'],
      ]);
      expect(cookies()).not.toContain('JSESSIONID');
      const access = url.searchParams.get('access_token') ?? '';
      expect(claimsOf(access)).toMatchObject({ uuid: anna, tokenType: 'access_token', eMail: 'anna@example.com' });
      expect((await server.as().get('/me', bearer(access))).body.result.id).toBe(anna);
      const { lastLoginDate, sessionIds } = (await server.admin.get(`/User/${anna}/ui`)).body.result;
      expect([Date.now() - Date.parse(lastLoginDate as string) < 60_000, sessionIds]).toEqual([true, []]);
      expect(server.lines.join('\n')).not.toContain(access);
    });

    it('get the cookies of tokens too, as POST /token sends them', async () => {
      const { url } = await logIn('anna', '?createTokens=true');
      const lines = jar.lines.filter((line) => /^(access|refresh)_token=/.test(line));
      expect(lines).toEqual([
        expect.stringMatching(/^access_token=[\w.-]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/),
        expect.stringMatching(/^refresh_token=[\w.-]+; Path=\/svc; Max-Age=86400; HttpOnly; SameSite=Lax$/),
      ]);
      expect(lines[0]).toContain(url.searchParams.get('access_token'));
      expect(JSON.parse((await jar.open(`${server.url}/svc/rest/me`)).text).result.id).toBe(anna);
    });

    it('get tokens that can be renewed once and end with the logout', async () => {
      const { url } = await logIn('anna', '?createTokens=true');
      const refresh = { refresh_token: url.searchParams.get('refresh_token') };
      const renewed = await server.as().post('/token', refresh);
      expect([renewed.status, (await server.as().post('/token', refresh)).status]).toEqual([200, 401]);
      const token = bearer(renewed.body.result.access_token as string);
      expect((await new Client(server.url, undefined, undefined, token).post('/logout')).status).toBe(200);
      expect((await server.as().get('/me', token)).status).toBe(401);
    });

    it('of the Admin UI, get no tokens in the URL', async () => {
      const { url } = await logIn('anna', '?createTokens=true&isBackendOAuthLogin=');
      expect(url.href).toBe(`${server.url}/svc/`);
      expect(cookies()).toEqual(['svc_oauth', 'access_token', 'refresh_token']);
    });

    it.each(['', 'false', 'TRUE', '1'])('and nothing else than true: %j begins a session', async (value) => {
      const { url } = await logIn('anna', `?createTokens=${value}`);
      expect([url.href, cookies()]).toEqual([`${server.url}/svc/rest/me`, ['svc_oauth', 'JSESSIONID']]);
      await server.admin.put(`/User/${anna}`, { sessionIds: [] });
    });

    it('end at error_uri when there are too many, or tokens are not set up', async () => {
      for (let i = 0; i < 5; i++) await logIn('anna', '?createTokens=true');
      expect((await logIn('anna', '?createTokens=true')).url.href).toBe(`${server.url}/error`);
      await server.untilLogged(/login refused: Max\. number of sessions exceeded/);
      await server.admin.put(`/User/${anna}`, { refreshTokens: [] });
      await server.reload({ 'security.jwt.secret': '' });
      expect((await logIn('anna', '?createTokens=true')).url.href).toBe(`${server.url}/error`);
      expect(cookies()).toEqual(['svc_oauth']);
      expect(await server.untilLogged(/login refused: security\.jwt\.secret must have/)).toHaveLength(1);
      await server.reload({ 'security.jwt.secret': SECRET });
    });
  });
});
