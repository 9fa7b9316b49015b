import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RateLimiter, type Exchange, type Handler, type RateLimits } from '../../src/main/http/index.js';
import { RateWindow } from '../../src/shared/rate-window.js';
import { connect, onEachTransport, type RawConnection, withServer, within } from './support.js';
import type { HttpServer } from '../../src/main/http/index.js';

const LIMITS: RateLimits = {
  enabled: true,
  requestsPerSecond: 3,
  delay: 100,
  slots: 2,
  slotWait: 50,
  throttle: 200,
  maxRun: 0,
  forgetAfter: 30_000,
  headers: true,
  perConnection: false,
  refusedStatus: 429,
  exempt: [],
};

async function limited(
  limits: Partial<RateLimits>,
  use: (url: string, limiter: RateLimiter, server: HttpServer) => Promise<void>,
  handler: Handler = (x) => {
    x.end('ok');
  },
): Promise<void> {
  const limiter = new RateLimiter({ ...LIMITS, ...limits });
  await withServer(limiter.wrap(handler), (url, server) => use(url, limiter, server), {
    trustedProxies: ['127.0.0.1'],
  });
}

interface Seen {
  readonly status: number;
  readonly mark: string | null;
  readonly ms: number;
  readonly retryAfter: string | null;
}

async function ask(url: string, from = '1.2.3.4'): Promise<Seen> {
  const start = performance.now();
  const { status, headers } = await fetch(url, { headers: { 'X-Forwarded-For': from } });
  return {
    status,
    mark: headers.get('dosfilter'),
    ms: performance.now() - start,
    retryAfter: headers.get('retry-after'),
  };
}

const many = (url: string, count: number, from?: string): Promise<Seen[]> =>
  Promise.all(Array.from({ length: count }, () => ask(url, from)));

