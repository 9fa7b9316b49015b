import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, type Answer } from '../support/client.js';
import { file, uploaded } from '../support/files.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { SECRET } from '../support/tokens.js';

const ADMIN = { name: 'admin', password: 'admin' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const REFUSED = { code: 401, message: expect.stringContaining('documented initial password') as string };
const BASIC = `Basic ${Buffer.from('admin:admin').toString('base64')}`;
/** An address of this machine at which others reach it. */
const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one !== undefined && !one.internal && one.family === 'IPv4')?.address;

/** The documented initial password counts on the machine of the server alone, whichever door it comes to. */
describe('the documented initial password', () => {
  let server: TestServer;
  let page: string;
  /** Through a trusted proxy, from an address of the network. */
  const far = (path: string, method = 'GET', body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    server.as().send(method, path, body, { 'X-Forwarded-For': '203.0.113.7', ...headers });

  beforeAll(async () => {
    server = await TestServer.start({
      settings: {
        'application.host': '0.0.0.0',
        'httpservice.trustedproxies': '127.0.0.1',
        'httpservice.httpbasicauth.enabled': true,
        'security.jwt.secret': SECRET,
      },
    });
    await allow(server.admin, '_login', 'anonymous', ['POST']);
    await allow(server.admin, '_token', 'anonymous', ['POST']);
    page = await uploaded(server.admin, file('a.txt', 'text'));
    await server.admin.put(`/File/${page}`, { enableBasicAuth: true, basicAuthRealm: 'here' });
  });
  afterAll(() => server.stop());

  const doors: [string, (ask: typeof far) => Promise<Answer>, number][] = [
    ['headers', (ask) => ask('/User', 'GET', undefined, { 'X-User': 'admin', 'X-Password': 'admin' }), 200],
    ['/login', (ask) => ask('/login', 'POST', ADMIN), 200],
    ['/token', (ask) => ask('/token', 'POST', ADMIN), 201],
  ];
  it.each(doors)('is refused from elsewhere: %s', async (_, through) => {
    const answer = await through(far);
    expect([answer.status, answer.body, answer.headers['reason']]).toEqual([
      401,
      expect.objectContaining(REFUSED),
      'documentedPassword',
    ]);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it.each([
    [{ Host: 'evil.example' }, 401],
    [{ Host: 'localhost:8082' }, 200],
    [{ Host: '[::1]:8082' }, 200],
    [{ 'X-Real-IP': '203.0.113.7' }, 401],
    [{ Via: '1.1 proxy' }, 401],
  ])('on this machine by headers %j: %i', async (headers, status) => {
    const { port } = server;
    const answered = await new Promise<number | undefined>((resolve, reject) => {
      const all = { 'X-User': 'admin', 'X-Password': 'admin', ...headers };
      request({ host: '127.0.0.1', port, path: '/svc/rest/User', headers: all }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .once('error', reject)
        .end();
    });
    expect(answered).toBe(status);
  });

  it.each([
    ['/svc/login', 'JSESSIONID'],
    ['/svc/token', 'access_token'],
  ])('is refused from elsewhere: the form %s', async (path) => {
    const answer = await far(path, 'POST', new URLSearchParams(ADMIN).toString(), FORM);
    expect([answer.status, answer.headers['location'], answer.headers['reason']]).toEqual([
      302,
      '/?status=401',
      'documentedPassword',
    ]);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('is refused from elsewhere: Basic', async () => {
    const ask = (headers: Record<string, string>): Promise<number> =>
      fetch(`${server.url}/${page}`, { headers: { Authorization: BASIC, ...headers } }).then(({ status }) => status);
    expect([await ask({ 'X-Forwarded-For': '203.0.113.7' }), await ask({})]).toEqual([401, 200]);
  });

  it('is refused from elsewhere: login() of scripts', async () => {
    const source = "{ return $.login($.findPrivileged('User', 'name', 'admin')[0], 'admin') }";
    await server.admin.create('SchemaMethod', { name: 'enter', source });
    await allow(server.admin, 'enter', 'anonymous', ['POST']);
    const [refused, granted] = [await far('/enter', 'POST', {}), await server.as().post('/enter', {})];
    expect([refused.body.result, refused.headers['set-cookie'], granted.body.result]).toEqual([false, undefined, true]);
  });

  it('is refused at an address of the network, also right after it was right here', async () => {
    if (outside === undefined) {
      console.warn('skipped: this machine has no address but loopback');
      return;
    }
    const there = new Client(`http://${outside}:${String(server.port)}`, 'admin', 'admin');
    for (let i = 0; i < 2; i++) {
      expect((await server.admin.get('/User')).status).toBe(200);
      expect((await there.get('/User')).body).toMatchObject(REFUSED);
    }
    // One that is wrong is refused as anywhere.
    const wrong = await new Client(there.url, 'admin', 'wrong').get('/User');
    expect(wrong.body.message).toMatch(/^Wrong user name or password/);
  });

  it('is told of in the log, with what to do, and without more', async () => {
    await far('/login', 'POST', ADMIN);
    const [line = ''] = await server.untilLogged(/refused a login of 'admin' from 203\.0\.113\.7/);
    expect(line).toContain('svc user passwd admin');
    expect(line).toContain('initialuser.password');
  });

  it('is no way in through a proxy that is not trusted, which hides where its clients are', async () => {
    await server.reload({ 'httpservice.trustedproxies': '' });
    for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via']) {
      const answer = await new Client(server.url, 'admin', 'admin', { [name]: 'for=127.0.0.1' }).get('/User');
      expect([name, answer.status, answer.body]).toEqual([name, 401, expect.objectContaining(REFUSED)]);
    }
    expect(await server.untilLogged(/from a proxy on this machine/)).not.toHaveLength(0);
    await server.reload({ 'httpservice.trustedproxies': '127.0.0.1' });
  });

  it('concerns administrators alone', async () => {
    await allow(server.admin, 'User', 'user', ['GET']);
    await server.admin.create('User', { name: 'otto', password: 'admin' });
    const otto = await far('/me', 'GET', undefined, { 'X-User': 'otto', 'X-Password': 'admin' });
    expect(otto.status).toBe(200);
  });

  it('is enough everywhere where the setting says so, and no longer', async () => {
    const headers = { 'X-User': 'admin', 'X-Password': 'admin' };
    await server.reload({ 'initialuser.documentedpassword.anywhere': true });
    expect((await far('/User', 'GET', undefined, headers)).status).toBe(200);
    await server.reload({ 'initialuser.documentedpassword.anywhere': false });
    expect((await far('/User', 'GET', undefined, headers)).status).toBe(401);
  });

  it('is said in words at the start, and once it is another one that is enough from everywhere', async () => {
    expect(server.logged(/the word admin/)).toHaveLength(1);
    const [{ id }] = (await server.admin.get('/User?name=admin')).body.result as [{ id: string }];
    expect((await server.admin.put(`/User/${id}`, { password: 'another-one' })).status).toBe(200);
    const answer = await far('/login', 'POST', { name: 'admin', password: 'another-one' });
    expect(answer.status).toBe(200);
  });
});

it('an initial password of one’s own counts from everywhere at once', async () => {
  const server = await TestServer.start({
    settings: { 'httpservice.trustedproxies': '127.0.0.1', 'initialuser.password': 'a-password-of-mine' },
  });
  try {
    expect(server.logged(/the word admin/)).toEqual([]);
    const answer = await new Client(server.url, 'admin', 'a-password-of-mine', {
      'X-Forwarded-For': '203.0.113.7',
    }).get('/User');
    expect(answer.status).toBe(200);
  } finally {
    await server.stop();
  }
});
