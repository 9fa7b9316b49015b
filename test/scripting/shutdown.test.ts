/** A server whose scripts go on for ever ends all the same (docs/interface/script-runtime.md 7.1, contract, Start). */
import { rm } from 'node:fs/promises';
import { afterEach, expect, it } from 'vitest';
import { EXIT } from '../../src/main/exit-codes.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
afterEach(async () => {
  server.child.kill('SIGKILL');
  await rm(server.folder, { recursive: true });
});

const WAYS = [
  ['waits', '$.sleep(600000)'],
  ['computes', 'for (;;);'],
] as const;

/** A server with a method that says so when it has begun to do `work`. */
async function startWith(source: (work: string) => string, work: string): Promise<void> {
  server = await TestServer.start();
  await server.admin.create('SchemaMethod', { name: 'begin', source: source(`$.log('it has begun'); ${work};`) });
}

it.each(WAYS)('ends while JavaScript that was scheduled %s', async (_, work) => {
  await startWith((text) => `{ $.schedule("{ ${text} }"); }`, work);
  await allow(server.admin, 'begin', 'user', ['POST']);
  expect((await server.admin.post('/begin', {})).status).toBe(200);
  expect(await server.untilLogged(/it has begun/)).not.toEqual([]);
  expect(await server.end('SIGTERM')).toBe(0);
});

it.each(WAYS)('ends at once by a second signal while JavaScript of a request %s', async (_, work) => {
  await startWith((text) => `{ ${text} }`, work);
  const answer = server.admin.post('/begin', {}).catch(() => undefined);
  expect(await server.untilLogged(/it has begun/)).not.toEqual([]);
  server.child.kill('SIGTERM');
  expect(await server.untilLogged(/finishing 1 running/)).not.toEqual([]);
  expect(await server.end('SIGTERM')).toBe(EXIT.interrupted);
  await answer;
});
