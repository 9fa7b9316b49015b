import { request } from 'node:https';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import {
  AddressCounts,
  ConnectionCount,
  ProcessCounts,
  RateLimiter,
  sharingProblem,
  startHttpServer,
  tlsCiphers,
  type Handler,
  type HttpServer,
  type HttpServerOptions,
  type RateLimits,
  type TransportName,
} from '../../src/main/http/index.js';
import { nameOf, newCertificate } from '../support/certificates.js';
import { portOf, startThread, type FrontThread, type ThreadOptions } from './relayed.js';
import { connect, onEachTransport, OPTIONS, within } from './support.js';

const LIMITS: RateLimits = {
  enabled: true,
  requestsPerSecond: 10,
  delay: -1,
  slots: 2,
  slotWait: 50,
  throttle: 50,
  maxRun: 0,
  forgetAfter: 30_000,
  headers: false,
  perConnection: false,
  refusedStatus: 429,
  exempt: [],
};

let main: HttpServer | undefined;
const threads: FrontThread[] = [];

/** A server with `many` front-end threads. */
async function begin(
  options: HttpServerOptions,
  many: number,
  more: ThreadOptions,
  handler: Handler,
): Promise<HttpServer> {
  main = await startHttpServer(options, handler);
  for (let thread = 1; thread <= many; thread++)
    threads.push(await startThread(main, options, handler, { ...more, thread }));
  return main;
}

afterEach(async () => {
  await main?.close(0);
  main = undefined;
  for (const thread of threads.splice(0)) {
    thread.worker.postMessage('leave');
    await thread.ended;
  }
});

const ok: Handler = (x) => {
  x.end('ok');
};

