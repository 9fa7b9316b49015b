/** docs/interface/live.md: streams of events, what they tell, and to whom. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { EventStream } from '../support/event-stream.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const PASSWORD = 'correct horse';
const STREAM = '/svc/EventSource';
let server: TestServer;
let admin: Client;
let eve: Client;
let evesId: string;
const open: EventStream[] = [];

beforeAll(async () => {
  server = await TestServer.start({
    settings: {
      'httpservice.servlets': 'JsonRestServlet LoginServlet EventSourceServlet',
      'eventsourceservlet.known.most': 50,
    },
  });
  ({ admin } = server);
  evesId = await admin.create('User', { name: 'eve', password: PASSWORD });
  eve = server.as('eve', PASSWORD);
  await admin.create('SchemaNode', {
    name: 'Task',
    schemaProperties: [
      { name: 'done', propertyType: 'Boolean' },
      { name: 'secret', propertyType: 'String' },
    ],
    schemaViews: [{ name: 'public', nonGraphProperties: 'id, type, name, done' }],
  });
  for (const who of ['user', 'anonymous'] as const)
    for (const signature of ['_eventSource', 'Task']) await allow(admin, signature, who, ['GET']);
  await allow(admin, '_login', 'anonymous', ['POST']);
  await allow(admin, '_logout', 'user', ['POST']);
});
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});
afterAll(() => server.stop());

async function listen(
  query: string,
  client: Client = admin,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  const stream = await EventStream.open(`${server.url}${STREAM}${query}`, { ...client.credentials, ...headers });
  open.push(stream);
  if (query.includes('subscribe')) await stream.until('ready');
  return stream;
}
const task = (values: Record<string, unknown> = {}): Promise<string> => admin.create('Task', { name: 't', ...values });
const seen = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };

describe('the stream', () => {
  it('is 404 where it is not active, as is whatever else is left out', async () => {
    const other = await TestServer.start();
    try {
      expect((await other.admin.send('GET', STREAM)).status).toBe(404);
    } finally {
      await other.stop();
    }
    expect((await admin.send('GET', '/svc/upload')).status).toBe(404);
  });

  it('wants its permission, and those of what it is about', async () => {
    await admin.create('SchemaNode', { name: 'Hidden' });
    expect((await eve.send('GET', `${STREAM}?subscribe=Hidden`)).status).toBe(401);
    expect((await server.as('eve', 'wrong').send('GET', STREAM)).status).toBe(401);
  });

  it.each([
    ['?subscribe=Nothing', 404],
    ['?subscribe=Task/name', 404],
    ['?subscribe=_env', 404],
    ['?subscribe=Task%3F_page%3D2', 400],
    ['?subscribe=Task%3Fnothing%3D2', 400],
    ['?subscribe=Task/00000000000000000000000000000001', 404],
    [
      `?${'subscribe=Task&subscribe=Task/ui&'.repeat(1)}${Array.from({ length: 20 }, (_, i) => `subscribe=Task%3Fname%3D${String(i)}`).join('&')}`,
      400,
    ],
    ['?other=1', 400],
    ['?lastEventId=x', 400],
  ])('refuses %s with %i', async (query, status) => {
    expect((await admin.send('GET', `${STREAM}${query}`)).status).toBe(status);
  });

  it('refuses other methods and other forms', async () => {
    expect((await admin.send('POST', STREAM, {})).status).toBe(405);
    expect((await admin.send('GET', STREAM, undefined, { Accept: 'application/json' })).status).toBe(406);
  });

  it('is a stream of events that nobody keeps', async () => {
    const stream = await listen('');
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.headers.get('cache-control')).toBe('no-cache, no-store');
  });
});

describe('what is told', () => {
  it('objects of a type, as they come, change and go', async () => {
    const stream = await listen('?subscribe=Task');
    const id = await task({ secret: 's' });
    const told = await stream.take(1);
    await admin.put(`/Task/${id}`, { done: true });
    told.push(...(await stream.take(1)));
    await admin.delete(`/Task/${id}`);
    told.push(...(await stream.take(1)));
    const subscription = 'Task';
    expect(told).toEqual([
      { subscription, action: 'create', id, type: 'Task', object: { id, type: 'Task', name: 't', done: false } },
      { subscription, action: 'update', id, type: 'Task', object: { id, type: 'Task', name: 't', done: true } },
      { subscription, action: 'delete', id, type: 'Task' },
    ]);
  });

  it('a filtered list: what enters and what leaves it', async () => {
    const id = await task({ done: true });
    const stream = await listen('?subscribe=Task%3Fdone%3Dfalse');
    await admin.put(`/Task/${id}`, { done: false });
    const told = await stream.take(1);
    await admin.put(`/Task/${id}`, { done: true });
    told.push(...(await stream.take(1)));
    await task({ done: true });
    const last = await task();
    told.push(...(await stream.take(1)));
    expect(told.map(({ action, id: of }) => [action, of])).toEqual([
      ['create', id],
      ['delete', id],
      ['create', last],
    ]);
  });

  it('one object', async () => {
    const [id, other] = [await task(), await task()];
    const stream = await listen(`?subscribe=Task/${id}`);
    await admin.put(`/Task/${other}`, { name: 'no' });
    await admin.put(`/Task/${id}`, { name: 'yes' });
    expect(await stream.take(1)).toMatchObject([{ action: 'update', id, object: { name: 'yes' } }]);
    await admin.delete(`/Task/${id}`);
    expect(await stream.take(1)).toMatchObject([{ action: 'delete', id }]);
  });

  it('nothing that may not be read, and that it may not any more', async () => {
    const hidden = await task({ name: 'hidden' });
    const stream = await listen('?subscribe=Task', eve);
    const nobody = await listen('?subscribe=Task', server.as());
    await admin.put(`/Task/${hidden}`, { name: 'still hidden' });
    await admin.delete(`/Task/${hidden}`);
    const shown = await task({ name: 'shown', ...seen });
    const next = async (of: EventStream): Promise<unknown> => {
      const [told] = await of.take(1);
      return [told?.action, told?.type, told?.id === shown];
    };
    expect([await next(stream), await next(nobody)]).toEqual(Array(2).fill(['create', 'Task', true]));
    await admin.put(`/Task/${shown}`, { visibleToPublicUsers: false });
    expect(await next(stream)).toEqual(['update', 'Task', true]);
    expect(await next(nobody)).toEqual(['delete', 'Task', true]);
    await admin.put(`/Task/${shown}`, { visibleToAuthenticatedUsers: false });
    expect(await next(stream)).toEqual(['delete', 'Task', true]);
    await admin.post('/Security', { sourceId: evesId, targetId: shown, allowed: ['read'] });
    expect(await next(stream)).toEqual(['create', 'Task', true]);
  });

  it('events of scripts, to those that they are for', async () => {
    const [mine, eves, nobodys] = [await listen(''), await listen('', eve), await listen('', server.as())];
    const group = await admin.create('Group', { name: 'team', members: [evesId] });
    await admin.create('SchemaMethod', {
      name: 'tell',
      source: `{ $.broadcastEvent('all', 'one\\ntwo', true, true); $.broadcastEvent('users', { n: 1 });
        return [$.sendEvent('team', 'x', $.find('Group', '${group}')), $.sendEvent('self', 'y', $.me), $.sendEvent('no', 'z', 'nobody')] }`,
    });
    await admin.create('SchemaMethod', {
      name: 'tell2',
      source: "(broadcastEvent('late', 'l', true, true), sendEvent('late', 'm', me))",
    });
    expect((await admin.post('/tell')).body.result).toEqual([true, true, false]);
    expect((await admin.post('/tell2')).body.result).toBe('true');
    expect(await nobodys.events(2)).toEqual([
      ['all', 'one\ntwo'],
      ['late', 'l'],
    ]);
    expect(await eves.events(4)).toEqual([
      ['all', 'one\ntwo'],
      ['users', '{"n":1}'],
      ['team', 'x'],
      ['late', 'l'],
    ]);
    expect(await mine.events(5)).toEqual([
      ['all', 'one\ntwo'],
      ['users', '{"n":1}'],
      ['self', 'y'],
      ['late', 'l'],
      ['late', 'm'],
    ]);
  });

  it('nothing of what a script writes in silence', async () => {
    const stream = await listen('?subscribe=Task');
    await admin.create('SchemaMethod', {
      name: 'quiet',
      source: "{ $.disableNotifications(); $.create('Task', { name: 'unheard' }) }",
    });
    await admin.post('/quiet');
    await task({ name: 'heard' });
    expect((await stream.take(1))[0]?.object?.name).toBe('heard');
  });
});

describe('coming back', () => {
  it('what was missed is told, and nothing else', async () => {
    const first = await listen('?subscribe=Task');
    const id = await task();
    await first.take(1);
    first.close();
    const other = await listen('?subscribe=Task');
    await admin.put(`/Task/${id}`, { name: 'missed' });
    await other.take(1);
    await admin.delete(`/Task/${id}`);
    const again = await listen('?subscribe=Task', admin, { 'Last-Event-ID': await first.lastId() });
    expect((await again.take(2)).map(({ action }) => action)).toEqual(['update', 'delete']);
  });

  it('at an address that nobody has listened to, what was committed since is told as far as it may be known', async () => {
    const first = await listen('?subscribe=Task', eve);
    const [changed, deleted, hidden] = [await task(seen), await task(seen), await task()];
    await first.take(2);
    const coming = (address: string, id: string): Promise<EventStream> =>
      listen(`?subscribe=${encodeURIComponent(address)}&lastEventId=${id}`, eve);
    const id = await first.lastId();
    await admin.put(`/Task/${changed}`, { name: 'missed' });
    await admin.delete(`/Task/${deleted}`);
    await admin.put(`/Task/${hidden}`, { name: 'still hidden' });
    await admin.delete(`/Task/${hidden}`);
    const made = await task(seen);
    await admin.delete(`/Task/${await task(seen)}`);
    const again = await coming('Task/public', id);
    expect((await again.take(3)).map((one) => [one.action, one.id])).toEqual([
      ['update', changed],
      ['delete', deleted],
      ['create', made],
    ]);
    // What has left a filter, or was taken away, may have been shown to her or not.
    const one = async (stream: EventStream): Promise<unknown> => (await stream.events(1))[0]?.[0];
    expect(await one(await coming('Task/public?done=false', id))).toBe('reload');
    const next = await again.lastId();
    await admin.put(`/Task/${changed}`, { visibleToAuthenticatedUsers: false, visibleToPublicUsers: false });
    expect(await one(await coming('Task?_outputNestingDepth=1', next))).toBe('reload');
    const last = await again.take(1).then(() => again.lastId());
    await admin.create('Group', { name: 'new', members: [evesId] });
    expect(await one(await coming('Task?_outputNestingDepth=2', last))).toBe('reload');
    expect(await one(await coming('Task?_outputNestingDepth=3', '99999999'))).toBe('reload');
  });

  it('what nobody knows any more is to be read again', async () => {
    const stream = await listen('?subscribe=Task%3Fname%3Dunheard-of', admin, { 'Last-Event-ID': '1' });
    expect((await stream.events(1))[0]?.[0]).toBe('reload');
  });
});

describe('who may listen no longer', () => {
  it('is let go with the end of the session, and of the permission', async () => {
    const login = await server.as().post('/login', { name: 'eve', password: PASSWORD });
    expect(login.status).toBe(200);
    const cookie = String(login.headers['set-cookie']).split(';')[0] ?? '';
    const stream = await listen('?subscribe=Task', server.as(), { Cookie: cookie });
    expect((await server.as().send('POST', '/svc/rest/logout', {}, { Cookie: cookie })).status).toBe(200);
    await task(seen);
    await stream.ended();
  });
});

// The last: what is listened to a thousand times is kept for a minute.
describe('too many', () => {
  it('refuses more addresses than one user may have', async () => {
    await admin.create('User', { name: 'bob', password: PASSWORD });
    const bob = server.as('bob', PASSWORD);
    const [before, statuses] = [open.length, new Set<number>()];
    const address = (i: number): string => `subscribe=${encodeURIComponent(`Task?name=n${String(i)}`)}`;
    for (let i = 0; i <= 50; i++) {
      const query = `?${Array.from({ length: 20 }, (_, k) => address(i * 20 + k)).join('&')}`;
      await listen(query, bob).catch((error: unknown) =>
        statuses.add(Number(/answered (\d+)/.exec(String(error))?.[1])),
      );
    }
    expect([open.length - before, [...statuses]]).toEqual([50, [503]]);
  });
});
