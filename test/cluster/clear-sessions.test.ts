import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { type Instance, startInstances } from './instances.js';

const CLEAR = { 'application.session.clear.onstartup': 'true', 'application.session.clear.onshutdown': 'true' };
let instances: Instance[];
let close: () => Promise<void>;

beforeAll(async () => {
  ({ instances, close } = await startInstances(2, CLEAR));
});
afterAll(() => close());

it('an instance that ends or starts beside another ends no sessions, the last one does', async () => {
  const [stays, goes] = instances as [Instance, Instance];
  expect(goes.server.logged(/in spite of application\.session\.clear\.onstartup/)).toHaveLength(1);
  await allow(stays.server.admin, '_login', 'anonymous', ['POST']);
  const session = await new Client(stays.server.url, 'admin', 'admin').loggedIn();
  await goes.server.end();
  expect(goes.server.logged(/in spite of application\.session\.clear\.onshutdown/)).toHaveLength(1);
  expect((await session.get('/me')).status).toBe(200);
  const again = await TestServer.start({
    folder: goes.server.folder,
    settings: { 'database.connection.url': goes.line.url, ...CLEAR },
    environment: { REPLICA: '1' },
  });
  expect((await session.get('/me')).status).toBe(200);
  await again.end();
  await stays.server.end();
  expect(stays.server.logged(/ended 1 sessions: application\.session\.clear\.onshutdown/)).toHaveLength(1);
});