onEachTransport((transport: TransportName) => {
  test('requests of an address count over two threads and the main thread', async () => {
    const counts = ProcessCounts.create(3);
    const limits = { ...LIMITS, requestsPerSecond: 12 };
    const limiter = new RateLimiter(limits, counts);
    const server = await begin({ ...OPTIONS, transport }, 2, { counts, limits }, limiter.timed(ok));
    // Eight of each thread are not too many for it alone, what came before them has been forgotten.
    await expect
      .poll(
        async () => {
          await sleep(2100);
          const asked = Array.from({ length: 16 }, (_, i) =>
            fetch(`http://127.0.0.1:${String(threads[i % 2]?.port)}/`),
          );
          const statuses = (await Promise.all(asked)).map(({ status }) => status);
          return [statuses.filter((status) => status === 200).length >= 12, statuses.includes(429)];
        },
        { interval: 0 },
      )
      .toEqual([true, true]);
    expect(limiter.tracked).toBe(1);
    expect(server.activeRequests).toBe(0);
  });

  test('open connections count for the process, and those of a thread that died no more', async () => {
    const counts = ProcessCounts.create(3);
    const connections = new ConnectionCount(6, counts);
    const options = { ...OPTIONS, transport, connections };
    const server = await begin(options, 2, { counts, most: 6 }, ok);
    const open = async (thread: number): Promise<Awaited<ReturnType<typeof connect>>> => {
      const c = await connect(portOf(server, threads[thread] ?? (await Promise.reject(new Error('no thread')))));
      c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      return c;
    };
    const kept = [];
    for (let i = 0; i < 6; i++) {
      const c = await open(i % 2);
      await c.until('ok');
      kept.push(c);
    }
    expect(connections.open).toBe(6);
    for (const thread of [0, 1]) {
      const c = await open(thread);
      await within(c.closed);
      expect(c.text()).toBe('');
    }
    await expect.poll(() => connections.open).toBe(6);
    const dying = threads[0];
    dying?.worker.on('error', () => undefined);
    dying?.worker.postMessage('throw');
    await dying?.ended;
    threads.shift();
    counts.forget(1);
    expect(connections.open).toBe(3);
    const c = await open(0);
    await c.until('ok');
    for (const one of [c, ...kept]) one.socket.destroy();
  });

  test('what an address has open counts over two threads', async () => {
    const counts = ProcessCounts.create(3);
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const options = { ...OPTIONS, transport, maxConnectionsPerAddress: 4 };
    const server = await begin(options, 2, { counts }, async (x) => {
      if (x.method === 'POST') await gate;
      x.end('ok');
    });
    const send = async (i: number): Promise<Awaited<ReturnType<typeof connect>>> => {
      const thread = threads[i % 2];
      if (thread === undefined) throw new Error('no thread');
      const c = await connect(portOf(server, thread));
      c.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab');
      return c;
    };
    const kept = [];
    for (let i = 0; i < 4; i++) kept.push(await send(i));
    await expect.poll(() => server.activeRequests).toBe(4);
    for (let i = 0; i < 2; i++) {
      const c = await send(i);
      if (transport === 'uws') await c.until('503');
      else await within(c.closed);
      c.socket.destroy();
    }
    release();
    for (const c of kept) {
      c.send('cde');
      await c.until('ok');
      c.socket.destroy();
    }
    // What was given back may be taken again.
    await expect
      .poll(async () => {
        const c = await send(1);
        c.send('cde');
        await Promise.race([c.closed, c.until(/ok|503/)]);
        c.socket.destroy();
        return c.text();
      })
      .toContain('ok');
  });

  const problem = sharingProblem(transport);
  test.skipIf(problem !== undefined)(
    'threads listen on one port, of HTTPS too, and serve a renewed certificate',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'svc-relay-'));
      try {
        const [certificate, key] = [join(folder, 'chain.pem'), join(folder, 'key.pem')];
        const write = (name: string): void => {
          const pair = newCertificate(name);
          writeFileSync(certificate, pair.certificate);
          writeFileSync(key, pair.key);
        };
        write('before');
        const tls = {
          port: 0,
          source: () => ({ kind: 'pem', certificate, key, passphrase: '' }) as const,
          ciphers: tlsCiphers({ included: '', excluded: '', excludedCiphers: '' }),
          watchEvery: 3_600_000,
        };
        const options = { ...OPTIONS, transport, tls, shared: true };
        main = await startHttpServer(options, (x) => {
          x.end('here 0');
        });
        const { port, securePort } = main;
        for (const thread of [1, 2])
          threads.push(await startThread(main, options, ok, { thread, ports: { port, securePort: securePort ?? 0 } }));
        expect(threads.map((thread) => [thread.port, thread.securePort])).toEqual([
          [port, securePort],
          [port, securePort],
        ]);
        const everybody = ['here 0', 'here 1', 'here 2'];
        await expect.poll(() => who(() => askPlain(port))).toEqual(everybody);
        await expect.poll(() => who(async () => (await askSecure(securePort ?? 0)).body)).toEqual(everybody);
        write('after');
        await main.reloadCertificate();
        const names = new Set<string>();
        await expect
          .poll(() =>
            who(async () => {
              const { body, name } = await askSecure(securePort ?? 0);
              names.add(name);
              return body;
            }),
          )
          .toEqual(everybody);
        expect([...names]).toEqual(['after']);
        // Nobody else may have it.
        await expect(startHttpServer({ ...OPTIONS, transport, port, shared: true }, ok)).rejects.toThrow(/in use/);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});

/** Who has answered some requests, each of a connection of its own. */
async function who(ask: () => Promise<string>): Promise<string[]> {
  const answers = await Promise.all(Array.from({ length: 24 }, ask));
  return [...new Set(answers.map((text) => text.slice(0, 6)))].sort();
}

