import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ByteBudget, HttpError, type Exchange } from '../../src/main/http/index.js';
import { connect, onEachTransport, withServer } from './support.js';

onEachTransport(() => {
  test('shares count for the process and for their address, and what does not fit changes nothing', () => {
    const budget = new ByteBudget({ total: 100, perAddress: 60 });
    const [a, b, c] = [budget.share('1.1.1.1'), budget.share('1.1.1.1'), budget.share('2.2.2.2')];
    expect(a.tryAcquire(40)).toBe(true);
    expect(b.tryAcquire(30)).toBe(false);
    expect(b.tryAcquire(20)).toBe(true);
    expect(c.tryAcquire(50)).toBe(false);
    expect(c.tryAcquire(40)).toBe(true);
    expect([budget.held, budget.heldBy('1.1.1.1'), budget.heldBy('2.2.2.2')]).toEqual([100, 60, 40]);
    a.give(1000);
    expect([a.held, budget.held]).toEqual([0, 60]);
    b.release();
    b.release();
    expect(b.tryAcquire(5)).toBe(true);
    expect([b.held, budget.held, budget.heldBy('1.1.1.1')]).toEqual([0, 40, 0]);
  });

  test('who is alone gets more than the limit, and nobody beside', () => {
    const budget = new ByteBudget({ total: 100, perAddress: 50 });
    const large = budget.share('1.1.1.1');
    expect(large.tryAcquire(70)).toBe(true);
    expect(large.tryAcquire(70)).toBe(true);
    expect(budget.share('2.2.2.2').tryAcquire(1)).toBe(false);
    large.release();
    expect(budget.held).toBe(0);
  });

  test('without limits nothing is refused; IPv6 clients count by their /64', () => {
    const budget = new ByteBudget({ total: 0, perAddress: 10 });
    expect(budget.share('2001:db8::1').tryAcquire(10)).toBe(true);
    expect(budget.share('2001:db8::ffff').tryAcquire(1)).toBe(false);
    budget.configure({ total: 0, perAddress: 0 });
    expect(budget.share('2001:db8::ffff').tryAcquire(1e12)).toBe(true);
  });

  test('a refusal is a 503 that says when to come again', () => {
    const budget = new ByteBudget({ total: 1, perAddress: 1 });
    budget.share('a').acquire(1);
    let error: unknown;
    try {
      budget.share('b').acquire(1);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } });
  });

  async function size(x: Exchange): Promise<void> {
    try {
      x.end(`${String((await x.readBody(1e7)).length)} bytes.`);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      x.status = error.status;
      for (const [name, value] of Object.entries(error.headers)) x.setHeader(name, value);
      x.end(`refused ${String(error.status)}.`);
    }
  }

  test('bodies that do not fit are refused while they arrive, and what is over counts no more', async () => {
    await withServer(
      size,
      async (url, server) => {
        const half = await connect(server);
        half.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n');
        half.send(Buffer.alloc(1_500_000));
        await expect.poll(() => server.budgets.bodies.held).toBeGreaterThan(1_400_000);
        const refused = await fetch(url, { method: 'POST', body: Buffer.alloc(1_000_000) });
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
        expect(await (await fetch(url, { method: 'POST', body: 'small' })).text()).toBe('5 bytes.');
        half.send(Buffer.alloc(500_000));
        await half.until('2000000 bytes.');
        await expect.poll(() => server.budgets.bodies.held).toBe(0);
        const gone = await connect(server);
        gone.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n');
        gone.send(Buffer.alloc(1_500_000));
        await expect.poll(() => server.budgets.bodies.held).toBeGreaterThan(1_400_000);
        gone.socket.destroy();
        await expect.poll(() => server.budgets.bodies.held).toBe(0);
      },
      { bodies: { total: 2_200_000, perAddress: 0 } },
    );
  });

  test('a body that a small one unpacks to counts as well', async () => {
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    await withServer(
      async (x) => {
        const body = await x.readBody(1e7);
        await gate;
        x.end(`${String(body.length)} bytes.`);
      },
      async (url, server) => {
        const body = gzipSync(Buffer.alloc(3_000_000));
        const asked = fetch(url, { method: 'POST', body, headers: { 'Content-Encoding': 'gzip' } });
        await expect.poll(() => server.budgets.bodies.held).toBe(3_000_000);
        go();
        expect(await (await asked).text()).toBe('3000000 bytes.');
        expect(server.budgets.bodies.held).toBe(0);
      },
    );
  });
});
