/** Endless loops of a user beside other scripts of the same user (docs/design/docs/interface/script-runtime.md 8). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestServer } from '../../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ settings: { 'application.scripting.js.timeout.cpu': 60_000 } });
});
afterAll(() => server.stop());

it('eight endless loops do not keep a user from other scripts', async () => {
  const { admin } = server;
  await admin.create('SchemaMethod', { name: 'loop', source: '{ for (;;); }' });
  for (const name of ['one', 'two', 'three']) {
    await admin.create('SchemaMethod', { name, source: `{ return '${name}'; }` });
  }
  // They end with the server.
  for (let i = 0; i < 8; i++) void admin.post('/loop', {}).catch(() => undefined);
  const results = await Promise.all(['one', 'two', 'three'].map((name) => admin.post(`/${name}`, {})));
  expect(results.map(({ status, body }) => [status, body.result])).toEqual([
    [200, 'one'],
    [200, 'two'],
    [200, 'three'],
  ]);
});
