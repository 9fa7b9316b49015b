import { expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, onEachTransport, withServer } from './support.js';

onEachTransport(() => {
  test('a handler sees method, path, query, headers and address', async () => {
    await withServer(
      (x) => {
        x.end(JSON.stringify([x.method, x.path, x.query, x.header('x-a'), x.remoteAddress, x.header('none')]));
      },
      async (url) => {
        const response = await fetch(`${url}/a%20b//c?x=1?y&z`, {
          headers: { 'X-A': 'ü'.normalize() === 'ü' ? 'v' : '' },
        });
        expect(await response.json()).toEqual(['GET', '/a%20b//c', 'x=1?y&z', 'v', '127.0.0.1', '']);
      },
    );
  });

  test('a body comes back as it was sent', async () => {
    await withServer(
      async (x) => {
        x.end(await x.readBody(1e7));
      },
      async (url) => {
        for (const size of [0, 1, 1000, 100_000, 5_000_000]) {
          const body = Buffer.alloc(size, 'abcdefg');
          const response = await fetch(url, { method: 'POST', body });
          expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
        }
      },
    );
  });

  test('requests one after another use one connection', async () => {
    await withServer(
      async (x) => {
        if (x.path === '/slow') await sleep(5);
        x.end(x.path);
      },
      async (_url, server) => {
        const c = await connect(server);
        for (const path of ['/a', '/slow', '/b', '/slow', '/c']) {
          c.send(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
          await c.until(new RegExp(`${path}$`));
        }
        expect(c.text().match(/HTTP\/1.1 200/g)).toHaveLength(5);
      },
    );
  });

  test('a chunked request whose body comes later is answered', async () => {
    await withServer(
      async (x) => {
        x.end(`<${(await x.readBody(100)).toString()}>`);
      },
      async (_url, server) => {
        const c = await connect(server);
        c.send('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
        await sleep(30);
        c.send('3\r\nabc\r\n');
        await sleep(10);
        c.send('2\r\nde\r\n0\r\n\r\n');
        await c.until('<abcde>');
        expect(server.activeRequests).toBe(0);
      },
    );
  });

  test('a stream is sent in pieces', async () => {
    await withServer(
      async (x) => {
        const out = x.startStream();
        for (let i = 0; i < 3; i++) await out.write(`part${String(i)};`);
        await out.end();
      },
      async (url) => {
        const response = await fetch(url);
        expect(await response.text()).toBe('part0;part1;part2;');
      },
    );
  });

  test('a large body reaches a client whole', async () => {
    const body = Buffer.alloc(20_000_000, 'xyz');
    await withServer(
      (x) => {
        x.end(body);
      },
      async (url) => {
        const got = Buffer.from(await (await fetch(url)).arrayBuffer());
        expect(got.equals(body)).toBe(true);
      },
    );
  });
});
