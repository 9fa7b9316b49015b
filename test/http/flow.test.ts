import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { connect, onEachTransport, withServer } from './support.js';

onEachTransport(() => {
  test('a slow consumer slows the sender down', async () => {
    let consumed = 0;
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    await withServer(
      async (x) => {
        for await (const chunk of x.bodyStream()) {
          if (consumed === 0) await gate;
          consumed += chunk.length;
        }
        x.end(`${String(consumed)} bytes.`);
      },
      async (_url, server) => {
        const c = await connect(server);
        const total = 60_000_000;
        c.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${String(total)}\r\n\r\n`);
        const chunk = Buffer.alloc(1_000_000);
        for (let sent = 0; sent < total; sent += chunk.length) c.send(chunk);
        await sleep(300);
        // What the sender could not get rid of: all but the socket buffers and one read.
        expect(c.socket.writableLength).toBeGreaterThan(total / 2);
        release();
        await c.until(`${String(total)} bytes.`);
      },
    );
  });

  test('a body nobody asked for yet is held back, and read later', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    await withServer(
      async (x) => {
        await gate;
        x.end(`${String((await x.readBody(1e8)).length)} bytes.`);
      },
      async (_url, server) => {
        const c = await connect(server);
        c.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 40000000\r\n\r\n');
        c.send(Buffer.alloc(40_000_000));
        await sleep(200);
        expect(c.socket.writableLength).toBeGreaterThan(20_000_000);
        release();
        await c.until('40000000 bytes.');
      },
    );
  });

  test('an early answer leaves the connection usable when the body is small', async () => {
    await withServer(
      (x) => {
        x.end(`<${x.path}>`);
      },
      async (_url, server) => {
        const c = await connect(server);
        for (let i = 0; i < 3; i++) {
          c.send(`POST /${String(i)} HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n`);
          await c.until(`</${String(i)}>`);
          c.send(Buffer.alloc(500_000));
        }
        c.send('GET /last HTTP/1.1\r\nHost: a\r\n\r\n');
        await c.until('</last>');
      },
    );
  });

  test('an early answer to a paused sender lets the rest go', async () => {
    await withServer(
      async (x) => {
        await sleep(50);
        x.end(`<${x.path}>`);
      },
      async (_url, server) => {
        const c = await connect(server);
        c.send('POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n');
        c.send(Buffer.alloc(900_000));
        await c.until('</first>');
        c.send('GET /last HTTP/1.1\r\nHost: a\r\n\r\n');
        await c.until('</last>');
      },
    );
  });

  test('a consumer that stops early can still answer', async () => {
    await withServer(
      async (x) => {
        for await (const chunk of x.bodyStream()) {
          if (chunk.length > 0) break;
        }
        x.end('enough.');
      },
      async (_url, server) => {
        const c = await connect(server);
        c.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n');
        c.send(Buffer.alloc(900_000));
        await c.until('enough.');
        c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
        await c.until(/enough\.[^]*enough\./);
      },
    );
  });

  test('a slow reader slows the stream down and gets all of it', async () => {
    let written = 0;
    const total = 60_000_000;
    await withServer(
      async (x) => {
        const out = x.startStream();
        const chunk = Buffer.alloc(500_000, 'x');
        while (written < total) {
          await out.write(chunk);
          written += chunk.length;
        }
        await out.end();
      },
      async (_url, server) => {
        const c = await connect(server);
        c.socket.pause();
        c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
        await sleep(300);
        expect(written).toBeLessThan(total / 2);
        c.socket.resume();
        await c.until(/\r\n0\r\n\r\n$/);
        expect(written).toBe(total);
      },
    );
  });

  test('writes that are not waited for keep their order', async () => {
    await withServer(
      async (x) => {
        const out = x.startStream();
        const all: Promise<void>[] = [];
        for (let i = 0; i < 300; i++) all.push(out.write(`${String(i).padStart(5, '0')}${'-'.repeat(100_000)}`));
        await Promise.all(all);
        await out.end();
      },
      async (url) => {
        const text = await (await fetch(url)).text();
        expect(text.match(/\d{5}/g)?.map(Number)).toEqual(Array.from({ length: 300 }, (_, i) => i));
      },
    );
  });

  test('many requests with bodies at once do not mix', async () => {
    await withServer(
      async (x) => {
        if (x.query === 'wait') await sleep(Math.random() * 5);
        x.end(await x.readBody(1e6));
      },
      async (url) => {
        const jobs = Array.from({ length: 400 }, async (_, i) => {
          const body = `${String(i)}-`.repeat(1 + ((i * 97) % 3000));
          const chunked = i % 3 === 0;
          const stream = new ReadableStream<Uint8Array>({
            async start(controller) {
              for (let at = 0; at < body.length; at += 1000) {
                if (i % 2 === 0) await sleep(1);
                controller.enqueue(Buffer.from(body.slice(at, at + 1000)));
              }
              controller.close();
            },
          });
          const response = await fetch(`${url}/?${i % 2 === 0 ? 'wait' : ''}`, {
            method: 'POST',
            body: chunked ? stream : body,
            duplex: 'half',
          });
          return (await response.text()) === body;
        });
        expect((await Promise.all(jobs)).every(Boolean)).toBe(true);
      },
    );
  });

  test('a large answer while the body is still being read reaches a slow reader, and the body reader ends', async () => {
    let ended: Promise<unknown> | undefined;
    await withServer(
      async (x) => {
        if (x.method === 'GET') {
          x.end('next.');
          return;
        }
        const chunks = x.bodyStream()[Symbol.asyncIterator]();
        await chunks.next();
        x.end(Buffer.alloc(9_000_000, 'x'));
        ended = (async () => {
          while ((await chunks.next()).done !== true);
        })().catch((error: unknown) => error);
      },
      async (_url, server) => {
        const c = await connect(server);
        c.socket.pause();
        c.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n');
        c.send(Buffer.alloc(900_000));
        await sleep(200);
        c.socket.resume();
        await c.until('x'.repeat(9_000_000));
        expect(await ended).toMatchObject({ status: 500 });
        c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
        await c.until('next.');
      },
    );
  });
});
