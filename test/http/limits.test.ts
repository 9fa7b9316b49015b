import { gzipSync, deflateSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ConnectionCount, HttpError, type Exchange } from '../../src/main/http/index.js';
import { OPTIONS, connect, onEachTransport, withServer, within, type RawConnection } from './support.js';

/** Reads up to 1000 bytes and answers with their number; errors become a response, as the REST room does it. */
async function count(x: Exchange): Promise<void> {
  try {
    x.end(`${String((await x.readBody(1000)).length)} bytes.`);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    x.status = error.status;
    x.end(`refused ${String(error.status)}.`);
  }
}

onEachTransport((transport) => {
  test('a body over the limit is refused by its Content-Length and the connection stays usable', async () => {
    await withServer(count, async (_url, server) => {
      const c = await connect(server);
      c.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n`);
      await c.until('refused 413.');
      c.send('x'.repeat(1001) + 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc');
      await c.until('3 bytes.');
    });
  });

  test('a body far over the limit closes the connection after the answer', async () => {
    await withServer(count, async (_url, server) => {
      const c = await connect(server);
      c.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n`);
      const text = await c.until('refused 413.');
      expect(text).toContain('Connection: close');
      for (let i = 0; i < 40; i++) c.send(Buffer.alloc(100_000));
      await within(c.closed);
      expect(server.activeRequests).toBe(0);
    });
  });

  test('a chunked body over the limit is refused', async () => {
    await withServer(count, async (_url, server) => {
      const c = await connect(server);
      c.send(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`);
      for (let i = 0; i < 3; i++) c.send(`190\r\n${'x'.repeat(400)}\r\n`);
      await c.until('refused 413.');
    });
  });

  test('a chunked body that ends over the limit in one packet is refused', async () => {
    await withServer(count, async (_url, server) => {
      const c = await connect(server);
      c.send(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n${'x'.repeat(2000)}\r\n0\r\n\r\n`);
      await c.until('refused 413.');
      // What follows a chunked body may be its trailers, which only one parser knows.
      if (transport === 'uws') {
        await within(c.closed);
        return;
      }
      c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await c.until('0 bytes.');
    });
  });

  test.each([
    ['gzip', gzipSync(Buffer.alloc(999)), '999 bytes.'],
    ['x-gzip', gzipSync(Buffer.alloc(999)), '999 bytes.'],
    ['deflate', deflateSync(Buffer.alloc(999)), '999 bytes.'],
    ['gzip', gzipSync(Buffer.alloc(1001)), 'refused 413.'],
    ['gzip', gzipSync(Buffer.alloc(900_000)).subarray(0, 990), 'refused 413.'],
    ['deflate', Buffer.from('no deflate data'), 'refused 400.'],
    ['gzip', gzipSync(Buffer.from('cut off in the middle')).subarray(0, 20), 'refused 400.'],
    ['br', Buffer.from('x'), 'refused 415.'],
    ['identity', Buffer.from('x'), '1 bytes.'],
  ])('a body in %s', async (encoding, body, answer) => {
    await withServer(count, async (url) => {
      const response = await fetch(url, { method: 'POST', body, headers: { 'Content-Encoding': encoding } });
      expect(await response.text()).toBe(answer);
    });
  });

  test('a body that takes too long is refused and the connection closed', async () => {
    await withServer(
      count,
      async (_url, server) => {
        const c = await connect(server);
        c.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n');
        const drip = setInterval(() => {
          c.send('x');
        }, 50);
        expect(await c.until('refused 408.')).toContain('Connection: close');
        clearInterval(drip);
        await within(c.closed);
      },
      { maxBodyTime: 300 },
    );
  });

  test('a streamed body may take longer than the limit while it comes fast enough', async () => {
    await withServer(
      async (x) => {
        let size = 0;
        for await (const chunk of x.bodyStream()) size += chunk.length;
        x.end(`${String(size)} bytes.`);
      },
      async (_url, server) => {
        const c = await connect(server);
        c.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 600000\r\n\r\n');
        for (let i = 0; i < 6; i++) {
          await sleep(350);
          c.send(Buffer.alloc(100_000));
        }
        await c.until('600000 bytes.');
      },
      { maxBodyTime: 1500 },
    );
  });

  test('a request head that does not come to its end closes the connection', async () => {
    await withServer(
      count,
      async (_url, server) => {
        const c = await connect(server);
        const drip = setInterval(() => {
          c.send('X-A: b\r\n');
        }, 50);
        c.send('GET / HTTP/1.1\r\nHost: a\r\n');
        await within(c.closed);
        clearInterval(drip);
      },
      { maxBodyTime: 300 },
    );
  });

  test('an idle connection is closed after the idle timeout, and not before', async () => {
    await withServer(
      count,
      async (_url, server) => {
        const c = await connect(server);
        c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
        await c.until('0 bytes.');
        const began = Date.now();
        await within(c.closed);
        expect(Date.now() - began).toBeGreaterThan(350);
      },
      { idleTimeout: 500 },
    );
  });

  // uWebSockets.js closes idle connections after 8 to 12 s, whatever the settings say (docs/http.md).
  test.each(transport === 'uws' ? [4000] : [4000, 12_000])(
    'a connection kept idle for %i ms takes its next request',
    { timeout: 20_000 },
    async (ms) => {
      await withServer(count, async (_url, server) => {
        const c = await connect(server);
        c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
        await c.until('0 bytes.');
        await sleep(ms);
        c.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc');
        await c.until('3 bytes.');
      });
    },
  );

  test('a request that takes longer than the idle timeout is answered', async () => {
    await withServer(
      async (x) => {
        await sleep(700);
        x.end('late');
      },
      async (url) => {
        expect(await (await fetch(url)).text()).toBe('late');
      },
      { idleTimeout: 200, maxBodyTime: 200 },
    );
  });

  // Longer than the timeout that uWebSockets.js has of its own.
  if (transport === 'uws')
    test('a body that was held back with its end there already leaves as much time to answer as any', async () => {
      await withServer(
        async (x) => {
          // The head and its body have arrived by then, and more than is kept of a body nobody asked for.
          await sleep(200);
          for await (const piece of x.bodyStream()) if (piece.length === 0) return;
          await sleep(14_000);
          x.end('late.');
        },
        async (_url, server) => {
          const c = await connect(server);
          const chunk = `ffff\r\n${'x'.repeat(65_535)}\r\n`;
          c.send(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(2)}0\r\n\r\n`);
          await Promise.race([c.until('late.'), c.closed]);
          expect(c.text()).toContain('late.');
        },
      );
    });

  if (transport === 'node')
    test('connections of one address are limited', async () => {
      await withServer(
        count,
        async (_url, server) => {
          const open = await Promise.all([connect(server), connect(server), connect(server)]);
          const refused = await connect(server);
          await within(refused.closed);
          for (const c of open) c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
          for (const c of open) await c.until('0 bytes.');
        },
        { maxConnectionsPerAddress: 3 },
      );
    });

  test('open connections are limited, whoever they are of, and those beyond are closed before anything is read', async () => {
    const connections = new ConnectionCount(3);
    await withServer(
      count,
      async (url, server) => {
        const open = await Promise.all([connect(server), connect(server), connect(server)]);
        for (const c of open) {
          c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
          await c.until('0 bytes.');
        }
        for (let i = 0; i < 5; i++) {
          const refused = await Promise.all(Array.from({ length: 20 }, () => connect(server)));
          for (const c of refused) c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
          for (const c of refused) await within(c.closed);
          expect(refused.map((c) => c.text()).join('')).toBe('');
        }
        await expect.poll(() => connections.open).toBe(3);
        for (const c of open) {
          c.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc');
          await c.until('3 bytes.');
        }
        open[0]?.socket.destroy();
        await expect.poll(() => connections.open).toBe(2);
        expect(await (await fetch(url)).text()).toBe('0 bytes.');
      },
      { connections },
    );
    await expect.poll(() => connections.open).toBe(0);
  });

  test('requests of one address that wait for their client are limited', async () => {
    await withServer(
      count,
      async (_url, server) => {
        const open = await Promise.all([connect(server), connect(server), connect(server)]);
        for (const c of open) c.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n');
        await expect.poll(() => server.activeRequests).toBe(3);
        const refused = await connect(server);
        refused.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n');
        if (transport === 'uws') {
          expect(await refused.until('\r\n\r\n')).toMatch(/ 503 [^]*Retry-After: /);
          expect(await (await fetch(_url)).text()).toBe('0 bytes.');
        }
        await within(refused.closed);
        for (const c of open) c.send('abc');
        for (const c of open) await c.until('3 bytes.');
      },
      { maxConnectionsPerAddress: 3 },
    );
  });

  // With `node` connections are counted, before anybody says for whom they are.
  if (transport === 'uws')
    test('clients behind a trusted proxy are counted each for itself, those with IPv6 by their network', async () => {
      await withServer(
        count,
        async (_url, server) => {
          const ask = async (address: string): Promise<RawConnection> => {
            const c = await connect(server);
            c.send(`POST / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nContent-Length: 3\r\n\r\n`);
            return c;
          };
          const served = [await ask('1.1.1.1'), await ask('2001:db8::1'), await ask('1.1.1.2')];
          await expect.poll(() => server.activeRequests).toBe(3);
          for (const again of ['1.1.1.1', '2001:db8::2', '2001:db8:0:0:ffff::1'])
            expect(await (await ask(again)).until('\r\n\r\n')).toContain(' 503 ');
          for (const c of served) c.send('abc');
          for (const c of served) await c.until('3 bytes.');
        },
        { maxConnectionsPerAddress: 1, trustedProxies: ['127.0.0.1'] },
      );
    });

  test.each([
    ['without a request', ''],
    ['after a request', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['after a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc'],
    ['after an empty body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'],
    ['amid a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc'],
    ['amid a chunked head', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['after a chunked body', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['after what is no HTTP', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n'],
  ])('a connection that ended no longer counts: %s', async (_when, sent) => {
    await withServer(
      count,
      async (_url, server) => {
        for (let round = 0; round < 6; round++) {
          const c = await connect(server);
          if (sent !== '') c.send(sent);
          await sleep(15);
          c.socket.destroy();
          await sleep(15);
        }
        const c = await connect(server);
        c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
        await c.until('0 bytes.');
        expect(server.activeRequests).toBe(0);
      },
      { maxConnectionsPerAddress: 2 },
    );
  });

  test.each([1, 2])('a request head larger than the limit is refused, sent in %i pieces', async (pieces) => {
    await withServer(count, async (_url, server) => {
      const c = await connect(server);
      const head = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(OPTIONS.maxHeaderSize)}\r\n\r\n`;
      if (pieces === 2) {
        c.send(head.slice(0, 5000));
        await sleep(30);
      }
      c.send(pieces === 2 ? head.slice(5000) : head);
      await within(c.closed);
      expect(c.text()).toContain('431');
    });
  });

  test('a request head just under the limit is served', async () => {
    await withServer(count, async (_url, server) => {
      const c = await connect(server);
      c.send(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(OPTIONS.maxHeaderSize - 500)}\r\n\r\n`);
      await c.until('0 bytes.');
    });
  });

  test.each([
    ['two lengths', 'Content-Length: 3\r\nContent-Length: 30\r\n\r\nabcGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['length and chunked', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a length that is no number', 'Content-Length: 3abc\r\n\r\nabc'],
  ])('a request with %s never reaches a handler', async (_what, rest) => {
    const seen: string[] = [];
    await withServer(
      (x) => {
        seen.push(x.path);
        x.end('ok');
      },
      async (_url, server) => {
        const c = await connect(server);
        c.send(`POST / HTTP/1.1\r\nHost: a\r\n${rest}`);
        await within(c.closed);
        expect(seen).toEqual([]);
      },
    );
  });
}, true);
