import { expect, test } from 'vitest';
import type { Exchange } from '../../src/main/http/index.js';
import { connect, onEachTransport, start, within, withServer, type RawConnection } from './support.js';

const LENGTH = 400_000;

/** All ways to answer. */
const ANSWERS: Readonly<Record<string, (x: Exchange) => Promise<void> | void>> = {
  small: (x) => {
    x.end('small');
  },
  large: (x) => {
    x.end(Buffer.alloc(LENGTH, 'z'));
  },
  text: (x) => {
    x.end('z'.repeat(LENGTH));
  },
  stream: async (x) => {
    const out = x.startStream();
    for (let i = 0; i < 4; i++) await out.write(Buffer.alloc(LENGTH / 4, 'z'));
    await out.end();
  },
  sized: async (x) => {
    const out = x.startStream(LENGTH);
    for (let i = 0; i < 4; i++) await out.write(Buffer.alloc(LENGTH / 4, 'z'));
    await out.end();
  },
  empty: (x) => {
    x.status = 204;
    x.end();
  },
};

/** Length of the body in an answer; throws for one that is not framed as it says. */
function bodyLength(text: string): number {
  const end = text.indexOf('\r\n\r\n') + 4;
  const head = text.slice(0, end).toLowerCase();
  let rest = text.slice(end);
  if (head.startsWith('http/1.1 204')) {
    expect(rest).toBe('');
    return 0;
  }
  const length = /\r\ncontent-length: (\d+)\r\n/.exec(head)?.[1];
  if (length !== undefined) {
    expect(rest.length).toBe(Number(length));
    return rest.length;
  }
  expect(head).toContain('transfer-encoding: chunked');
  for (let size = 0; ;) {
    const at = rest.indexOf('\r\n');
    const next = Number.parseInt(rest.slice(0, at), 16);
    expect(rest.slice(at + 2 + next, at + 4 + next)).toBe('\r\n');
    rest = rest.slice(at + 4 + next);
    if (next === 0) {
      expect(rest).toBe('');
      return size;
    }
    size += next;
  }
}

/** Waits until the answer is whole, and says how long its body is. */
async function answer(c: RawConnection, name: string): Promise<number> {
  if (name === 'empty') await c.until(/\r\n\r\n$/);
  else if (name === 'small') await c.until(/small(?:\r\n0\r\n\r\n)?$/);
  else await c.until(/z{1000}(?:\r\n0\r\n\r\n)?$/);
  await expect.poll(() => /\r\n\r\n$|z$|small$/.test(c.text()) && wellFramed(c.text())).toBe(true);
  return bodyLength(c.text());
}

function wellFramed(text: string): boolean {
  try {
    bodyLength(text);
    return true;
  } catch {
    return false;
  }
}

onEachTransport((transport) => {
  test('answers that end their connection are whole, and nothing is served behind them', async () => {
    // At once, since uWebSockets.js takes 10 s to close some of these.
    const all = Object.keys(ANSWERS).map(async (name) => {
      const seen: string[] = [];
      await withServer(
        async (x) => {
          seen.push(x.path);
          await x.readBody(1000);
          await ANSWERS[name]?.(x);
        },
        async (_url, server) => {
          const c = await connect(server);
          // HTTP closes of the client's own wish, as what follows cannot be told from trailers, and with the server.
          c.send('POST /first HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n');
          await answer(c, name);
          const close = await connect(server);
          close.send('GET /close HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
          await answer(close, name);
          expect(close.text().toLowerCase()).toContain(transport === 'node' ? '\r\nconnection: close' : '');
          await within(close.closed);
          const list = await connect(server);
          list.send('GET /list HTTP/1.1\r\nHost: a\r\nConnection: x, close\r\n\r\n');
          await answer(list, name);
          expect(list.text().toLowerCase()).toContain('\r\nconnection: close');
          if (transport === 'uws') expect(c.text().toLowerCase()).toContain('\r\nconnection: close');
          for (const kept of transport === 'uws' ? [c, list] : [list]) {
            kept.send('DELETE /hidden HTTP/1.1\r\nHost: a\r\n\r\n');
            await within(kept.closed);
          }
          expect(seen).toEqual(['/first', '/close', '/list']);
          expect(server.activeRequests).toBe(0);
        },
      );
    });
    await Promise.all(all);
  });

  test.each(Object.keys(ANSWERS))('what runs when the server stops is answered whole: %s', async (name) => {
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const server = await start({}, async (x) => {
      await gate;
      await ANSWERS[name]?.(x);
    });
    const c = await connect(server);
    c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => server.activeRequests).toBe(1);
    const closing = server.close(60_000);
    go();
    await answer(c, name);
    expect(c.text().toLowerCase()).toContain('\r\nconnection: close');
    await within(closing);
    await within(c.closed);
  });
});

test('a body whose length the parser does not see is not taken for a request', async () => {
  const seen: string[] = [];
  await withServer(
    (x) => {
      seen.push(x.path);
      x.end('small');
    },
    async (_url, server) => {
      const c = await connect(server);
      const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
      c.send(`POST /first HTTP/1.1\r\nHost: x\r\n: y\r\nContent-Length: ${String(hidden.length)}\r\n\r\n`);
      await c.until(/small|\r\n\r\n/);
      c.send(hidden);
      await c.closed;
      expect(seen).not.toContain('/hidden');
    },
  );
});
