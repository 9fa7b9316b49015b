/** Calls through a proxy (docs/interface/script-runtime.md 5.3), and selectors of HTML answers (11.1). */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newCertificate } from '../support/certificates.js';
import { TestServer } from '../support/server.js';
import { Calls } from './calls.js';
import { TargetServer } from './target-server.js';

/** A proxy that remembers what it was asked for. */
class ProxyServer {
  readonly asked: string[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  status = 200;
  silent = false;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('request', (req: IncomingMessage, res: ServerResponse) => this.forward(req, res));
    server.on('connect', (req: IncomingMessage, socket: Socket) => this.tunnel(req, socket));
    server.on('connection', (socket: Socket) => this.sockets.add(socket));
  }
  static async start(): Promise<ProxyServer> {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return new ProxyServer(server);
  }
  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private forward(req: IncomingMessage, res: ServerResponse): void {
    this.asked.push(`${req.method ?? ''} ${req.url ?? ''}`);
    this.headers.push(req.headers);
    const { 'proxy-authorization': _, ...headers } = req.headers;
    const sent = request(req.url ?? '', { method: req.method ?? 'GET', headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    sent.on('error', () => res.writeHead(502).end());
    req.pipe(sent);
  }
  private tunnel(req: IncomingMessage, socket: Socket): void {
    this.asked.push(`CONNECT ${req.url ?? ''}`);
    this.headers.push(req.headers);
    socket.on('error', () => undefined);
    if (this.silent) return;
    if (this.status !== 200) {
      socket.end(`HTTP/1.1 ${String(this.status)} No\r\n\r\n`);
      return;
    }
    const [host = '', port = ''] = (req.url ?? '').split(':');
    const far = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      far.pipe(socket).pipe(far);
    });
    far.on('error', () => socket.destroy());
    socket.on('close', () => far.destroy());
  }
}

let server: TestServer;
let calls: Calls;
let target: TargetServer;
let secure: TargetServer;
let proxy: ProxyServer;
beforeAll(async () => {
  proxy = await ProxyServer.start();
  target = await TargetServer.start();
  secure = await TargetServer.start(newCertificate('localhost'));
  server = await TestServer.start({
    settings: { 'application.proxy.http.url': `127.0.0.1:${String(proxy.port)}` },
  });
  calls = await Calls.on(server, {
    exBody: "GET(retrieve('url')).body",
    exSelect: "GET(retrieve('url'), 'text/html', 'h1').body",
    exList: "GET(retrieve('url'), 'text/html', '.item')",
  });
  const page =
    '<!DOCTYPE html><body><h1 id="a">One &amp; only<p class="item">x<p class="item">ÿ</h1><script>evil()</script>';
  target.routes.set('/page', (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page);
  });
});
afterAll(async () => {
  await server.stop();
  proxy.stop();
  await target.stop();
  await secure.stop();
});
beforeEach(() => {
  proxy.asked.length = 0;
  proxy.headers.length = 0;
  proxy.status = 200;
});

const withSettings = async (settings: Record<string, string | number>, work: () => Promise<void>): Promise<void> => {
  await server.reload(settings);
  try {
    await work();
  } finally {
    await server.reload(Object.fromEntries(Object.keys(settings).map((name) => [name, ''])));
  }
};
const host = (one: TargetServer): string => `localhost:${String(one.port)}`;