async function askPlain(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', reject);
    socket.on('data', (data) => (text += data.toString()));
    socket.on('close', () => {
      resolve(text.slice(text.indexOf('\r\n\r\n') + 4));
    });
    socket.write('GET /here HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  });
}

function askSecure(port: number): Promise<{ readonly body: string; readonly name: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { port, host: '127.0.0.1', path: '/here', agent: false, rejectUnauthorized: false },
      (answer) => {
        const socket = answer.socket as TLSSocket;
        const name = nameOf(socket.getPeerX509Certificate()?.toString() ?? '');
        let body = '';
        answer.on('data', (data: Buffer) => (body += data.toString()));
        answer.on('end', () => {
          resolve({ body, name });
        });
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}

describe('counts in shared memory', () => {
  test('which transports can share a port', () => {
    expect(sharingProblem('uws', '20.19.0')).toBeUndefined();
    expect(sharingProblem('node', '22.12.0')).toBeUndefined();
    expect(sharingProblem('node', '24.0.0')).toBeUndefined();
    expect(sharingProblem('node', '20.20.2')).toMatch(/^transport node on Node 20\.20\.2 cannot share a port/);
    expect(sharingProblem('node', '23.0.0')).toContain('Node 22.12 or newer');
  });

  test('addresses: as one counter, however threads take turns, and with the table full each for itself', () => {
    const counts = ProcessCounts.create(3);
    const sides = [0, 1, 2].map((i) => new AddressCounts(5, new ProcessCounts(counts.memory, i).keys('addresses')));
    const model = new Map<string, number>();
    const held: [number, string][] = [];
    let seed = 7;
    const random = (most: number): number => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % most;
    for (let i = 0; i < 20_000; i++) {
      const side = random(3);
      const address = `10.0.0.${String(random(20))}`;
      if (random(2) === 0) {
        const open = model.get(address) ?? 0;
        expect(sides[side]?.admit(address)).toBe(open < 5);
        if (open < 5) {
          model.set(address, open + 1);
          held.push([side, address]);
        }
      } else {
        const [gone] = held.splice(random(Math.max(1, held.length)), 1);
        if (gone === undefined) continue;
        sides[gone[0]]?.release(gone[1]);
        model.set(gone[1], (model.get(gone[1]) ?? 0) - 1);
      }
    }
    // What one thread has counted is taken back.
    counts.forget(1);
    for (const [side, address] of held) if (side === 1) model.set(address, (model.get(address) ?? 0) - 1);
    for (const [address, open] of model) {
      for (let i = open; i < 5; i++) expect(sides[0]?.admit(address)).toBe(true);
      expect(sides[2]?.admit(address)).toBe(false);
    }
    // More clients than there are places: all are let in, and nobody has more than each thread gives.
    const many = Array.from(
      { length: 30_000 },
      (_, i) => `11.${String(i >> 16)}.${String((i >> 8) & 255)}.${String(i & 255)}`,
    );
    const admitted = many.map((address) => Array.from({ length: 6 }, () => sides[0]?.admit(address)));
    expect(new Set(admitted.map((all) => all.join(' ')))).toEqual(new Set(['true true true true true false']));
    for (const address of many) for (let i = 0; i < 5; i++) sides[0]?.release(address);
    expect(sides[2]?.admit('11.0.0.1')).toBe(true);
  });

  test('rates: as the window of one thread, and of too many keys the oldest leave', () => {
    const counts = ProcessCounts.create(2);
    const [one, two] = [counts.rates, new ProcessCounts(counts.memory, 1).rates];
    for (let i = 1; i <= 8; i++) expect((i % 2 === 0 ? one : two).add('a', 5_000_000)).toBe(i);
    // Half of the span later half of it counts, two spans later nothing.
    expect(two.add('a', 5_001_500)).toBe(8 * 0.5 + 1);
    expect(one.add('a', 5_004_000)).toBe(1);
    expect(one.size).toBe(1);
    for (let i = 0; i < 64; i++) one.forget(5_040_000, 30_000);
    expect(one.size).toBe(0);
    // The numbers of spans have come round: nothing of then counts now.
    one.add('b', 0);
    for (let i = 0; i < 64; i++) two.forget(100_000, 30_000);
    expect(one.add('b', 4096 * 1000)).toBe(1);
    for (let i = 0; i < 100_000; i++) one.add(`k${String(i)}`, 6_000_000 + i / 100);
    expect(one.add('k99999', 6_001_000)).toBe(2);
    expect(one.size).toBeLessThanOrEqual(32 * 1024);
  });
});
