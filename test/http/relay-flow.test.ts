import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { startHttpServer, type Handler, type HttpServer, type TransportName } from '../../src/main/http/index.js';
import { portOf, startThread, type FrontThread } from './relayed.js';
import { connect, onEachTransport, OPTIONS, within } from './support.js';

/** What one exchange may hold on each side, and a piece that was read at once. */
const MOST = 256 * 1024 + 512 * 1024;

let main: HttpServer | undefined;
const threads: FrontThread[] = [];

async function begin(transport: TransportName, handler: Handler): Promise<{ main: HttpServer; thread: FrontThread }> {
  const options = { ...OPTIONS, transport };
  main = await startHttpServer(options, handler);
  const thread = await startThread(main, options, handler);
  threads.push(thread);
  return { main, thread };
}

afterEach(async () => {
  await main?.close(0);
  main = undefined;
  for (const thread of threads.splice(0)) {
    thread.worker.postMessage('leave');
    await thread.ended;
  }
});

onEachTransport((transport: TransportName) => {
  test('50 MB to a slow reader: what has not been read waits at the client', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    let begun = false;
    const { main, thread } = await begin(transport, async (x) => {
      let bytes = 0;
      for await (const piece of x.bodyStream()) {
        begun = true;
        if (bytes < 1_000_000) await gate;
        bytes += piece.length;
      }
      x.end(`${String(bytes)} bytes.`);
    });
    const total = 50_000_000;
    const c = await connect(portOf(main, thread));
    c.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${String(total)}\r\n\r\n`);
    c.send(Buffer.alloc(total));
    await expect.poll(() => begun).toBe(true);
    let [here, there, before] = [0, 0, -1];
    // Until nothing moves any more.
    while (c.socket.writableLength !== before) {
      before = c.socket.writableLength;
      here = Math.max(here, main.budgets.bodies.held);
      there = Math.max(there, (await thread.figures()).bodies);
      await sleep(100);
    }
    expect(c.socket.writableLength).toBeGreaterThan(total / 2);
    expect(here).toBeGreaterThan(0);
    expect(here).toBeLessThanOrEqual(MOST);
    expect(there).toBeLessThanOrEqual(MOST);
    release();
    await c.until(`${String(total)} bytes.`);
    await expect.poll(() => main.budgets.bodies.held).toBe(0);
    expect(await thread.figures()).toEqual({ requests: 0, bodies: 0, answers: 0 });
    c.socket.destroy();
  });

  test.each(['stream', 'sized', 'whole'])('a client that reads slowly gets all of it: %s', async (kind) => {
    const total = 30_000_000;
    const all = Buffer.alloc(total, 'x');
    let written = 0;
    const { main, thread } = await begin(transport, async (x) => {
      if (kind === 'whole') {
        x.end(all);
        return;
      }
      const out = x.startStream(...(kind === 'sized' ? [total] : []));
      for (; written < total; written += 500_000) await out.write(all.subarray(0, 500_000));
      await out.end();
    });
    const c = await connect(portOf(main, thread));
    let got = 0;
    let tail = '';
    c.socket.removeAllListeners('data');
    c.socket.on('data', (data) => {
      got += data.length;
      tail = (tail + data.toString('latin1')).slice(-10);
    });
    c.socket.pause();
    c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    let held = -1;
    await expect
      .poll(async () => {
        held = (await thread.figures()).answers;
        return held;
      })
      .toBeGreaterThan(0);
    expect(held).toBeLessThanOrEqual(MOST);
    expect(written).toBeLessThan(total / 2);
    if (kind === 'whole') expect(main.budgets.answers.held).toBe(total);
    c.socket.resume();
    await expect.poll(() => got >= total && (kind !== 'stream' || tail.endsWith('0\r\n\r\n'))).toBe(true);
    await expect.poll(() => main.budgets.answers.held).toBe(0);
    await expect.poll(() => thread.figures()).toEqual({ requests: 0, bodies: 0, answers: 0 });
    c.socket.destroy();
  });

  test('who leaves at any moment, and answers that break off, leave nothing behind', async () => {
    const piece = Buffer.alloc(100_000, 'p');
    const pick = (most: number): number => Math.floor(Math.random() * most);
    const left: boolean[] = [];
    const { main, thread } = await begin(transport, async (x) => {
      x.signal.addEventListener('abort', () => left.push(true));
      await sleep(pick(10));
      if (x.path === '/read') {
        try {
          await x.readBody(1e7);
        } catch {
          // The client is gone.
        }
        x.end('read');
        return;
      }
      if (x.path === '/whole') {
        x.end(Buffer.alloc(1_000_000));
        return;
      }
      const out = x.startStream();
      for (let i = 0; i < 20; i++) {
        await out.write(piece);
        if (x.path === '/break' && i === 10) throw new Error('broken on purpose');
      }
      await out.end();
    });
    const one = async (): Promise<void> => {
      const c = await connect(portOf(main, thread));
      const path = ['/read', '/whole', '/stream', '/break'][pick(4)] ?? '';
      const body = path === '/read' ? Buffer.alloc(1_000_000) : Buffer.alloc(pick(2) * 100_000);
      c.send(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${String(body.length)}\r\n\r\n`);
      if (pick(3) === 0) c.send(body.subarray(0, pick(body.length)));
      else c.send(body);
      await sleep(pick(40));
      if (pick(2) === 0) c.socket.resetAndDestroy();
      else c.socket.destroy();
    };
    for (let round = 0; round < 8; round++) await Promise.all(Array.from({ length: 12 }, one));
    await expect.poll(() => main.activeRequests).toBe(0);
    await expect.poll(() => [main.budgets.bodies.held, main.budgets.answers.held]).toEqual([0, 0]);
    await expect.poll(() => thread.figures()).toEqual({ requests: 0, bodies: 0, answers: 0 });
    expect(left.length).toBeGreaterThan(0);
    const c = await connect(portOf(main, thread));
    c.send('POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab');
    await c.until('read');
    c.socket.destroy();
  });

  test('a thread that dies: its requests are aborted, its connections closed, and another one takes its place', async () => {
    const waiting: AbortSignal[] = [];
    const handler: Handler = async (x) => {
      if (x.path === '/wait') {
        waiting.push(x.signal);
        await new Promise((resolve) => {
          x.signal.addEventListener('abort', resolve);
        });
      } else x.end('served');
    };
    const { main, thread } = await begin(transport, handler);
    thread.worker.on('error', () => undefined);
    const c = await connect(portOf(main, thread));
    c.send('GET /wait HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => waiting.length).toBe(1);
    // The library of uws does not bear to be ended from outside: docs/design/http.md.
    if (transport === 'uws') thread.worker.postMessage('throw');
    else await thread.worker.terminate();
    await within(c.closed);
    await expect.poll(() => waiting.map((signal) => signal.aborted)).toEqual([true]);
    await expect.poll(() => main.activeRequests).toBe(0);
    const next = await startThread(main, { ...OPTIONS, transport }, handler);
    threads.push(next);
    expect(await (await fetch(`http://127.0.0.1:${String(next.port)}/`)).text()).toBe('served');
  });

  test('a server that closes lets what was handed over end, and takes nothing new', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    let runs = 0;
    const { main, thread } = await begin(transport, async (x) => {
      runs++;
      if (x.path === '/slow') await gate;
      if (x.path === '/endless') {
        await new Promise((resolve) => {
          x.signal.addEventListener('abort', resolve);
        });
      }
      x.end('ended well');
    });
    const c = await connect(portOf(main, thread));
    const endless = await connect(portOf(main, thread));
    c.send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    endless.send('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => runs).toBe(2);
    const closed = main.close(3000);
    await expect
      .poll(() =>
        fetch(`http://127.0.0.1:${String(thread.port)}/`).then(
          () => 'taken',
          () => 'refused',
        ),
      )
      .toBe('refused');
    release();
    expect(await c.until('ended well')).toMatch(/\r\nconnection: close\r\n/i);
    await within(endless.closed);
    await within(closed);
    expect(endless.text()).toBe('');
    expect(main.activeRequests).toBe(0);
    // It ends by itself: nothing keeps it any more.
    thread.worker.postMessage('leave');
    expect(await within(thread.ended)).toBe(0);
  });
});
