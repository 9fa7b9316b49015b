/** The page of the Admin UI and what it asks for, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';

describe('/svc/ and /svc/ui', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({
      settings: {
        'application.instance.name': 'shop',
        'oauth.github.client_id': 'ours',
        'oauth.github.client_secret': 'a secret of ours',
      },
    });
  });
  afterAll(() => server.stop());
  const at = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    fetch(`${server.url}${path}`, { method, redirect: 'manual', headers: { Accept: BROWSER, ...headers } });
  const state = async (headers: Record<string, string> = {}): Promise<Record<string, unknown>> =>
    (await (await at('/svc/ui/state', headers)).json()) as Record<string, unknown>;
  const form = (
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Accept: 'application/json', ...headers },
      body: new URLSearchParams(fields),
    });

  it.each(['/svc/', '/svc/index.html'])(
    '%s is a page that runs nothing from elsewhere and nothing inline',
    async (path) => {
      const answer = await at(path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html;charset=utf-8']);
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
      // Sound, film and PDF of files, and pages of this server; nothing is embedded in another way (`object-src` is that of `default-src`).
      expect(policy).toContain("media-src 'self';");
      expect(policy).toContain("frame-src 'self' blob:;");
      expect(policy).not.toContain('object-src');
      expect(policy).toContain("frame-ancestors 'none'");
      const text = await answer.text();
      expect(text).not.toMatch(/<script(?![^>]*\ssrc="\.\/ui\/)|<style|https?:\/\//);
    },
  );

  it('has scripts and styles that browsers keep for good, packed', async () => {
    const [path = ''] = /\.\/ui\/[\w-]+\.js/.exec(await (await at('/svc/')).text()) ?? [];
    const answer = await at(`/svc/${path.slice(2)}`, { 'Accept-Encoding': 'gzip' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('content-encoding')).toBe('gzip');
  });

  it.each(['/svc/ui/nothing.js', '/svc/ui/..%2findex.html', '/svc/ui/..%2f..%2fconfig%2findex.html'])(
    '%s is no file of it',
    async (path) => {
      expect((await at(path)).status).toBe(404);
    },
  );

  it('can only be read', async () => {
    expect((await at('/svc/', {}, 'POST')).status).toBe(405);
    expect((await at('/svc/ui/state', {}, 'DELETE')).status).toBe(405);
  });

  it('tells everybody what a login needs, and nothing else', async () => {
    expect(await state()).toEqual({
      title: 'Svc',
      instance: 'shop',
      stage: '',
      providers: ['github'],
      hasConfiguration: true,
    });
  });

  it('tells who is logged in who they are', async () => {
    const login = await form('/svc/login', { name: 'admin', password: 'admin' });
    expect([login.status, await login.text()]).toEqual([204, '']);
    const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect(await state({ Cookie: cookie })).toMatchObject({
      user: { name: 'admin', isAdmin: true, hasDocumentedPassword: true },
    });
    expect((await form('/svc/logout', {}, { Cookie: cookie })).status).toBe(204);
    expect((await state({ Cookie: cookie }))['user']).toBeUndefined();
  });

  it('forms tell scripts why a login fails', async () => {
    const refused = await form('/svc/login', { name: 'admin', password: 'wrong' });
    expect([refused.status, await refused.json()]).toMatchObject([401, { code: 401 }]);
    expect(refused.headers.get('set-cookie')).toBeNull();
  });

  it('forms send browsers on as before', async () => {
    const answer = await form('/svc/login', { name: 'admin', password: 'wrong' }, { Accept: BROWSER });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/?status=401']);
  });

  it('shows HTML as a page of another origin, without scripts, to who is logged in', async () => {
    const html = '<h1 style="color:red">Hello</h1><script>alert(1)</script>';
    expect((await form('/svc/ui/preview', { html })).status).toBe(401);
    const login = await form('/svc/login', { name: 'admin', password: 'admin' });
    const Cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const answer = await form('/svc/ui/preview', { html }, { Cookie });
    expect([answer.status, await answer.text()]).toEqual([200, html]);
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'; /);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await form('/svc/ui/preview', { html }, { Cookie, 'Sec-Fetch-Site': 'cross-site' })).status).toBe(401);
    expect((await at('/svc/ui/preview', { Cookie })).status).toBe(405);
  });

  it('no page of another site logs anybody in', async () => {
    const answer = await form('/svc/login', { name: 'admin', password: 'admin' }, { 'Sec-Fetch-Site': 'cross-site' });
    expect(answer.status).toBe(403);
  });
});
