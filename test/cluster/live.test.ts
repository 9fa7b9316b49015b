/** Streams of events with two instances on one Neo4j (docs/interface/live.md 4, 7). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EventStream } from '../support/event-stream.js';
import { type Instance, seen, startInstances } from './instances.js';

let instances: Instance[];
let close: () => Promise<void>;
beforeAll(async () => {
  ({ instances, close } = await startInstances(2, { 'httpservice.servlets': 'JsonRestServlet EventSourceServlet' }));
  await instances[0]?.server.admin.defineType('Task', []);
  for (const { server } of instances) await seen(async () => (await server.admin.get('/Task')).status === 200);
});
afterAll(() => close());

it('what one instance writes is told by the other, also to who comes from one that was killed', async () => {
  const [first, second] = instances;
  if (first === undefined || second === undefined) throw new Error('two instances are needed');
  const listen = (to: Instance, headers: Record<string, string> = {}): Promise<EventStream> =>
    EventStream.open(`${to.server.url}/svc/EventSource?subscribe=Task`, { ...to.server.admin.credentials, ...headers });
  const names = async (stream: EventStream, count: number): Promise<unknown[]> =>
    (await stream.take(count)).map(({ action, object }) => [action, object?.name]);
  const [atFirst, atSecond] = [await listen(first), await listen(second)];
  await atFirst.until('ready');
  await atSecond.until('ready');
  const id = await second.server.admin.create('Task', { name: 'one' });
  await first.server.admin.put(`/Task/${id}`, { name: 'two' });
  expect(await names(atSecond, 2)).toEqual([
    ['create', 'one'],
    ['update', 'two'],
  ]);
  // What is committed elsewhere comes in rounds: two changes of one object may be one event.
  let last: unknown;
  while (JSON.stringify(last) !== '"two"') last = ((await names(atFirst, 1))[0] as unknown[])[1];
  const lastId = await atFirst.lastId();
  await first.server.end('SIGKILL');
  await atFirst.ended();
  await second.server.admin.put(`/Task/${id}`, { name: 'three' });
  expect(await names(atSecond, 1)).toEqual([['update', 'three']]);
  const again = await listen(second, { 'Last-Event-ID': lastId });
  expect((await again.events(1))[0]?.[0]).toMatch(/^(?:reload|change)$/);
  await second.server.admin.delete(`/Task/${id}`);
  let action: unknown;
  while (action !== 'delete') [action] = (await names(again, 1))[0] as unknown[];
  again.close();
  atSecond.close();
});
