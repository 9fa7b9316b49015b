import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, cookieOf, type Answer } from '../support/client.js';
import { getPage, makePage } from '../support/pages.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { SECRET } from '../support/tokens.js';

const ANNA = { name: 'anna', password: 'annas-password' };
const TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('forms', () => {
  let server: TestServer;
  const submit = (
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Answer> => server.as().post(path, new URLSearchParams(fields).toString(), { ...TYPE, ...headers });
  const idOf = async (name: string): Promise<string> =>
    String((await server.admin.get(`/User?name=${name}`)).body.result[0].id);
  const at = (answer: Answer): unknown[] => [answer.status, answer.headers['location']];
  const status = async (cookie: string): Promise<number> =>
    (await new Client(server.url, undefined, undefined, { Cookie: cookie }).get('/me')).status;

  beforeAll(async () => {
    server = await TestServer.start({ settings: { 'security.jwt.secret': SECRET } });
    await allow(server.admin, 'User', 'user', ['GET']);
    await server.admin.create('User', ANNA);
  });
  afterAll(() => server.stop());

  it('begin and end a session without a permission for an endpoint', async () => {
    const answer = await submit('/svc/login', { ...ANNA, target: 'https://x.example/next?a=1' });
    expect(at(answer)).toEqual([302, '/next?a=1']);
    const session = cookieOf(answer, 'JSESSIONID');
    expect(await status(session)).toBe(200);
    const out = await submit('/svc/logout', { target: '/bye' }, { Cookie: session });
    expect([...at(out), cookieOf(out, 'JSESSIONID')]).toEqual([302, '/bye', 'JSESSIONID=']);
    expect(await status(session)).toBe(401);
    expect(at(await submit('/svc/logout', {}))).toEqual([302, '/']);
  });

  it('issue and renew tokens, as cookies', async () => {
    const answer = await submit('/svc/token', ANNA);
    expect([...at(answer), answer.text]).toEqual([302, '/', '']);
    expect(await status(cookieOf(answer, 'access_token'))).toBe(200);
    const renewed = await submit('/svc/token', {}, { Cookie: cookieOf(answer, 'refresh_token') });
    expect(await status(cookieOf(renewed, 'access_token'))).toBe(200);
    expect(await status(cookieOf(answer, 'access_token'))).toBe(401);
    await submit('/svc/logout', {}, { Cookie: cookieOf(renewed, 'access_token') });
    expect(await status(cookieOf(renewed, 'access_token'))).toBe(401);
  });

  it('lead to the front with the status of what went wrong', async () => {
    for (const path of ['/svc/login', '/svc/token']) {
      const answer = await submit(path, { ...ANNA, password: 'wrong', target: '/next' });
      expect([...at(answer), answer.headers['set-cookie']]).toEqual([302, '/?status=401', undefined]);
      expect(at(await submit(path, {}))).toEqual([302, '/?status=401']);
    }
    for (let i = 0; i < 4; i++) await submit('/svc/login', { ...ANNA, password: 'wrong' });
    const locked = await submit('/svc/login', ANNA);
    expect([...at(locked), locked.headers['reason']]).toEqual([302, '/?status=401', 'loginAttempts']);
    const [{ id }] = (await server.admin.get('/User?name=anna')).body.result as [{ id: string }];
    await server.admin.put(`/User/${id}`, { passwordAttempts: 0 });
  });

  it('lead to the page for the status, where one is shown at this site', async () => {
    await makePage(server.admin, 'log in', [['Template', { content: 'again: ${request.status}' }]], {
      ...{ showOnErrorCodes: '401, 415', visibleToAuthenticatedUsers: false },
    });
    const wrong = await submit('/svc/login', { ...ANNA, password: 'wrong', target: '/next' });
    expect([...at(wrong), wrong.headers['set-cookie']]).toEqual([302, '/log%20in?status=401', undefined]);
    const shown = await getPage(server.as(), String(wrong.headers['location']));
    expect([shown.status, shown.text]).toEqual([200, 'again: 401']);
    expect(at(await submit('/svc/token', {}))).toEqual([302, '/log%20in?status=401']);
    expect(at(await server.as().post('/svc/login', ANNA))).toEqual([302, '/log%20in?status=415']);
    expect(at(await submit('/svc/login', ANNA, { Origin: 'https://evil.example' }))).toEqual([302, '/?status=403']);
    // Who is logged in is not shown it; nor is it shown by a name that is another page's.
    const session = cookieOf(await submit('/svc/login', ANNA), 'JSESSIONID');
    const again = await submit('/svc/login', { ...ANNA, password: 'wrong' }, { Cookie: session });
    expect(at(again)).toEqual([302, '/?status=401']);
    const [{ id }] = (await server.admin.get('/Page?name=log in')).body.result as [{ id: string }];
    await server.admin.put(`/Page/${id}`, { name: 'svc' });
    expect(at(await submit('/svc/login', {}))).toEqual([302, `/${id}?status=401`]);
    await server.admin.create('Site', { name: 'other', hostname: 'other.example', pages: [id] });
    expect(at(await submit('/svc/login', {}))).toEqual([302, '/?status=401']);
    await server.admin.put(`/User/${await idOf('anna')}`, { passwordAttempts: 0 });
  });

  it('lead below the path that a proxy serves all of this at, unless they say themselves where to go on', async () => {
    await server.reload({ 'application.root.path': '/app' });
    expect(at(await submit('/svc/login', ANNA))).toEqual([302, '/app/']);
    expect(at(await submit('/svc/login', { ...ANNA, target: '/next' }))).toEqual([302, '/next']);
    expect(at(await submit('/svc/logout', {}))).toEqual([302, '/app/']);
    expect(at(await submit('/svc/token', {}))).toEqual([302, '/app/?status=401']);
    const page = await makePage(server.admin, 'rooted', [['Template', { content: '${applicationRootPath}' }]], {
      showOnErrorCodes: '401',
    });
    expect(at(await submit('/svc/token', {}))).toEqual([302, '/app/rooted?status=401']);
    expect((await getPage(server.as(), '/rooted')).text).toBe('/app');
    await server.admin.delete(`/Page/${page}`);
    await server.reload({ 'application.root.path': '' });
  });

  it('lead nowhere else than to this server', async () => {
    for (const [target, expected] of [
      ['//evil.example/x', '/x'],
      ['https:evil.example', '/'],
      ['/\\evil.example', '/'],
      ['\t//evil.example/y', '/y'],
      ['javascript:alert(1)', '/'],
      ['/.//evil.example', '/evil.example'],
    ] as const) {
      for (const [path, fields] of [
        ['/svc/login', ANNA],
        ['/svc/logout', {}],
      ] as const) {
        const [status, location] = at(await submit(path, { ...fields, target }));
        expect([target, status, new URL(String(location), 'http://here.example').host]).toEqual([
          target,
          302,
          'here.example',
        ]);
        expect([target, location]).toEqual([target, expected]);
      }
    }
  });

  it('of registration and reset are pages like any other without a key', async () => {
    for (const name of ['confirm_registration', 'reset-password']) {
      await makePage(server.admin, name, [['Template', { content: `page ${name}` }]]);
      expect(await getPage(server.as(), `/${name}?target=//evil.example`)).toMatchObject({
        ...{ status: 200, text: `page ${name}` },
      });
      const followed = await getPage(server.as(), `/${name}?key=x&target=//evil.example/t&onerror=//evil.example/e`);
      expect([followed.status, followed.headers.get('location')]).toEqual([
        302,
        name === 'reset-password' ? '/t' : '/e',
      ]);
    }
  });

  it('are forms: of this site, of limited size, of that type, and sent', async () => {
    for (const headers of [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
    ]) {
      for (const path of ['/svc/login', '/svc/token', '/svc/logout']) {
        const answer = await submit(path, ANNA, headers);
        expect([...at(answer), answer.headers['set-cookie']]).toEqual([302, '/?status=403', undefined]);
      }
    }
    expect(at(await submit('/svc/login', ANNA, { Origin: server.url }))).toEqual([302, '/']);
    expect(at(await submit('/svc/login', { ...ANNA, more: 'x'.repeat(70_000) }))).toEqual([302, '/?status=413']);
    expect(at(await server.as().post('/svc/login', ANNA))).toEqual([302, '/?status=415']);
    expect(at(await server.as().post('/svc/login', 'x', { 'Content-Type': 'text/plain' }))).toEqual([
      302,
      '/?status=415',
    ]);
    const got = await server.as().get('/svc/login?name=anna&password=annas-password');
    expect([got.status, got.headers['allow']]).toEqual([405, 'POST']);
    expect((await server.as().post('/svc/login/x', ANNA)).status).toBe(404);
  });
});
