import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { setLogSink } from '../../src/shared/log.js';
import { connect, onEachTransport, withServer } from './support.js';

const TEXT = 'some text that repeats. '.repeat(1000);

/** A GET that leaves the body as it was sent. */
function rawGet(
  url: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const req = request(url, { headers, method, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => {
        resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks) });
      });
    });
    req.on('error', reject);
    req.end();
  });
}

onEachTransport((transport) => {
  test('a compressible response is compressed for a client that wants it', async () => {
    await withServer(
      (x) => {
        x.setHeader('Content-Type', 'application/json;charset=utf-8');
        x.end(TEXT);
      },
      async (url) => {
        const packed = await rawGet(url, { 'Accept-Encoding': 'br, gzip;q=0.5' });
        expect(packed.headers['content-encoding']).toBe('gzip');
        expect(packed.headers['vary']).toBe('Accept-Encoding');
        expect(packed.headers['content-length']).toBe(String(packed.body.length));
        expect(gunzipSync(packed.body).toString()).toBe(TEXT);
      },
    );
  });

  test.each(['', 'br', 'gzip;q=0', 'identity'])(
    'a client that sends Accept-Encoding "%s" gets plain text',
    async (accept) => {
      await withServer(
        (x) => {
          x.setHeader('Content-Type', 'text/plain');
          x.setHeader('Vary', 'Origin');
          x.end(TEXT);
        },
        async (url) => {
          const plain = await rawGet(url, { 'Accept-Encoding': accept });
          expect(plain.headers['content-encoding']).toBeUndefined();
          expect(plain.headers['vary']).toBe('Origin, Accept-Encoding');
          expect(plain.body.toString()).toBe(TEXT);
        },
      );
    },
  );

  test.each([
    ['small', 'text/plain', 'x'.repeat(1000), 200],
    ['an image', 'image/png', TEXT, 200],
    ['of no type', '', TEXT, 200],
    ['a part', 'text/plain', TEXT, 206],
    ['an event stream', 'text/event-stream', TEXT, 200],
  ])('a response that is %s is not compressed', async (_what, type, body, status) => {
    await withServer(
      (x) => {
        x.status = status;
        if (type !== '') x.setHeader('Content-Type', type);
        x.end(body);
      },
      async (url) => {
        const response = await rawGet(url, { 'Accept-Encoding': 'gzip' });
        expect(response.headers['content-encoding']).toBeUndefined();
        expect(response.body.toString()).toBe(body);
      },
    );
  });

  test('a stream is compressed', async () => {
    await withServer(
      async (x) => {
        x.setHeader('Content-Type', 'text/html');
        const out = x.startStream();
        for (let i = 0; i < 200; i++) await out.write(TEXT);
        await out.end();
      },
      async (url) => {
        const packed = await rawGet(url, { 'Accept-Encoding': 'gzip' });
        expect(packed.headers['content-encoding']).toBe('gzip');
        expect(gunzipSync(packed.body).toString()).toBe(TEXT.repeat(200));
      },
    );
  });

  test('compression can be switched off', async () => {
    await withServer(
      (x) => {
        x.setHeader('Content-Type', 'text/plain');
        x.end(TEXT);
      },
      async (url) => {
        const plain = await rawGet(url, { 'Accept-Encoding': 'gzip' });
        expect(plain.headers['vary']).toBeUndefined();
        expect(plain.body.toString()).toBe(TEXT);
      },
      { gzip: false },
    );
  });

  test('HEAD gets the headers of GET and no body', async () => {
    await withServer(
      async (x) => {
        x.setHeader('X-A', 'b');
        await sleep(1);
        x.end('hällo');
      },
      async (_url, server) => {
        const c = await connect(server);
        c.send('HEAD / HTTP/1.1\r\nHost: a\r\n\r\n');
        const text = await c.until('\r\n\r\n');
        expect(text).toContain('Content-Length: 6\r\n');
        expect(text).toContain('X-A: b');
        c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
        await c.until('llo');
        expect(c.text().split('HTTP/1.1 200 OK')).toHaveLength(3);
        expect(c.text().split('\r\n\r\n')[0]).not.toContain('llo');
      },
    );
  });

  test('HEAD of a streamed response sends no body', async () => {
    await withServer(
      async (x) => {
        const out = x.startStream();
        await out.write('body');
        await out.end();
      },
      async (_url, server) => {
        const c = await connect(server);
        for (let i = 1; i <= 2; i++) {
          c.send('HEAD / HTTP/1.1\r\nHost: a\r\n\r\n');
          while (c.text().split('\r\n\r\n').length <= i) await sleep(5);
        }
        expect(c.text()).not.toContain('body');
        expect(server.activeRequests).toBe(0);
      },
    );
  });

  test.each([204, 304])('status %i of a HEAD has no length', async (status) => {
    await withServer(
      (x) => {
        x.status = status;
        x.setHeader('Content-Length', '5');
        x.end();
      },
      async (url) => {
        const { headers } = await rawGet(url, {}, 'HEAD');
        expect(headers['content-length']).toBeUndefined();
      },
    );
  });

  test('the address that a request has arrived at', async () => {
    await withServer(
      (x) => {
        void x.localAddress().then((address) => {
          x.end(address);
        });
      },
      async (url) => {
        expect((await rawGet(url, {})).body.toString()).toBe('127.0.0.1');
      },
      { host: '0.0.0.0' },
    );
  });

  test.each([204, 304])('status %i has no body', async (status) => {
    await withServer(
      (x) => {
        x.status = status;
        x.setHeader('ETag', '"1"');
        x.end('must not be sent');
      },
      async (_url, server) => {
        const c = await connect(server);
        for (let i = 1; i <= 2; i++) {
          c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
          while (c.text().split('\r\n\r\n').length <= i) await sleep(5);
        }
        expect(c.text()).not.toContain('must');
        expect(c.text()).not.toContain('Content-Length');
        expect(c.text()).toContain('ETag: "1"');
      },
    );
  });

  test('no header names the server', async () => {
    await withServer(
      (x) => {
        x.end('ok');
      },
      async (_url, server) => {
        const c = await connect(server);
        c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
        const text = await c.until('ok');
        expect(text).not.toMatch(/uWebSockets|server:/i);
        expect(text).toMatch(/\r\nDate: \w{3}, \d\d \w{3} \d{4} /);
      },
    );
  });

  test.each([
    ['X-A', 'a\r\nX-B: c'],
    ['X-A', 'a\nb'],
    ['X-A', 'a\0b'],
    ['X-A\r\nX-B', 'c'],
    ['X A', 'c'],
    ['', 'c'],
    ['Transfer-Encoding', 'chunked'],
    ['connection', 'close'],
  ])('header %j: %j cannot be set', async (name, value) => {
    await withServer(
      (x) => {
        expect(() => {
          x.setHeader(name, value);
        }).toThrow(TypeError);
        x.end('ok');
      },
      async (url) => {
        expect(await (await fetch(url)).text()).toBe('ok');
      },
    );
  });

  test('a header is set once, cookies as often as wanted, defaults give way', async () => {
    await withServer(
      (x) => {
        x.setHeader('X-A', '1');
        x.setHeader('x-a', '2');
        x.setHeader('Set-Cookie', 'a=1');
        x.setHeader('Set-Cookie', 'b=2');
        x.setHeader('X-Default', 'own');
        x.end();
      },
      async (url) => {
        const { headers } = await fetch(url);
        expect(headers.get('x-a')).toBe('2');
        expect(headers.getSetCookie()).toEqual(['a=1', 'b=2']);
        expect(headers.get('x-default')).toBe('own');
        expect(headers.get('x-other')).toBe('kept');
        expect(headers.get('content-length')).toBe('0');
      },
      { responseHeaders: { 'X-Default': 'default', 'X-Other': 'kept' } },
    );
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('oops');
      },
    ],
    ['rejects', () => Promise.reject(new Error('oops'))],
    ['returns without a response', () => Promise.resolve()],
  ])('a handler that %s makes a 500 and a line in the log', async (_how, fail) => {
    let log = '';
    const sink = setLogSink((line) => (log += line));
    try {
      await withServer(
        (x) => (x.path === '/ok' ? x.end('ok') : fail()),
        async (url) => {
          const response = await fetch(url);
          expect(response.status).toBe(500);
          expect(await response.json()).toMatchObject({ code: 500 });
          expect(await (await fetch(`${url}/ok`)).text()).toBe('ok');
        },
      );
    } finally {
      setLogSink(sink);
    }
    expect(log).toMatch(/ERROR org\.svc\.http - GET \/ failed/);
  });

  test('a handler that fails amid a stream breaks the connection', async () => {
    const sink = setLogSink(() => undefined);
    await withServer(
      async (x) => {
        await x.startStream().write('half');
        throw new Error('oops');
      },
      async (url, server) => {
        await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
        expect(server.activeRequests).toBe(0);
      },
    );
    setLogSink(sink);
  });

  test('a response cannot be given twice', async () => {
    await withServer(
      (x) => {
        x.end('one');
        expect(() => {
          x.end('two');
        }).toThrow('has begun');
        expect(() => x.startStream()).toThrow('has begun');
        expect(() => {
          x.setHeader('X-A', 'b');
        }).toThrow('has begun');
        expect(x.responded).toBe(true);
      },
      async (url) => {
        expect(await (await fetch(url)).text()).toBe('one');
      },
    );
  });

  test('an upgrade nobody handles is a plain request', async () => {
    await withServer(
      (x) => {
        x.end('plain');
      },
      async (_url, server) => {
        const c = await connect(server);
        c.send(
          'GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
        );
        expect(await c.until('plain')).toContain('200 OK');
      },
    );
  });

  test.each([
    '/%',
    '/%00',
    '/..%2f..',
    '//',
    '/a?',
    '/a?%zz',
    `/${'x'.repeat(8000)}`,
    ...(transport === 'uws' ? ['/ä'] : []),
    '/a;b=c',
    '/*',
    '/:x',
  ])('path %j reaches the handler as sent', async (target) => {
    await withServer(
      (x) => {
        x.end(`<${x.path}|${x.query}>`);
      },
      async (_url, server) => {
        const c = await connect(server);
        c.send(Buffer.from(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`));
        const text = Buffer.from(await c.until('>'), 'latin1').toString();
        const [path, query = ''] = target.split('?');
        expect(text).toContain(`<${path ?? ''}|${query}>`);
      },
    );
  });

  test('requests in one segment are answered in order, or none of them runs (the first ran, and nobody was answered)', async () => {
    const events: string[] = [];
    await withServer(
      async (x) => {
        events.push(`begin ${x.path}`);
        await sleep(5);
        events.push(`end ${x.path}`);
        x.end(`<${x.path}>`);
      },
      async (url, server) => {
        const c = await connect(server);
        const paths = Array.from({ length: 5 }, (_, i) => `/${String(i)}`);
        c.send(paths.map((path) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab`).join(''));
        if (transport === 'node') {
          const text = await c.until('</4>');
          expect([...text.matchAll(/<(.*?)>/g)].map((match) => match[1])).toEqual(paths);
          // One after the other, as their sender means them.
          expect(events).toEqual(paths.flatMap((path) => [`begin ${path}`, `end ${path}`]));
        } else {
          await c.closed;
          expect(events).toEqual([]);
        }
        expect(await (await fetch(`${url}/next`)).text()).toBe('</next>');
        expect(server.activeRequests).toBe(0);
      },
    );
  });

  test('a long text in a compressed stream arrives whole, wherever it is cut', async () => {
    const text = 'a' + '\u{1f4a5}'.repeat(700_000);
    await withServer(
      async (x) => {
        x.setHeader('Content-Type', 'text/plain; charset=utf-8');
        const out = x.startStream();
        await out.write(text);
        await out.end();
      },
      async (url) => {
        const answer = await fetch(url, { headers: { 'Accept-Encoding': 'gzip' } });
        expect(answer.headers.get('content-encoding')).toBe('gzip');
        expect((await answer.text()) === text).toBe(true);
      },
    );
  });
});
