import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ListenError } from '../../src/main/http/index.js';
import { start, connect, onEachTransport, withServer, within } from './support.js';

onEachTransport(() => {
  test('a second server on the same port is refused', async () => {
    await withServer(
      (x) => {
        x.end('first');
      },
      async (url, server) => {
        const second = start({ port: server.port }, () => undefined);
        await expect(second).rejects.toBeInstanceOf(ListenError);
        await expect(second).rejects.toMatchObject({ port: server.port });
        expect(await (await fetch(url)).text()).toBe('first');
      },
    );
  });

  test('running requests are drained, idle connections closed, new ones refused', async () => {
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const server = await start({}, async (x) => {
      await gate;
      x.end('drained');
    });
    const idle = await connect(server);
    const busy = await connect(server);
    busy.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => server.activeRequests).toBe(1);
    const closing = server.close(60_000);
    await within(idle.closed);
    await expect(fetch(`http://127.0.0.1:${String(server.port)}`)).rejects.toThrow();
    go();
    expect(await busy.until('drained')).toContain('Connection: close');
    await within(closing);
    await within(busy.closed);
    expect(server.activeRequests).toBe(0);
  });

  test('requests that do not end in time are cut off', async () => {
    let aborted = false;
    const server = await start({}, async (x) => {
      await new Promise((resolve) => {
        x.signal.addEventListener('abort', resolve);
      });
      aborted = x.aborted;
    });
    const c = await connect(server);
    c.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => server.activeRequests).toBe(1);
    await within(server.close(100));
    await within(c.closed);
    await sleep(0);
    expect(aborted).toBe(true);
  });

  test('closing twice is closing once', async () => {
    const server = await start({}, (x) => {
      x.end();
    });
    await Promise.all([server.close(0), server.close(0)]);
  });
});
