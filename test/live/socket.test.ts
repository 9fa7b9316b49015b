/** docs/interface/live.md 9: the stream over a WebSocket, with both transports. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newCertificate } from '../support/certificates.js';
import type { Client } from '../support/client.js';
import { EventStream } from '../support/event-stream.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { hasUws } from '../support/transports.js';

const PASSWORD = 'correct horse';
const STREAM = '/svc/EventSource';
const FRIEND = 'https://friend.example';

let certificates: string;
beforeAll(async () => {
  certificates = await mkdtemp(join(tmpdir(), 'svc-wss-'));
  const { certificate, key } = newCertificate('localhost');
  await writeFile(join(certificates, 'server.crt'), certificate);
  await writeFile(join(certificates, 'server.key'), key);
});
afterAll(() => rm(certificates, { recursive: true, force: true }));

describe.each(hasUws() ? ['uws', 'node'] : ['node'])('over a WebSocket by %s', (transport) => {
  let server: TestServer;
  let admin: Client;
  const open: EventStream[] = [];

  beforeAll(async () => {
    server = await TestServer.start({
      settings: {
        'httpservice.servlets': 'JsonRestServlet LoginServlet EventSourceServlet',
        'application.http.transport': transport,
        'application.https.enabled': true,
        'application.https.port': 0,
        'application.https.certificate': join(certificates, 'server.crt'),
        'application.https.key': join(certificates, 'server.key'),
      },
    });
    ({ admin } = server);
    await admin.create('User', { name: 'eve', password: PASSWORD });
    await admin.create('SchemaNode', {
      name: 'Task',
      schemaViews: [{ name: 'public', nonGraphProperties: 'id, name' }],
    });
    for (const who of ['user', 'anonymous'] as const)
      for (const signature of ['_eventSource', 'Task']) await allow(admin, signature, who, ['GET']);
    await allow(admin, '_login', 'anonymous', ['POST']);
    await allow(admin, '_logout', 'user', ['POST']);
    await admin.create('CorsSetting', {
      requestUri: STREAM,
      acceptedOrigins: FRIEND,
      allowCredentials: 'true',
    });
  });
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });
  afterAll(() => (server.child.exitCode === null ? server.stop() : undefined));

  async function listen(
    query: string,
    client: Client = admin,
    headers: Record<string, string> = {},
  ): Promise<EventStream> {
    const stream = await EventStream.openSocket(`${server.url}${STREAM}${query}`, {
      ...client.credentials,
      ...headers,
    });
    open.push(stream);
    if (query.includes('subscribe')) await stream.until('ready');
    return stream;
  }
  const refused = async (query: string, client?: Client, headers?: Record<string, string>): Promise<string> =>
    listen(query, client, headers).then(
      () => 'opened',
      (error: unknown) => /answered (\d+)/.exec(String(error))?.[1] ?? String(error),
    );
  async function session(): Promise<string> {
    const login = await server.as().post('/login', { name: 'eve', password: PASSWORD });
    return String(login.headers['set-cookie']).split(';')[0] ?? '';
  }
  const seen = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };

  it('tells what happens, one event a message, and what was missed to who comes back', async () => {
    const messages: unknown[] = [];
    const stream = await listen('?subscribe=Task');
    stream.socket?.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())));
    expect(stream.headers.get('x-svc-edition')).toBe('Community');
    const id = await admin.create('Task', { name: 'Größe' });
    expect(await stream.take(1)).toMatchObject([{ action: 'create', id, object: { id, name: 'Größe' } }]);
    expect(messages).toEqual([
      {
        id: expect.any(Number) as unknown,
        event: 'change',
        data: { subscription: 'Task', action: 'create', id, type: 'Task', object: { id, type: 'Task', name: 'Größe' } },
      },
    ]);
    const lastId = await stream.lastId();
    stream.close();
    await admin.delete(`/Task/${id}`);
    const again = await listen(`?subscribe=Task&lastEventId=${lastId}`);
    expect(await again.take(1)).toMatchObject([{ action: 'delete', id }]);
  });

  it('has what waited for a client that reads late', async () => {
    const stream = await listen('?subscribe=Task');
    stream.socket?.pause();
    const names = Array.from({ length: 8 }, (_, i) => `${String(i)} ${'x'.repeat(100_000)}`);
    for (const name of names) await admin.create('Task', { name });
    stream.socket?.resume();
    expect((await stream.take(8)).map(({ object }) => String(object?.name))).toEqual(names);
  });

  it('speaks over HTTPS as well', async () => {
    const [, port = ''] = /https:\/\/localhost:(\d+)/.exec(server.logged(/listening on https/)[0] ?? '') ?? [];
    const url = `https://127.0.0.1:${port}${STREAM}?subscribe=Task`;
    const stream = await EventStream.openSocket(url, admin.credentials);
    open.push(stream);
    await stream.until('ready');
    await admin.create('Task', { name: 'x'.repeat(200_000) });
    expect(String((await stream.take(1))[0]?.object?.name).length).toBe(200_000);
  });

  it('wants what the stream of server-sent events wants', async () => {
    await admin.create('SchemaNode', { name: 'Hidden' });
    expect(await refused('?subscribe=Hidden', server.as('eve', PASSWORD))).toBe('401');
    expect(await refused('?subscribe=Nothing')).toBe('404');
    expect(await refused('?other=1')).toBe('400');
    expect(await refused('', server.as('eve', 'wrong'))).toBe('401');
  });

  it('is not for pages of other sites, whose cookies browsers send', async () => {
    const Cookie = await session();
    const nobody = server.as();
    const secret = await admin.create('Task', { name: 'secret', visibleToAuthenticatedUsers: true });
    const told = async (headers: Record<string, string>): Promise<string> => {
      const stream = await listen(`?subscribe=Task`, nobody, { Cookie, ...headers });
      await admin.put(`/Task/${secret}`, { name: `secret ${String(Math.random())}` });
      await admin.create('Task', { name: 'open', ...seen });
      return (await stream.take(1))[0]?.id === secret ? 'by the cookie' : 'as nobody';
    };
    expect(await refused('', nobody, { Cookie, Origin: 'https://evil.example' })).toBe('403');
    expect(await refused('', nobody, { Cookie, 'Sec-Fetch-Site': 'cross-site' })).toBe('403');
    expect(await refused('', nobody, { Cookie, Origin: 'null' })).toBe('403');
    expect(await told({ Origin: server.url })).toBe('by the cookie');
    expect(await told({ Origin: FRIEND })).toBe('by the cookie');
    await admin.put(`/CorsSetting/${await corsId()}`, { allowCredentials: 'false' });
    expect(await told({ Origin: FRIEND })).toBe('as nobody');
  });
  async function corsId(): Promise<string> {
    return ((await admin.get('/CorsSetting')).body.result as { id: string }[])[0]?.id ?? '';
  }

  it('ends with 1003 for who sends something, and answers pings', async () => {
    const stream = await listen('');
    const pong = new Promise<string>((resolve) => {
      stream.socket?.on('pong', (data) => {
        resolve(data.toString());
      });
    });
    stream.socket?.ping('there?');
    expect(await pong).toBe('there?');
    stream.socket?.send('{"subscribe":"Task"}');
    await stream.ended();
    expect(stream.closedWith).toEqual([1003, 'Nothing is taken here.']);
    const large = await listen('');
    large.socket?.send('x'.repeat(100_000));
    await large.ended();
    const left = await listen('');
    left.socket?.close(1000);
    await left.ended();
    expect(left.closedWith?.[0]).toBe(1000);
  });

  it('ends with 1008 with the login', async () => {
    const Cookie = await session();
    const stream = await listen('?subscribe=Task', server.as(), { Cookie });
    await server.as().send('POST', '/svc/rest/logout', {}, { Cookie });
    await admin.create('Task', seen);
    await stream.ended();
    expect(stream.closedWith?.[0]).toBe(1008);
  });

  it('tells events of scripts as they are', async () => {
    const stream = await listen('');
    await admin.create('SchemaMethod', { name: 'tell', source: "{ $.broadcastEvent('note', { n: 1 }) }" });
    const message = new Promise((resolve) =>
      stream.socket?.once('message', (data: Buffer) => resolve(data.toString())),
    );
    await admin.post('/tell');
    expect(await message).toBe('{"event":"note","data":"{\\"n\\":1}"}');
  });

  /** A request that asks for another protocol. */
  const asking = (path: string, headers: Record<string, string>, method = 'GET', body = ''): Promise<number> =>
    new Promise((resolve, reject) => {
      const asked = request(`${server.url}${path}`, {
        method,
        headers: { Connection: 'Upgrade', ...admin.credentials, ...headers },
      });
      asked.on('response', (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      asked.on('upgrade', (_, socket) => {
        socket.destroy();
        resolve(101);
      });
      asked.on('error', reject);
      asked.end(body);
    });
  const handshake = {
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };

  it('is refused where it is asked for in another way', async () => {
    expect(await asking(STREAM, handshake)).toBe(101);
    expect(await asking(STREAM, { ...handshake, 'Sec-WebSocket-Version': '12' })).toBe(426);
    expect(await asking(STREAM, { ...handshake, 'Sec-WebSocket-Key': 'short' })).toBe(426);
    expect(await asking('/svc/ws', handshake)).toBe(501);
  });

  it('is no obstacle for who offers another protocol', async () => {
    const h2c = { Upgrade: 'h2c', 'HTTP2-Settings': '', 'Content-Type': 'application/json' };
    expect(await asking('/svc/rest/Task', h2c, 'POST', '{"name":"offered"}')).toBe(201);
    expect(await asking('/svc/rest/Task', { ...handshake })).toBe(200);
  });

  it('ends with 1001 with the server', async () => {
    const stream = await listen('?subscribe=Task');
    const ended = server.stop();
    await stream.ended();
    expect(stream.closedWith?.[0]).toBe(1001);
    await ended;
  });
});
