import { afterAll, beforeAll, expect, it } from 'vitest';
import { onNeo4j, TestServer } from '../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'application.instance.name': 'alone' } });
});
afterAll(() => server.stop());

it('an instance by itself is its own coordinator', async () => {
  const { body, headers, status } = await server.admin.get('/_cluster');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    result: {
      coordinator: 'alone',
      members: [{ name: 'alone', pid: server.child.pid, coordinator: true, self: true, alive: true }],
    },
  });
  const { members } = (body as { result: { members: { lastHeartbeat: string; startedAt: string }[] } }).result;
  expect(Date.parse(members[0]?.lastHeartbeat ?? '')).toBeGreaterThanOrEqual(Date.parse(members[0]?.startedAt ?? ''));
  // The name of the node is said where there may be others.
  expect(headers['x-svc-cluster-node']).toBe(onNeo4j ? 'alone' : undefined);
});

it('who shares the database is for administrators, and only to be read', async () => {
  expect((await server.as().get('/_cluster')).status).toBe(401);
  expect((await server.admin.delete('/_cluster')).status).toBe(405);
  expect((await server.admin.get('/_cluster/more')).status).toBe(404);
});
