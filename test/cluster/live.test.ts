/** Streams of events with two instances on one Neo4j (docs/interface/live.md 4, 7). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { EventStream } from '../support/event-stream.js';
import { allow } from '../support/permissions.js';
import { type Instance, seen, startInstances } from './instances.js';

let instances: Instance[];
let close: () => Promise<void>;
beforeAll(async () => {
  ({ instances, close } = await startInstances(2, { 'httpservice.servlets': 'JsonRestServlet EventSourceServlet' }));
  const admin = instances[0]?.server.admin;
  await admin?.defineType('Task', []);
  if (admin !== undefined) for (const one of ['_eventSource', 'Task']) await allow(admin, one, 'anonymous', ['GET']);
  for (const { server } of instances) await seen(async () => (await server.admin.get('/Task')).status === 200);
});
afterAll(() => close());

const at = (i: number): Instance => {
  const instance = instances[i];
  if (instance === undefined) throw new Error('two instances are needed');
  return instance;
};
const listen = async (
  to: Instance,
  query: string,
  client: Client,
  headers: Record<string, string> = {},
): Promise<EventStream> => {
  const stream = await EventStream.open(`${to.server.url}/svc/EventSource?${query}`, {
    ...client.credentials,
    ...headers,
  });
  if (query !== '') await stream.until('ready');
  return stream;
};
const actions = async (stream: EventStream, count: number): Promise<unknown[]> =>
  (await stream.take(count)).map(({ action, id, object }) => [
    action,
    id,
    (object as { name?: string } | undefined)?.name,
  ]);

it('events of scripts reach the streams of all instances', async () => {
  const [one, other] = [at(0), at(1)];
  const streams = [await listen(one, '', one.server.admin), await listen(other, '', other.server.admin)];
  await one.server.admin.create('SchemaMethod', {
    name: 'tell',
    source: "{ for (let i = 0; i < 5; i++) $.broadcastEvent('n', String(i)); $.sendEvent('mine', 'm', $.me); }",
  });
  expect((await one.server.admin.post('/tell')).status).toBe(200);
  const told = [...['0', '1', '2', '3', '4'].map((n) => ['n', n]), ['mine', 'm']];
  for (const stream of streams) expect(await stream.events(6)).toEqual(told);
  await seen(async () => (await other.server.admin.post('/tell')).status === 200);
  // Once each, whoever sends.
  for (const stream of streams) expect(await stream.events(6)).toEqual(told);
  for (const stream of streams) stream.close();
});

it('who comes from an instance that was killed is told what was missed, as far as it may be known', async () => {
  const [first, second] = [at(0), at(1)];
  const { admin } = second.server;
  const seenByAll = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
  const nobody = first.server.as();
  const [changed, deleted, hidden, secret] = await Promise.all(
    ['changed', 'deleted', 'hidden', 'secret'].map((name) =>
      admin.create('Task', { name, ...(name === 'secret' ? {} : seenByAll) }),
    ),
  );
  await seen(async () => (await first.server.admin.get('/Task')).body.result_count === 4);
  // Who writes has heard of all commits before: streams that begin now are told of later ones.
  await first.server.admin.create('Folder', { name: 'heard' });
  const streams = {
    admin: await listen(first, 'subscribe=Task', first.server.admin),
    nobody: await listen(first, 'subscribe=Task', nobody),
    filtered: await listen(first, `subscribe=${encodeURIComponent('Task?name=changed')}`, nobody),
  };
  // Also while nobody listens here, what it has told of is known.
  await first.server.admin.put(`/Task/${String(changed)}`, { name: 'told' });
  expect(await actions(streams.admin, 1)).toEqual([['update', changed, 'told']]);
  expect(await actions(streams.nobody, 1)).toEqual([['update', changed, 'told']]);
  expect(await actions(streams.filtered, 1)).toEqual([['delete', changed, undefined]]);
  const ids = {
    admin: await streams.admin.lastId(),
    nobody: await streams.nobody.lastId(),
    filtered: await streams.filtered.lastId(),
  };
  await first.server.end('SIGKILL');
  await streams.admin.ended();
  await admin.put(`/Task/${String(changed)}`, { name: 'missed' });
  await admin.delete(`/Task/${String(deleted)}`);
  await admin.put(`/Task/${String(secret)}`, { name: 'more secret' });
  await admin.delete(`/Task/${String(secret)}`);
  const made = await admin.create('Task', { name: 'made', ...seenByAll });

  const coming = (id: string): Record<string, string> => ({ 'Last-Event-ID': id });
  const again = await listen(second, 'subscribe=Task', admin, coming(ids.admin));
  expect(await actions(again, 4)).toEqual([
    ['update', changed, 'missed'],
    ['delete', deleted, undefined],
    ['delete', secret, undefined],
    ['create', made, 'made'],
  ]);
  const nobodyThere = second.server.as();
  const anonymous = await listen(second, 'subscribe=Task', nobodyThere, coming(ids.nobody));
  expect(await actions(anonymous, 3)).toEqual([
    ['update', changed, 'missed'],
    ['delete', deleted, undefined],
    ['create', made, 'made'],
  ]);
  // A filter may have been left by what is not known any more.
  const filter = `subscribe=${encodeURIComponent('Task?name=changed')}`;
  const filtered = await listen(second, filter, nobodyThere, coming(ids.filtered));
  expect(await filtered.events(1)).toEqual([['reload', '{}']]);
  // What is told here and now goes on.
  await admin.put(`/Task/${String(hidden)}`, { visibleToPublicUsers: false });
  expect(await actions(anonymous, 1)).toEqual([['delete', hidden, undefined]]);
  for (const stream of [again, anonymous, filtered]) stream.close();
  // A number that nobody has given yet.
  const ahead = await listen(second, 'subscribe=Task', admin, coming('99999999'));
  expect(await ahead.events(1)).toEqual([['reload', '{}']]);
  ahead.close();
});