describe('calls through a proxy', () => {
  it('in plain text name the whole URL, and bring bodies and answers', async () => {
    expect(await calls.ex('exBody', { url: target.url('/') })).toBe('hällo');
    expect(proxy.asked).toEqual([`GET ${target.url('/')}`]);
    const echoed = await calls.echoed(['POST', target.url('/echo?a=b#c'), 'sent']);
    expect(echoed).toMatchObject({ method: 'POST', body: 'sent', headers: { host: host(target) } });
    expect(proxy.asked[1]).toBe(`POST ${target.url('/echo?a=b')}`);
  });

  it('by https go through a tunnel that the proxy sees nothing of', async () => {
    const answer = await calls.js(['validateCertificates', false], ['GET', secure.url('/')]);
    expect(answer).toMatchObject({ status: 200, body: 'hällo' });
    expect(proxy.asked).toEqual([`CONNECT ${host(secure)}`]);
    // Who the other side is counts all the same.
    expect(await calls.refused(['GET', secure.url('/')])).toMatch(/certificate/);
  });

  it('tell the proxy who they are, and nobody else', async () => {
    await withSettings(
      { 'application.proxy.http.username': 'ann', 'application.proxy.http.password': 's:e' },
      async () => {
        const echoed = await calls.echoed(['GET', target.url('/echo')]);
        const basic = `Basic ${Buffer.from('ann:s:e').toString('base64')}`;
        expect(proxy.headers[0]?.['proxy-authorization']).toBe(basic);
        expect(echoed.headers['proxy-authorization']).toBeUndefined();
        await calls.js(['validateCertificates', false], ['GET', secure.url('/')]);
        expect(proxy.headers[1]?.['proxy-authorization']).toBe(basic);
        expect(secure.last.headers['proxy-authorization']).toBeUndefined();
      },
    );
  });

  it('obey the lists of targets, and lead to the address that was checked', async () => {
    await withSettings({ 'application.httphelper.blockedaddresses': 'private' }, async () => {
      for (const url of [target.url('/'), target.url('/', '127.0.0.1'), secure.url('/')]) {
        expect(await calls.refused(['GET', url])).toMatch(/not permitted/);
      }
      expect(proxy.asked).toEqual([]);
    });
    await withSettings({ 'application.httphelper.blockedaddresses': '10.0.0.0/8, ::1' }, async () => {
      const echoed = await calls.echoed(['GET', target.url('/echo')]);
      expect(echoed.headers['host']).toBe(host(target));
      await calls.js(['validateCertificates', false], ['GET', secure.url('/')]);
      expect(proxy.asked).toEqual([
        `CONNECT 127.0.0.1:${String(target.port)}`,
        `CONNECT 127.0.0.1:${String(secure.port)}`,
      ]);
      // Redirects are calls like others.
      target.routes.set('/inside', (_, response) => response.writeHead(302, { Location: 'http://10.1.2.3/' }).end());
      expect(await calls.refused(['GET', target.url('/inside')])).toMatch(/10\.1\.2\.3 are not permitted/);
    });
    await withSettings({ 'application.httphelper.urlwhitelist': 'https://other/.*' }, async () => {
      expect(await calls.refused(['GET', target.url('/')])).toMatch(/urlwhitelist/);
    });
    await server.reload({ 'application.httphelper.urlwhitelist': '*' });
  });

  it('end with what the proxy says, and in time', async () => {
    proxy.status = 407;
    expect(await calls.refused(['GET', secure.url('/')])).toMatch(/the proxy answers with status 407/);
    proxy.status = 200;
    proxy.silent = true;
    const begun = performance.now();
    expect(await calls.refused(['GET', secure.url('/'), 'text/plain', { timeout: 1 }])).toMatch(
      /no connection within 1 s/,
    );
    expect(performance.now() - begun).toBeLessThan(10_000);
    proxy.silent = false;
    await server.reload({ 'application.proxy.http.port': 1 });
    expect(await calls.refused(['GET', target.url('/')])).toMatch(/refused/);
    await server.reload({ 'application.proxy.http.port': 0 });
  });
});

describe('selectors of GET', () => {
  it('find one element, several, or none', async () => {
    expect(await calls.ex('exSelect', { url: target.url('/page') })).toMatch(
      /^<h1 id="a">One &amp; only<p class="item">x<\/p>/,
    );
    expect(await calls.ex('exList', { url: target.url('/page') })).toEqual([
      '<p class="item">x</p>',
      '<p class="item">ÿ</p>',
    ]);
    const one = await calls.js(['GET', target.url('/page'), 'text/html; charset=utf-8', 'p:first-of-type']);
    expect(one).toMatchObject({ status: 200, success: true, body: '<p class="item">x</p>' });
    expect(await calls.js(['GET', target.url('/page'), 'text/html', 'video'])).toMatchObject({ status: 200, body: '' });
    expect((await calls.js(['GET', target.url('/page'), 'text/html'])).body).toMatch(/^<!DOCTYPE html><body>/);
  });

  it('are refused when they are none, or the answer is no HTML', async () => {
    expect(await calls.refused(['GET', target.url('/page'), 'text/html', '[[['])).toMatch(
      /selector of GET\(\) cannot be used/,
    );
    expect(await calls.js(['GET', target.url('/page'), 'text/plain', 'h1'])).toMatch(/^Usage: GET/);
  });
});
