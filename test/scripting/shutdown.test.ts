/** A server whose scripts go on for ever ends all the same (scripting.md 10.4, contract, Start). */
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

it.each([
  ['waits', '$.sleep(600000)'],
  ['computes', 'for (;;);'],
])('ends while JavaScript that was scheduled %s', async (_, work) => {
  server = await TestServer.start();
  const { admin } = server;
  await admin.create('SchemaMethod', {
    name: 'begin',
    source: `{ $.schedule("{ $.log('it has begun'); ${work}; }"); }`,
  });
  await allow(admin, 'begin', 'user', ['POST']);
  expect((await admin.post('/begin', {})).status).toBe(200);
  expect(await server.untilLogged(/it has begun/)).not.toEqual([]);
  expect(await server.end('SIGTERM')).toBe(0);
});

it.each([
  ['waits', '$.sleep(600000)'],
  ['computes', 'for (;;);'],
])('ends at once by a second signal while JavaScript of a request %s', async (_, work) => {
  server = await TestServer.start();
  const { admin } = server;
  await admin.create('SchemaMethod', { name: 'begin', source: `{ $.log('it has begun'); ${work}; }` });
  const answer = admin.post('/begin', {}).catch(() => undefined);
  expect(await server.untilLogged(/it has begun/)).not.toEqual([]);
  server.child.kill('SIGTERM');
  expect(await server.untilLogged(/finishing 1 running/)).not.toEqual([]);
  expect(await server.end('SIGTERM')).toBe(EXIT.interrupted);
  await answer;
});
