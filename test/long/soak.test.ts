/**
 * A short soak: visitors, users and an administrator read, write, log in, upload and run scripts. Every answer is the one that is expected, and the
 * server keeps nothing of them. Case 62 of the bench does the same with a million requests and looks at the memory closely. `SOAK_REQUESTS=100000` does more.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { soakClients, Traffic } from '../../bench/soak/clients.js';
import { makeWorld, type World } from '../../bench/soak/world.js';
import { memoryOf } from '../support/storage.js';
import { TestServer } from '../support/server.js';

const REQUESTS = Number(process.env['SOAK_REQUESTS'] ?? 6000);
/** What the second half may take: the engine still compiles and fills caches then. A leak of 40 KB a request is more. */
const MOST = 120;

let server: TestServer;
let world: World;
beforeAll(async () => {
  server = await TestServer.start();
  world = await makeWorld({
    url: server.url,
    request: async (method, path, body) => {
      const { status, text, body: answer } = await server.admin.send(method, path, body);
      if (status >= 300) throw new Error(`${method} ${path} answered ${String(status)}: ${text}`);
      return answer as { result: unknown };
    },
  });
});
afterAll(() => server.stop());

it(`${REQUESTS.toLocaleString('en')} requests are all answered, and leave nothing`, async () => {
  const traffic = new Traffic(server.url, world);
  const clients = soakClients(traffic, 20);
  await traffic.run(clients, REQUESTS / 2);
  const before = await memoryOf(server.child.pid);
  await traffic.run(clients, REQUESTS / 2);
  const after = await memoryOf(server.child.pid);
  traffic.close();
  expect(traffic.unexpected).toEqual({});
  expect(traffic.answers).toBeGreaterThanOrEqual(REQUESTS);
  expect(after - before).toBeLessThan(MOST);
});