onEachTransport((transport) => {
  test('requests beyond the limit are delayed, those of other clients are not', async () => {
    await limited({ delay: 1000 }, async (url) => {
      const own = await many(url, 5);
      expect(own.map((s) => s.status)).toEqual([200, 200, 200, 200, 200]);
      const delayed = own.filter((s) => s.mark === 'delayed');
      expect(delayed).toHaveLength(2);
      for (const { ms } of delayed) expect(ms).toBeGreaterThan(990);
      const other = await ask(url, '1.2.3.5');
      expect(other.mark).toBeNull();
      expect(other.ms).toBeLessThan(900);
    });
  });

  test('with a delay of -1 they are refused at once and told when to come back', async () => {
    await limited({ delay: -1, refusedStatus: 420 }, async (url) => {
      const seen = (await many(url, 5)).filter((s) => s.status !== 200);
      expect(seen.map((s) => [s.status, s.mark, s.retryAfter])).toEqual([
        [420, 'unavailable', '1'],
        [420, 'unavailable', '1'],
      ]);
      const body: unknown = await (await fetch(url, { headers: { 'X-Forwarded-For': '1.2.3.4' } })).json();
      expect(body).toMatchObject({ code: 420, errors: [] });
      await sleep(2050);
      expect((await ask(url)).status).toBe(200);
    });
  });

  test('beyond the slots they wait, and are refused when that takes too long', async () => {
    let running = 0;
    let most = 0;
    await limited(
      { delay: 0, requestsPerSecond: 1, throttle: 1400 },
      async (url) => {
        const seen = await many(url, 6);
        const by = (mark: string | null): number => seen.filter((s) => s.mark === mark).length;
        // One within the limit, two in the slots, two that got a slot after a while, one too late.
        expect([by(null), by('throttled'), by('unavailable')]).toEqual([3, 2, 1]);
        expect(seen.filter((s) => s.status === 503).map((s) => s.retryAfter)).toEqual(['1']);
        expect(most).toBe(3);
      },
      async (x) => {
        most = Math.max(most, ++running);
        await sleep(1000);
        running--;
        x.end('ok');
      },
    );
  });

  test('without headers nothing is said, exempt addresses and ranges are not limited', async () => {
    await limited({ delay: 1, headers: false, exempt: ['9.9.9.9', '10.0.0.0/8'] }, async (url) => {
      expect((await many(url, 5)).map((s) => s.mark)).toEqual([null, null, null, null, null]);
    });
    await limited({ delay: -1, exempt: ['9.9.9.9', '10.0.0.0/8'] }, async (url) => {
      expect((await many(url, 9, '9.9.9.9')).every((s) => s.status === 200)).toBe(true);
      expect((await many(url, 9, '10.1.2.3')).every((s) => s.status === 200)).toBe(true);
    });
  });

  test('IPv6 clients count by their /64; a forged X-Forwarded-For makes no new client', async () => {
    await limited({ delay: -1 }, async (url) => {
      const seen = await Promise.all([1, 2, 3, 4, 5].map((n) => ask(url, `2001:db8::${String(n)}`)));
      expect(seen.filter((s) => s.status === 429)).toHaveLength(2);
      const forged = await Promise.all([1, 2, 3, 4, 5].map((n) => ask(url, `7.7.7.${String(n)}, 1.1.1.1`)));
      expect(forged.filter((s) => s.status === 429)).toHaveLength(2);
    });
    const limiter = new RateLimiter({ ...LIMITS, delay: -1 });
    await withServer(
      limiter.wrap((x) => {
        x.end();
      }),
      async (url) => {
        const forged = await Promise.all([1, 2, 3, 4, 5].map((n) => ask(url, `7.7.7.${String(n)}`)));
        expect(forged.filter((s) => s.status === 429)).toHaveLength(2);
      },
    );
  });

  // uWebSockets.js does not tell connections apart: there an address counts as a whole (docs/http.md).
  if (transport === 'node')
    test('each connection for itself', async () => {
      await limited({ delay: -1, perConnection: true }, async (_url, _limiter, server) => {
        const send = async (c: RawConnection): Promise<string> => {
          const length = c.text().length;
          c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
          while (!c.text().slice(length).includes('\r\n\r\n')) await sleep(2);
          return c.text().slice(length + 9, length + 12);
        };
        const [a, b] = [await connect(server), await connect(server)];
        const statuses: string[] = [];
        for (let i = 0; i < 4; i++) statuses.push(await send(a));
        expect(statuses).toEqual(['200', '200', '200', '429']);
        expect(await send(b)).toBe('200');
      });
    });

  test('clients that go away free what they waited for, and the loop is never held up', async () => {
    await limited({ requestsPerSecond: 1, delay: 5000, throttle: 5000 }, async (url, limiter, server) => {
      await ask(url);
      const waiting = await Promise.all(Array.from({ length: 20 }, () => connect(server)));
      for (const c of waiting) c.send('GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n');
      while (limiter.waiting < 20) await sleep(5);
      expect((await ask(url, '8.8.8.8')).ms).toBeLessThan(2000);
      for (const c of waiting) c.socket.destroy();
      const end = Date.now() + 20_000;
      while (limiter.waiting > 0 && Date.now() < end) await sleep(5);
      expect([limiter.waiting, server.activeRequests]).toEqual([0, 0]);
    });
  });

  test('no more than a hundred requests of a client wait', async () => {
    await limited({ requestsPerSecond: 1, delay: 2000, slots: 200 }, async (url, limiter) => {
      const seen = many(url, 150);
      while (limiter.waiting < 100) await sleep(5);
      const all = await seen;
      expect(all.filter((s) => s.status === 429)).toHaveLength(49);
      expect(limiter.waiting).toBe(0);
    });
  });

  test('a request that runs too long is answered 503 and its work told to end', async () => {
    let ended: boolean | undefined;
    let done: Promise<void> | undefined;
    const slow = async (x: Exchange): Promise<void> => {
      await sleep(2000, undefined, { signal: x.signal }).catch(() => (ended = x.aborted));
      x.setHeader('X-Late', '1');
      x.end('late');
    };
    await limited(
      { maxRun: 100 },
      async (url, _limiter, server) => {
        const c = await connect(server);
        c.send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
        expect(await c.until('took too long')).toMatch(/^HTTP\/1\.1 503 /);
        await within(done ?? Promise.resolve(), 1900);
        expect(ended).toBe(true);
        // The connection is still of use, and late words of the old request do not get into the next answer.
        c.send('GET /fast HTTP/1.1\r\nHost: a\r\n\r\n');
        await c.until('fast!');
        expect(c.text()).not.toMatch(/late/i);
        expect((await ask(url)).status).toBe(200);
      },
      (x) => {
        if (x.path !== '/slow') {
          x.end('fast!');
          return;
        }
        done = slow(x);
        return done;
      },
    );
  });

  test('changed limits hold for the next request, and none are remembered without end', async () => {
    await limited({ enabled: false, delay: -1 }, async (url, limiter) => {
      expect((await many(url, 9)).every((s) => s.status === 200)).toBe(true);
      expect(limiter.tracked).toBe(0);
      limiter.configure({ ...LIMITS, delay: -1, forgetAfter: 0 });
      expect((await many(url, 5)).filter((s) => s.status === 429)).toHaveLength(2);
      expect(limiter.tracked).toBe(1);
      const end = Date.now() + 20_000;
      while (limiter.tracked > 0 && Date.now() < end) await sleep(50);
      expect(limiter.tracked).toBe(0);
    });
  });

  test('a window counts of late events, in bounded memory', () => {
    const window = new RateWindow(1000, 3);
    for (let i = 1; i <= 10; i++) expect(window.add('a', 100 + i)).toBe(i);
    expect(window.count('a', 1600)).toBeCloseTo(10 * (1 - 0.499), 5);
    expect(window.count('a', 5000)).toBe(0);
    for (const key of ['b', 'c', 'd', 'e']) window.add(key, 5000);
    expect(window.size).toBe(3);
    expect([window.count('b', 5000), window.count('e', 5000)]).toEqual([0, 1]);
    window.forget(9000, 0);
    expect(window.size).toBe(0);
  });
});
