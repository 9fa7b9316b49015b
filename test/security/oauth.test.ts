import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../support/chromium.js';
import { Jar, type Page } from '../support/jar.js';
import { CLIENT, OpenIdProvider } from '../support/openid-provider.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const browserPath = chromiumPath();
if (browserPath === undefined) console.warn('skipped: login in a browser; there is no Chromium (CHROMIUM_PATH)');

describe('logins with other providers', () => {
  let keycloak: OpenIdProvider;
  let auth0: OpenIdProvider;
  let github: Server;
  let server: TestServer;
  let settings: Record<string, string | number | boolean>;
  let anna: string;
  let jar: Jar;

  beforeAll(async () => {
    // The provider says at length that it keeps nothing.
    vi.spyOn(console, 'warn').mockReturnValue(undefined);
    vi.spyOn(console, 'info').mockReturnValue(undefined);
    keycloak = await OpenIdProvider.start('keycloak');
    auth0 = await OpenIdProvider.start('auth0');
    github = await startGithub();
    const hub = `http://127.0.0.1:${String((github.address() as AddressInfo).port)}`;
    settings = {
      'oauth.servers': 'keycloak auth0 github google azure',
      'oauth.timeout': 700,
      'oauth.logging.verbose': true,
      'oauth.keycloak.server_url': keycloak.url,
      'oauth.keycloak.realm': 'test',
      ...client('keycloak'),
      'oauth.auth0.tenant': auth0.url,
      'oauth.auth0.authorization_path': '/log-in',
      'oauth.auth0.token_path': '/get-token',
      'oauth.auth0.userinfo_path': '/who',
      ...client('auth0'),
      'oauth.github.authorization_location': `${hub}/authorize`,
      'oauth.github.token_location': `${hub}/token`,
      'oauth.github.user_details_resource_uri': `${hub}/user`,
      ...client('github'),
      'oauth.linkedin.client_id': 'not enabled',
      'oauth.azure.client_id': 'azure',
      'oauth.azure.tenant_id': '8eaef023-2b34-4da1-9baa-8bc8c9d6a490',
    };
    server = await TestServer.start({ settings });
    keycloak.register(`${server.url}/oauth/keycloak/auth`);
    auth0.register(`${server.url}/oauth/auth0/auth`);
    for (const { accounts } of [keycloak, auth0]) {
      accounts.set('anna', { email: 'Anna@Example.com', email_verified: true });
      accounts.set('mallory', { email: 'anna@example.com', email_verified: false });
      accounts.set('silent', {});
      accounts.set('stranger', { email: 'stranger@example.com', email_verified: true });
      accounts.set('blocked', { email: 'blocked@example.com', email_verified: true });
      accounts.set('pending', { email: 'pending@example.com', email_verified: true });
      // U+212A becomes an ordinary k in lower case.
      accounts.set('kelvin', { email: '\u212Aate@example.com', email_verified: true });
    }
    await allow(server.admin, 'User', 'user', ['GET']);
    anna = await server.admin.create('User', { name: 'anna', eMail: 'anna@example.com' });
    await server.admin.create('User', { name: 'blocked', eMail: 'blocked@example.com', blocked: true });
    await server.admin.create('User', { name: 'pending', eMail: 'pending@example.com', confirmationKey: 'key' });
    await server.admin.create('User', { name: 'kate', eMail: 'kate@example.com' });
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    github.closeAllConnections();
    github.close();
    await Promise.all([server.stop(), keycloak.stop(), auth0.stop()]);
  });
  beforeEach(() => {
    jar = new Jar();
  });

  const client = (id: string): Record<string, string> => ({
    [`oauth.${id}.client_id`]: CLIENT.id,
    [`oauth.${id}.client_secret`]: CLIENT.secret,
    [`oauth.${id}.return_uri`]: '/svc/rest/me',
  });
  const atCallback = (url: URL): boolean => url.origin === server.url && url.pathname.endsWith('/auth');
  const atOurs = (url: URL): boolean => url.origin === server.url;
  /** The answer of the provider's login page. */
  const answer = (page: Page, form: Record<string, string>, stop?: (url: URL) => boolean): Promise<Page> =>
    jar.open(new URL(/action="([^"]+)"/.exec(page.text)?.[1] ?? '', page.url), form, stop);
  const logIn = async (account: string, path = '/oauth/keycloak/login', stop?: (url: URL) => boolean): Promise<Page> =>
    answer(await jar.open(`${server.url}${path}`), { account, in: '' }, stop);
  /** The state of a login that has just begun. */
  const begin = async (path = '/oauth/keycloak/login'): Promise<URLSearchParams> =>
    (await jar.open(`${server.url}${path}`, undefined, () => true)).url.searchParams;
  const me = async (): Promise<Page> => jar.open(`${server.url}/svc/rest/me`);
  const expectRefused = async (url: URL | string, reason: RegExp): Promise<void> => {
    const before = server.lines.length;
    const page = await jar.open(url, undefined, atOurs);
    expect([page.status, page.url.href]).toEqual([302, `${server.url}/error`]);
    expect(jar.names(server.url)).not.toContain('JSESSIONID');
    const end = Date.now() + 20_000;
    while (!server.lines.slice(before).some((line) => reason.test(line)) && Date.now() < end) await sleep(5);
    expect(server.lines.slice(before).join('\n')).toMatch(reason);
  };

  it.each(['keycloak', 'auth0'])('lead to a session of the user with the verified address (%s)', async (id) => {
    const callback = await logIn('anna', `/oauth/${id}/login`, atCallback);
    const page = await jar.open(callback.url);
    expect([page.status, page.url.href]).toEqual([200, `${server.url}/svc/rest/me`]);
    expect(JSON.parse(page.text)).toMatchObject({ result: { id: anna, name: 'anna' } });
    expect(jar.lines.find((line) => line.startsWith('JSESSIONID='))).toMatch(/; HttpOnly; SameSite=Lax$/);
    expect((await server.admin.get(`/User/${anna}/ui`)).body.result.lastLoginDate).not.toBeNull();
    // Nothing that could be used again.
    const log = server.lines.join('\n');
    for (const secret of [CLIENT.secret, ...['code', 'state'].map((key) => callback.url.searchParams.get(key) ?? '?')])
      expect(log).not.toContain(secret);
    expect(log).toMatch(/user [0-9a-f]{32} is logged in/);
  });

  it('ask with a code challenge, a nonce and a state that only the browser’s cookie completes', async () => {
    const query = await begin();
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT.id,
      redirect_uri: `${server.url}/oauth/keycloak/auth`,
      scope: 'openid profile email',
      code_challenge_method: 'S256',
    });
    for (const key of ['state', 'nonce', 'code_challenge']) expect(query.get(key)).toMatch(/^[\w-]{43}$/);
    expect(jar.lines[0]).toMatch(/^svc_oauth=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
    const stored = (await server.admin.get('/OAuthLogin/all')).text;
    expect(stored).toContain('stateHash');
    expect(stored).not.toContain(query.get('state'));
    expect(stored).not.toContain(jar.lines[0]?.slice(10, 53));
  });

  it('give the parameters of the login back, at the place of the setting and nowhere else', async () => {
    const evil = 'https://evil.example/';
    const names = ['return_uri', 'redirect_uri', 'error_uri', 'target', 'state', 'access_token', 'createTokens'];
    const query = new URLSearchParams({ ...Object.fromEntries(names.map((name) => [name, evil])), page: 'a b' });
    const callback = await logIn('anna', `/oauth/keycloak/login?${query.toString()}`, atCallback);
    const page = await jar.open(callback.url, undefined, () => true);
    expect(page.url.origin + page.url.pathname).toBe(`${server.url}/svc/rest/me`);
    const returned = ['return_uri', 'redirect_uri', 'error_uri', 'target', 'state'].map((name) => [name, evil]);
    expect([...page.url.searchParams]).toEqual([...returned, ['page', 'a b']]);
    const admin = await logIn('anna', '/oauth/keycloak/login?isBackendOAuthLogin=&a=b', atCallback);
    expect((await jar.open(admin.url, undefined, () => true)).url.href).toBe(`${server.url}/svc/`);
  });

  it('work in two tabs at once', async () => {
    const [one, two] = [
      await jar.open(`${server.url}/oauth/keycloak/login`),
      await jar.open(`${server.url}/oauth/auth0/login`),
    ];
    for (const page of [two, one])
      expect((await answer(page, { account: 'anna', in: '' })).url.pathname).toBe('/svc/rest/me');
  });

  describe('are refused', () => {
    const callbackWith = (query: Record<string, string>, id = 'keycloak'): string =>
      `${server.url}/oauth/${id}/auth?${new URLSearchParams(query).toString()}`;

    it('without a state, or with one that was never given out', async () => {
      await begin();
      await expectRefused(callbackWith({ code: 'x' }), /unknown/);
      await expectRefused(callbackWith({ code: 'x', state: 'A'.repeat(43) }), /unknown/);
      await expectRefused(callbackWith({ code: 'x', state: "' OR 1=1" }), /unknown/);
    });

    it('with a state that was used', async () => {
      const { url } = await logIn('anna', undefined, atCallback);
      expect((await jar.open(url)).status).toBe(200);
      const again = new Jar();
      expect((await again.open(url, undefined, atOurs)).url.pathname).toBe('/error');
      expect(again.names(server.url)).toEqual([]);
    });

    it('with the state of another browser, whose login ends with that', async () => {
      const { url } = await logIn('anna', undefined, atCallback);
      const own = jar;
      for (const begun of [false, true]) {
        jar = new Jar();
        if (begun) await begin();
        await expectRefused(url, begun ? /unknown or was used/ : /another browser/);
      }
      jar = own;
      await expectRefused(url, /unknown or was used/);
    });

    it('with a state of another provider', async () => {
      const state = (await begin('/oauth/auth0/login')).get('state') ?? '';
      await expectRefused(callbackWith({ code: 'x', state }), /another provider/);
    });

    it('after ten minutes', async () => {
      await server.admin.delete('/OAuthLogin');
      const { url } = await logIn('anna', undefined, atCallback);
      const [begun] = (await server.admin.get('/OAuthLogin')).body.result;
      const in10Minutes = new Date((await server.admin.get(`/OAuthLogin/${begun.id}/all`)).body.result.expiresAt);
      expect(Math.abs(in10Minutes.getTime() - Date.now() - 600_000)).toBeLessThan(20_000);
      await server.admin.put(`/OAuthLogin/${begun.id}`, { expiresAt: '2020-01-01T00:00:00+0000' });
      await expectRefused(url, /expired/);
    });

    it.each([
      ['an address that is not verified', 'mallory', /does not call the address verified/],
      ['no address', 'silent', /no address/],
      ['an address nobody has here', 'stranger', /autocreate/],
      ['the address of a blocked user', 'blocked', /blocked/],
      ['the address of a registration that is not confirmed', 'pending', /not confirmed/],
      ['an address that resembles one', 'kelvin', /autocreate/],
    ])('with %s', async (_, account, reason) => {
      await expectRefused((await logIn(account, undefined, atCallback)).url, reason);
    });

    it('when the user says no at the provider', async () => {
      const page = await jar.open(`${server.url}/oauth/keycloak/login`);
      const { url } = await answer(page, { deny: '' }, atCallback);
      expect(url.searchParams.get('error')).toBe('access_denied');
      await expectRefused(url, /access_denied/);
    });

    it('with an ID token that was made for another nonce', async () => {
      const { url } = await jar.open(`${server.url}/oauth/keycloak/login`, undefined, () => true);
      url.searchParams.set('nonce', 'n'.repeat(43));
      const callback = await answer(await jar.open(url), { account: 'anna', in: '' }, atCallback);
      await expectRefused(callback.url, /nonce/);
    });

    it('with a code that was meant for another browser, which has another verifier', async () => {
      const stolen = (await logIn('anna', undefined, atCallback)).url;
      jar = new Jar();
      stolen.searchParams.set('state', (await begin()).get('state') ?? '');
      await expectRefused(stolen, /invalid_grant/);
    });

    it('with an answer that another issuer claims to have given', async () => {
      const { url } = await logIn('anna', undefined, atCallback);
      url.searchParams.set('iss', 'https://evil.example');
      await expectRefused(url, /iss/);
    });
  });

  describe('at a provider without ID tokens', () => {
    const callback = async (code: string): Promise<string> =>
      `${server.url}/oauth/github/auth?code=${code}&state=${(await begin('/oauth/github/login')).get('state') ?? ''}`;

    it('take the address that is primary and verified', async () => {
      const page = await jar.open(await callback('good'));
      expect([page.status, page.url.pathname]).toEqual([200, '/svc/rest/me']);
    });

    it.each([
      ['lists no address that is both', 'unverified', /primary and verified/],
      ['does not answer', 'slow', /github: login refused/],
      ['stops in the middle of an answer', 'stuck', /github: login refused/],
      ['never stops answering', 'huge', /github: login refused/],
      ['sends the server elsewhere', 'elsewhere', /github: login refused/],
    ])('end soon when it %s', async (_, code, reason) => {
      const url = await callback(code);
      const begun = Date.now();
      await expectRefused(url, reason);
      expect(Date.now() - begun).toBeLessThan(10_000);
    });
  });

  it('are off for providers that are unknown, not enabled or without a client', async () => {
    for (const id of ['nobody', 'linkedin', 'google', 'constructor', '__proto__']) {
      const page = await jar.open(`${server.url}/oauth/${id}/login`);
      expect([page.status, JSON.parse(page.text).code]).toEqual([501, 501]);
    }
    expect((await jar.open(`${server.url}/oauth/keycloak/login/more`)).status).toBe(404);
    expect((await jar.open(`${server.url}/oauth/keycloak/login`, {})).status).toBe(405);
  });

  it('end where the settings say: logout, unknown actions', async () => {
    expect((await jar.open(`${server.url}/oauth/keycloak/logout`, undefined, atOurs)).url.href).toBe(
      `${server.url}/logout`,
    );
    await expectRefused(`${server.url}/oauth/keycloak/somewhere`, /no such action/);
  });

  it('know their URLs by the header Host, which must be one', async () => {
    const at = (host: string, path = '/oauth/azure/login'): Promise<{ status: number; location: string }> =>
      new Promise((resolve, reject) => {
        request(`${server.url}${path}`, { headers: { Host: host } }, (res) => {
          res.resume();
          resolve({ status: res.statusCode ?? 0, location: res.headers.location ?? '' });
        })
          .on('error', reject)
          .end();
      });
    const { location } = await at('shop.example.org:80');
    expect(location).toMatch(/^https:\/\/login\.microsoftonline\.com\/8eaef023[^/]+\/oauth2\/v2\.0\/authorize\?/);
    expect(new URL(location).searchParams.get('redirect_uri')).toBe('http://shop.example.org/oauth/azure/auth');
    expect((await at('[::1]:8082', '/oauth/azure/logout')).location).toBe('http://[::1]:8082/logout');
    for (const host of ['a@evil.example', 'evil.example/x?', 'a b', 'a:99999', 'a\\b', '[::1', 'x:1:2'])
      expect([host, (await at(host)).status]).toEqual([host, 400]);
  });

  it.skipIf(browserPath === undefined)('work in a browser', { timeout: 30_000 }, async () => {
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const browser = await chromium.launch({
      ...(browserPath === undefined ? {} : { executablePath: browserPath }),
      args,
    });
    try {
      const page = await browser.newPage();
      await page.goto(`${server.url}/oauth/keycloak/login?seen=1`);
      await page.fill('input[name=account]', 'anna');
      await page.click('button[name=in]');
      await page.waitForURL(`${server.url}/svc/rest/me?seen=1`);
      expect(await page.textContent('body')).toContain('anna');
      const own = await page.evaluate('fetch("/svc/rest/me").then((answer) => answer.json())');
      expect(own).toMatchObject({ result: { id: anna } });
      expect(await page.evaluate('document.cookie')).not.toContain('JSESSIONID');
      // A callback that an attacker has begun for himself logs nobody in.
      const foreign = (await logIn('anna', undefined, atCallback)).url;
      const victim = await (await browser.newContext()).newPage();
      await victim.goto(foreign.href);
      expect(victim.url()).toBe(`${server.url}/error`);
      expect((await victim.context().cookies()).map(({ name }) => name)).not.toContain('JSESSIONID');
    } finally {
      await browser.close();
    }
  });

  it('create users where that is allowed', async () => {
    const conf = join(server.folder, 'svc.conf');
    await writeFile(conf, `${await readFile(conf, 'utf8')}jsonrestservlet.user.autocreate = true\n`);
    server.child.kill('SIGHUP');
    await server.untilLogged(/read .*svc\.conf again/);
    expect((await logIn('stranger')).url.pathname).toBe('/svc/rest/me');
    const first = JSON.parse((await me()).text).result;
    expect(first).toMatchObject({ type: 'User' });
    expect((await server.admin.get(`/User/${first.id}/ui`)).body.result).toMatchObject({
      eMail: 'stranger@example.com',
      name: null,
      isAdmin: false,
    });
    jar = new Jar();
    await logIn('stranger');
    expect(JSON.parse((await me()).text).result.id).toBe(first.id);
  });

  it('outlast a restart between login and callback, as they outlast another instance', async () => {
    const { url } = await logIn('anna', undefined, atCallback);
    server = await server.restart({ settings });
    url.port = String(server.port);
    expect((await jar.open(url)).url.pathname).toBe('/svc/rest/me');
  });
});

/** What GitHub answers, by the code it gets. */
async function startGithub(): Promise<Server> {
  const github = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const json = { 'Content-Type': 'application/json' };
      const code = new URLSearchParams(Buffer.concat(chunks).toString()).get('code') ?? '';
      if (req.url === '/user/emails') {
        const verified = req.headers.authorization === 'Bearer good';
        res.writeHead(200, json).end(
          JSON.stringify([
            { email: 'blocked@example.com', primary: false, verified: true },
            { email: 'anna@example.com', primary: true, verified },
          ]),
        );
      } else if (code === 'elsewhere') res.writeHead(307, { Location: '/token' }).end();
      else if (code === 'stuck') res.writeHead(200, json).write('{"access_token": ');
      else if (code === 'huge') {
        res.writeHead(200, json);
        const more = (): void => {
          while (!res.destroyed && res.write(' '.repeat(65_536)));
        };
        res.on('drain', more);
        more();
      } else if (code !== 'slow')
        res.writeHead(200, json).end(JSON.stringify({ access_token: code, token_type: 'bearer', scope: 'user:email' }));
    });
  });
  await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
  return github;
}
