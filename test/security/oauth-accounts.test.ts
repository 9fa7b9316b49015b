import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Client } from '../support/client.js';
import { Jar, type Page } from '../support/jar.js';
import { linkIn, MailServer } from '../support/mail-server.js';
import { CLIENT, OpenIdProvider } from '../support/openid-provider.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { bearer, claimsOf, SECRET } from '../support/tokens.js';

describe('accounts of logins with another provider', () => {
  let keycloak: OpenIdProvider;
  let mail: MailServer;
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
    'jsonrestservlet.user.autocreate': true,
    'registration.customuserattributes': 'name password',
  };

  beforeAll(async () => {
    vi.spyOn(console, 'warn').mockReturnValue(undefined);
    vi.spyOn(console, 'info').mockReturnValue(undefined);
    keycloak = await OpenIdProvider.start('keycloak');
    mail = await MailServer.start();
    server = await TestServer.start({
      settings: {
        ...settings,
        ...mail.settings,
        'oauth.keycloak.server_url': keycloak.url,
        // Whoever has not confirmed his registration tries to change his address by this.
        'security.authentication.header.singlefactor': true,
      },
    });
    keycloak.register(`${server.url}/oauth/keycloak/auth`);
    await allow(server.admin, 'User', 'user', ['GET', 'PUT']);
    for (const signature of ['_token', '_registration', '_resetPassword', 'User'])
      await allow(server.admin, signature, 'anonymous', ['POST']);
    await allow(server.admin, '_logout', 'user', ['POST']);
    anna = await server.admin.create('User', { name: 'anna', eMail: 'anna@example.com' });
    keycloak.accounts.set('anna', { email: 'anna@example.com', email_verified: true });
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await Promise.all([server.stop(), keycloak.stop(), mail.stop()]);
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

  describe('are those of an address that is known to be the user’s', () => {
    const PASSWORD = 'the-password';
    let count = 0;
    /** An address that the provider says is verified. */
    const newAddress = (): string => {
      const name = `user${String(++count)}`;
      keycloak.accounts.set(name, { email: `${name}@example.com`, email_verified: true });
      return `${name}@example.com`;
    };
    const as = (name: string): Client => server.as(name, PASSWORD);
    /** The user that a login leads to; undefined when it is refused. */
    const userOf = async (eMail: string): Promise<unknown> => {
      const { url } = await logIn(eMail.replace(/@.*/, ''));
      if (url.pathname === '/error') return undefined;
      return JSON.parse((await jar.open(`${server.url}/svc/rest/me`)).text).result.id;
    };
    const register = async (eMail: string, more: object = {}): Promise<string> => {
      await server.as().post('/registration', { eMail, password: PASSWORD, ...more });
      return linkIn(await mail.mailTo(eMail));
    };
    const follow = async (link: string): Promise<string | undefined> => {
      const { headers } = await server.as().send('GET', `/svc/..${link}`);
      return headers['location'] as string | undefined;
    };

    it('not of one who wrote it himself, until an administrator does', async () => {
      const [own, foreign] = [newAddress(), newAddress()];
      const id = await server.admin.create('User', { name: 'mallory', eMail: own, password: PASSWORD });
      expect(await userOf(own)).toBe(id);
      expect((await as('mallory').put('/me', { eMail: own.toUpperCase() })).status).toBe(200);
      expect(await userOf(own)).toBe(id);
      expect((await as('mallory').put('/me', { eMail: foreign })).status).toBe(200);
      expect(await userOf(foreign)).toBeUndefined();
      await server.untilLogged(/login refused: the user has not shown that the address is his/);
      // Nor may he say himself that it is his.
      await as('mallory').put('/me', { verifiedEMail: foreign });
      expect(await userOf(foreign)).toBeUndefined();
      await as('mallory').put('/me', { eMail: own });
      expect(await userOf(own)).toBeUndefined();
      await server.admin.put(`/User/${id}`, { eMail: foreign });
      expect(await userOf(foreign)).toBe(id);
      expect((await server.admin.get(`/User/${id}/all`)).text).not.toContain('verifiedEMail');
    });

    it('not of one whom a stranger has created', async () => {
      const eMail = newAddress();
      expect((await server.as().post('/User', { eMail, password: PASSWORD, verifiedEMail: eMail })).status).toBe(201);
      expect(await userOf(eMail)).toBeUndefined();
    });

    it('those of users whom such a login has created', async () => {
      const eMail = newAddress();
      const id = await userOf(eMail);
      expect([typeof id, await userOf(eMail)]).toEqual(['string', id]);
    });

    it('those of users who have followed the link of their registration', async () => {
      const eMail = newAddress();
      const link = await register(eMail);
      expect(await userOf(eMail)).toBeUndefined();
      expect(await follow(link)).toBe('/register_thanks');
      const [{ id }] = (await server.admin.get(`/User?eMail=${eMail}`)).body.result as [{ id: string }];
      expect(await userOf(eMail)).toBe(id);
    });

    it('not those of links that came too late', async () => {
      const eMail = newAddress();
      await server.as().post('/User', { eMail, password: PASSWORD });
      const [{ id }] = (await server.admin.get(`/User?eMail=${eMail}`)).body.result as [{ id: string }];
      await server.admin.put(`/User/${id}`, { confirmationKey: 'a-key!1000000000000' });
      await follow('/confirm_registration?key=a-key!1000000000000');
      expect((await server.admin.get(`/User/${id}/ui`)).body.result.confirmationKey).toBeNull();
      expect(await userOf(eMail)).toBeUndefined();
    });

    it('not those of links that were sent to another address', async () => {
      const [own, foreign] = [newAddress(), newAddress()];
      const link = await register(own, { name: 'trickster' });
      // Passwords in headers count before the registration is confirmed, as the setting says.
      expect((await as('trickster').put('/me', { eMail: foreign })).status).toBe(200);
      expect(await follow(link)).toBe('/register_error');
      expect(await userOf(foreign)).toBeUndefined();
      await server.as().post('/reset-password', { eMail: foreign });
      const reset = linkIn(await mail.mailTo(foreign));
      await as('trickster').put('/me', { eMail: own });
      await follow(reset);
      const [user] = (await server.admin.get(`/User/ui?eMail=${own}`)).body.result as [{ confirmationKey: string }];
      expect(user.confirmationKey).toMatch(/^[0-9a-f]{64}!/);
      // What is stored is no key.
      expect(await follow(`/confirm_registration?key=${user.confirmationKey}&onerror=/no`)).toBe('/no');
    });

    it('not of one whose password was reset: the account may have been somebody else’s', async () => {
      const [own, foreign] = [newAddress(), newAddress()];
      await server.admin.create('User', { name: 'squatter', eMail: own, password: PASSWORD });
      await as('squatter').put('/me', { eMail: foreign });
      await server.as().post('/reset-password', { eMail: foreign });
      expect(await follow(linkIn(await mail.mailTo(foreign)))).toBe('/reset-password');
      expect(await userOf(foreign)).toBeUndefined();
    });
  });
});
