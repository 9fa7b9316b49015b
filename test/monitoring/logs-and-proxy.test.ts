/** The log over REST and as a stream, the log of requests, and pages of other servers (docs/interface/monitoring.md 6, 8; operations.md 8). */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, open, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventStream } from '../support/event-stream.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let other: Server;
let page: string;
const seen: { cookie: string; authorization: string }[] = [];
beforeAll(async () => {
  other = createServer((request, response) => {
    seen.push({ cookie: request.headers.cookie ?? '', authorization: request.headers.authorization ?? '' });
    const { url = '' } = request;
    if (url === '/image') response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end('<svg onload="alert(1)"/>');
    else if (url === '/moved') response.writeHead(302, { Location: '/deep/page"x' }).end();
    else if (url === '/large') response.writeHead(200, { 'Content-Type': 'text/html' }).end('x'.repeat(1_200_000));
    else if (url === '/never') request.socket.setTimeout(0);
    else
      response
        .writeHead(200, { 'Content-Type': 'text/html; charset=iso-8859-1', 'Set-Cookie': 'JSESSIONID=planted' })
        .end(
          Buffer.from(
            '<html><HEAD lang="de"><title>Gr\xfc\xdfe</title></HEAD><script>alert(1)</script></html>',
            'latin1',
          ),
        );
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  page = `http://127.0.0.1:${String((other.address() as AddressInfo).port)}`;
  server = await TestServer.start({
    environment: { LOG_FILE: 'logs/own.log' },
    settings: { 'proxyservlet.maxsize': 1 },
  });
  await server.admin.create('User', { name: 'kim', password: 'kims-password' });
});
afterAll(async () => {
  await server.stop();
  other.closeAllConnections();
  await new Promise((resolve) => other.close(resolve));
});

const kim = (): ReturnType<TestServer['as']> => server.as('kim', 'kims-password');

describe('/svc/rest/_serverLog', () => {
  it('shows administrators the last lines', async () => {
    const { status, body } = await server.admin.get('/_serverLog?lines=2&truncateLinesAfter=30');
    expect(status).toBe(200);
    expect(body.result.file).toBe(join(server.folder, 'logs', 'own.log'));
    expect(body.result.lines).toHaveLength(2);
    for (const line of body.result.lines) expect(line.length).toBeLessThanOrEqual(35);
    expect((await server.admin.get('/_serverLog?logFile=/etc/passwd')).status).toBe(404);
    expect((await server.admin.get('/_serverLog?lines=x')).status).toBe(400);
    expect((await server.admin.get('/_serverLog?other=1')).status).toBe(400);
  });

  it('is a stream for who asks for one', async () => {
    const stream = await EventStream.open(`${server.url}/svc/rest/_serverLog`, server.admin.credentials);
    await server.as().get('/Project?secret=in-the-query');
    const [[name, line] = []] = await stream.events(1);
    expect(name).toBe('log');
    expect(line).toContain('no resource access permission found');
    expect(line).not.toContain('in-the-query');
    stream.close();
  });

  it('is for administrators alone, whatever is permitted', async () => {
    expect((await kim().get('/_serverLog')).status).toBe(401);
    await allow(server.admin, '_serverLog', 'user', ['GET']);
    expect((await kim().get('/_serverLog')).status).toBe(403);
    expect((await kim().get('/_serverLog', { Accept: 'text/event-stream' })).status).toBe(403);
  });
});

describe('settings of logs', () => {
  it('hold at once: levels, JSON, the log of requests', async () => {
    const requests = join(server.folder, 'logs', 'request.log');
    await server.reload({ 'log.requests': true, 'log.format': 'json', 'log.level': 'DEBUG' });
    await server.untilLogged(/^\{.*requests are logged in/);
    await server.admin.get('/User?name=a-secret-value');
    await server.as().get('/no"page');
    await expect.poll(() => readFile(requests, 'utf8')).toMatch(/no%22page/);
    const text = await readFile(requests, 'utf8');
    expect(text).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z \[\d\d\/\w{3}\/\d{4}:[\d:]+ [+-]\d{4}\] "GET \/svc\/rest\/User\?\.\.\. HTTP\/1\.1" 200 \d+$/m,
    );
    expect(text).not.toContain('a-secret-value');
    await server.admin.create('Group', { name: 'g' });
    const [line = ''] = await server.untilLogged(/"level":"DEBUG".*commit \d+ by admin/);
    expect(JSON.parse(line)).toMatchObject({ level: 'DEBUG', logger: 'org.svc.graph.caches' });
    await server.reload({ 'log.requests': false, 'log.format': 'text', 'log.level': 'INFO' });
    await server.admin.get('/User?after=1');
    await server.untilLogged(/^\d{4}-.*read .* again/);
    expect(await readFile(requests, 'utf8')).not.toContain('after');
  });
});

it('a full disk of all logs does not keep the service from answering', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
  await mkdir(join(folder, 'logs'));
  await symlink('/dev/full', join(folder, 'logs', 'request.log'));
  const settings =
    'superuser.password = x\napplication.host = 127.0.0.1\napplication.http.port = 0\nlog.requests = true\n';
  await writeFile(join(folder, 'svc.conf'), settings, { mode: 0o600 });
  const full = await open('/dev/full', 'w');
  const child = spawn(process.execPath, ['--no-node-snapshot', 'bin/serve.js', '--conf', join(folder, 'svc.conf')], {
    env: { ...process.env, SVC_TEST_DRIVER: undefined, LOG_FILE: join(folder, 'own.log') },
    stdio: ['ignore', full.fd, full.fd],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    const log = (): Promise<string> => readFile(join(folder, 'own.log'), 'utf8').catch(() => '');
    await expect.poll(log).toMatch(/listening on http/);
    const port = /listening on http:\/\/localhost:(\d+)/.exec(await log())?.[1] ?? '';
    for (let i = 0; i < 3; i++) expect((await fetch(`http://127.0.0.1:${port}/svc/rest/User`)).status).toBe(401);
    await expect.poll(log).toMatch(/the log of requests lacks lines: .*ENOSPC/);
    expect((await log()).match(/ENOSPC/g)).toHaveLength(1);
  } finally {
    child.kill();
    expect(await ended).toBe(0);
    await full.close();
    await rm(folder, { recursive: true });
  }
});

describe('/svc/proxy', () => {
  const at = (path: string, more = ''): string => `/svc/proxy?url=${encodeURIComponent(page + path)}${more}`;
  const proxied = (path: string, more = ''): ReturnType<ReturnType<TestServer['as']>['get']> =>
    kim().get(at(path, more));

  it('is off until a setting says who may use it', async () => {
    const answer = await server.admin.get(at('/'));
    expect([answer.status, answer.text]).toEqual([503, '']);
    await server.reload({ 'application.proxy.mode': 'protected' });
    expect((await server.as().get(at('/'))).status).toBe(401);
    expect((await kim().get('/svc/proxy')).status).toBe(400);
    expect((await kim().put(at('/'), {})).status).toBe(405);
    expect((await kim().send('OPTIONS', '/svc/proxy')).headers['allow']).toBe('GET,HEAD,OPTIONS');
  });

  it('reaches public addresses alone, for administrators too', async () => {
    const before = seen.length;
    for (const client of [kim(), server.admin]) {
      const { status, text } = await client.get(at('/'));
      expect([status, text]).toEqual([200, expect.stringContaining('not permitted')]);
    }
    for (const url of ['file:///etc/passwd', 'http://localhost:1/', 'x'])
      expect((await kim().get(`/svc/proxy?url=${url}`)).text, url).not.toContain('root:');
    expect(seen.length).toBe(before);
  });

  it('shows a page with the base of its links, without any right of this origin', async () => {
    await server.reload({ 'application.httphelper.urlwhitelist': `${page}/.*` });
    const { status, text, headers } = await proxied('/');
    expect(status).toBe(200);
    expect(text).toContain(`<HEAD lang="de"><base href="${page}/"><title>Grüße</title>`);
    expect(headers['content-type']).toBe('text/html;charset=utf-8');
    expect(headers['content-security-policy']).toBe('sandbox');
    expect(headers['x-content-type-options']).toContain('nosniff');
    expect(headers['cache-control']).toBe('private, no-store');
    expect(headers['set-cookie']).toBeUndefined();
    expect((await proxied('/moved')).text).toContain(`<base href="${page}/deep/page%22x">`);
  });

  it('sends what it is asked to, and nothing of who asks', async () => {
    await kim().get(at('/'), { Cookie: 'JSESSIONID=mine' });
    expect(seen.at(-1)).toEqual({ cookie: '', authorization: '' });
    await proxied('/', '&cookie=a%3Db&authUsername=u&authPassword=p');
    expect(seen.at(-1)).toEqual({ cookie: 'a=b', authorization: `Basic ${Buffer.from('u:p').toString('base64')}` });
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const posted = await kim().send('POST', '/svc/proxy', `url=${encodeURIComponent(`${page}/`)}&cookie=c`, form);
    expect([posted.status, seen.at(-1)?.cookie]).toEqual([200, 'c']);
    for (const wrong of ['&cookie=a%0D%0Ab', '&proxyUrl=http%3A%2F%2F10.0.0.1', '&other=1'])
      expect((await proxied('/', wrong)).status, wrong).toBe(400);
  });

  it('shows no scripts, images and large pages, and waits for none', async () => {
    expect((await proxied('/large')).text).toContain('larger than 1 MB');
    await server.reload({ 'proxyservlet.timeout': 300 });
    for (const path of ['/image', '/large', '/never']) {
      const { status, text, headers } = await proxied(path);
      expect([status, text.length < 1000, headers['content-security-policy']], path).toEqual([200, true, 'sandbox']);
      expect(text).not.toContain('svg onload');
    }
  });
});
