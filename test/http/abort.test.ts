import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HttpError } from '../../src/main/http/index.js';
import { connect, onEachTransport, withServer, within } from './support.js';

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}

onEachTransport(() => {
  test('a client that goes away amid its body: reading fails, the signal fires', async () => {
    const seen = deferred<unknown[]>();
    await withServer(
      async (x) => {
        const { signal } = x;
        const error = await x.readBody(1000).catch((reason: unknown) => reason);
        x.end('nobody hears this');
        seen.resolve([error instanceof HttpError && error.status, signal.aborted, x.aborted, x.responded]);
      },
      async (_url, server) => {
        const c = await connect(server);
        c.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc');
        await expect.poll(() => server.activeRequests).toBe(1);
        c.socket.destroy();
        expect(await within(seen.promise)).toEqual([400, true, true, true]);
        expect(server.activeRequests).toBe(0);
      },
    );
  });

  test('a client that goes away before the answer', async () => {
    const seen = deferred<boolean>();
    await withServer(
      async (x) => {
        await new Promise((resolve) => {
          x.signal.addEventListener('abort', resolve);
        });
        x.status = 200;
        x.setHeader('X', 'y');
        x.end('nobody hears this');
        const out = x.startStream();
        await out.write('x');
        await out.end();
        seen.resolve(x.signal.aborted);
      },
      async (_url, server) => {
        const c = await connect(server);
        c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
        await expect.poll(() => server.activeRequests).toBe(1);
        c.socket.destroy();
        expect(await within(seen.promise)).toBe(true);
        expect(server.activeRequests).toBe(0);
      },
    );
  });

  test('a client that goes away amid a stream: writes end, compressed or not', async () => {
    for (const type of ['image/png', 'text/plain']) {
      const done = deferred<boolean>();
      await withServer(
        async (x) => {
          x.setHeader('Content-Type', type);
          const out = x.startStream();
          const chunk = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 7919) % 251));
          while (!x.aborted) await out.write(chunk);
          await out.write(chunk);
          await out.end();
          done.resolve(true);
        },
        async (_url, server) => {
          const c = await connect(server);
          c.send('GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n');
          await c.until('200 OK');
          c.socket.pause();
          await sleep(50);
          c.socket.destroy();
          expect(await within(done.promise)).toBe(true);
          expect(server.activeRequests).toBe(0);
        },
      );
    }
  });

  test('a client that goes away amid a large body', async () => {
    await withServer(
      (x) => {
        x.end(Buffer.alloc(50_000_000));
      },
      async (_url, server) => {
        const c = await connect(server);
        c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
        await c.until('200 OK');
        c.socket.destroy();
        for (let i = 0; i < 100 && server.activeRequests > 0; i++) await sleep(10);
        expect(server.activeRequests).toBe(0);
      },
    );
  });

  test('a client that goes away while its response is being compressed', async () => {
    await withServer(
      (x) => {
        x.setHeader('Content-Type', 'text/plain');
        x.end('x'.repeat(20_000_000));
      },
      async (url, server) => {
        for (let i = 0; i < 5; i++) {
          const c = await connect(server);
          c.send('GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n');
          await sleep(5);
          c.socket.destroy();
        }
        expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
      },
    );
  });

  test('a client that goes away while it is paused', async () => {
    const done = deferred<unknown>();
    const go = deferred<undefined>();
    await withServer(
      async (x) => {
        try {
          for await (const chunk of x.bodyStream()) {
            void chunk;
            await go.promise;
          }
        } catch (error) {
          done.resolve(error instanceof HttpError && error.status);
        }
      },
      async (_url, server) => {
        const c = await connect(server);
        c.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n');
        c.send(Buffer.alloc(3_000_000));
        await expect.poll(() => server.activeRequests).toBe(1);
        await sleep(50);
        c.socket.destroy();
        await sleep(50);
        go.resolve(undefined);
        expect(await within(done.promise)).toBe(400);
        expect(server.activeRequests).toBe(0);
      },
    );
  });

  test('nothing a client sends ends the process', async () => {
    await withServer(
      async (x) => {
        await x.readBody(100).catch(() => undefined);
        x.end('ok');
      },
      async (url, server) => {
        const parts = [
          'GET / HTTP/1.1\r\n',
          'Host: a\r\n',
          '\r\n',
          'POST /x HTTP/1.1\r\n',
          'Content-Length: 5\r\n',
          'Content-Length: 0\r\n',
          'Transfer-Encoding: chunked\r\n',
          '0\r\n\r\n',
          '3\r\nabc\r\n',
          'zz\r\n',
          'abcde',
          '\0\xff',
          'Connection: close\r\n',
          ': \r\n',
          'HTTP/1.1\r\n',
        ];
        let seed = 42;
        const random = (below: number): number => {
          seed = (seed * 1103515245 + 12345) % 2147483648;
          return seed % below;
        };
        for (let round = 0; round < 150; round++) {
          const c = await connect(server);
          const n = 1 + random(12);
          for (let i = 0; i < n; i++) {
            c.send(parts[random(parts.length)] ?? '');
            if (random(4) === 0) await sleep(1);
          }
          if (random(2) === 0) c.socket.destroy();
          else c.socket.end();
        }
        await sleep(50);
        expect(await (await fetch(url)).text()).toBe('ok');
        for (let i = 0; i < 100 && server.activeRequests > 0; i++) await sleep(10);
        expect(server.activeRequests).toBe(0);
      },
    );
  });

  test('what follows a request that closes the connection is dropped, not served from freed memory', async () => {
    const seen: string[] = [];
    await withServer(
      async (x) => {
        seen.push(x.path);
        if (x.path === '/stream') await x.readBody(10_000);
        x.end('x'.repeat(100_000));
      },
      async (url, server) => {
        const rest = 'POST /behind HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
        const chunks = `${'3\r\nabc\r\n'.repeat(400)}0\r\n\r\n`;
        for (let i = 0; i < 40; i++) {
          const c = await connect(server);
          c.send(
            i % 2 === 0
              ? `GET /close HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n${rest}`
              : `POST /stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}${rest}`,
          );
          await within(c.closed);
        }
        expect((await fetch(url)).status).toBe(200);
        expect(seen).not.toContain('/behind');
        expect(server.activeRequests).toBe(0);
      },
    );
  });
});
