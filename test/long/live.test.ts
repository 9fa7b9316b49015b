/**
 * 10,000 who listen to one process: each is told exactly what it may see, in order, also those whose connections break meanwhile, and one that does
 * not read takes nothing from the others (docs/interface/live.md). `LIVE_SUBSCRIBERS=1000` tries fewer.
 */
import { execFileSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { hasUws } from '../support/transports.js';
import { memoryOf } from '../support/storage.js';

const PASSWORD = 'correct horse';
const WANTED = Number(process.env['LIVE_SUBSCRIBERS'] ?? 10_000);
/** Files that the server and this process have open beside connections. */
const OTHERS = 500;
const FILES = Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' })) || Infinity;
const COUNT = Math.min(WANTED, FILES - OTHERS);
/** How many connect at once, and are broken off in the middle. */
const AT_ONCE = 200;
const BROKEN = 300;
/** Every so manieth listens over a WebSocket. */
const SOCKETS = 20;
const WRITES = 24;
const PATIENCE = 60_000;

let server: TestServer;
let admin: Client;
const all: Subscriber[] = [];

beforeAll(async () => {
  if (COUNT < WANTED) console.log(`live: ${String(COUNT)} subscribers, as ulimit -n is ${String(FILES)}`);
  server = await TestServer.start({
    settings: {
      'httpservice.servlets': 'JsonRestServlet LoginServlet EventSourceServlet',
      'httpservice.connections.maxperaddress': 0,
    },
  });
  ({ admin } = server);
  await admin.create('SchemaNode', {
    name: 'Task',
    schemaProperties: [{ name: 'n', propertyType: 'Integer' }],
    schemaViews: [{ name: 'public', nonGraphProperties: 'id, n' }],
  });
  await allow(admin, '_eventSource', 'anonymous', ['GET']);
  await allow(admin, 'Task', 'anonymous', ['GET']);
  await allow(admin, '_eventSource', 'user', ['GET']);
  await allow(admin, 'Task', 'user', ['GET', 'POST']);
  await allow(admin, '_login', 'anonymous', ['POST']);
  for (const name of ['eve', 'bob', 'slow']) await admin.create('User', { name, password: PASSWORD });
});
afterAll(async () => {
  for (const one of all) one.close();
  await server.stop();
});

/** A client with as little of its own as possible: there are thousands of them. */
class Subscriber {
  /** `n` of the objects that it was told of, in order. */
  readonly told: number[] = [];
  isReady = false;
  isOver = false;
  floods = 0;
  #rest = '';
  #lastId = '';
  #socket: Socket | undefined;
  #messages: WebSocket | undefined;

  constructor(
    private readonly cookie: string,
    readonly who: string,
    private readonly isSocket: boolean,
  ) {}

  open(): void {
    this.isReady = false;
    this.#rest = '';
    const path = `/svc/EventSource?subscribe=Task${this.#lastId === '' ? '' : `&lastEventId=${this.#lastId}`}`;
    if (this.isSocket) {
      const headers = this.cookie === '' ? {} : { Cookie: this.cookie };
      this.#messages = new WebSocket(`ws://127.0.0.1:${String(server.port)}${path}`, { headers });
      this.#messages.on('message', (data: Buffer) => {
        this.#take(data.toString(), '"id":', '"event":"ready"');
      });
      return;
    }
    const socket = (this.#socket = connect(server.port, '127.0.0.1'));
    socket.setEncoding('utf8');
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${this.cookie === '' ? '' : `Cookie: ${this.cookie}\r\n`}\r\n`,
    );
    socket.on('data', (text: string) => {
      const frames = (this.#rest + text).split('\r\n\r\n');
      this.#rest = frames.pop() ?? '';
      for (const one of frames) this.#take(one, 'id: ', 'event: ready');
    });
    socket.on('error', () => undefined);
  }

  #take(frame: string, id: string, ready: string): void {
    // The last chunk: the connection could go on with another request.
    if (/(?:^|\n)0$/.test(frame)) this.isOver = true;
    if (frame.includes('event: flood')) this.floods++;
    const at = frame.indexOf(id);
    if (at === 0 || at === 1 || frame[at - 1] === '\n') this.#lastId = /\d+/.exec(frame.slice(at))?.[0] ?? '';
    if (frame.includes(ready)) this.isReady = true;
    const [, n] = /"n":(\d+)/.exec(frame) ?? [];
    if (n !== undefined) this.told.push(Number(n));
    else if (/reload|"action"/.test(frame)) this.told.push(-1);
  }

  /** Its connection breaks; it comes back. */
  breakOff(): void {
    this.close();
    this.open();
  }

  pause(): void {
    this.#socket?.pause();
  }
  resume(): void {
    this.#socket?.resume();
  }

  close(): void {
    this.#socket?.destroy();
    this.#messages?.terminate();
  }
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + PATIENCE; !isSo(); await sleep(20)) if (Date.now() > end) throw new Error(what);
}

it('each is told what it may see, in order; a slow one is let go and costs nobody anything', async () => {
  const clients: Record<string, Client> = {};
  const cookies: Record<string, string> = { nobody: '' };
  for (const name of ['eve', 'bob', 'slow']) {
    const { headers } = await server.as().post('/login', { name, password: PASSWORD });
    cookies[name] = String(headers['set-cookie']).split(';')[0] ?? '';
    clients[name] = server.as(name, PASSWORD);
  }
  const before = await memoryOf(server.child.pid);
  const since = performance.now();
  for (let i = 0; i < COUNT; i++) {
    const who = ['eve', 'bob', 'nobody'][i % 3] ?? '';
    const one = new Subscriber(cookies[who] ?? '', who, i % SOCKETS === 0);
    all.push(one);
    one.open();
    if (i % AT_ONCE === AT_ONCE - 1) {
      const group = all.slice(-AT_ONCE);
      await until(() => group.every(({ isReady }) => isReady), 'not all have begun');
    }
  }
  await until(() => all.every(({ isReady }) => isReady), 'not all have begun');
  const opened = performance.now() - since;
  const after = await memoryOf(server.child.pid);

  const slow = new Subscriber(cookies['slow'] ?? '', 'slow', false);
  slow.open();
  await until(() => slow.isReady, 'the slow one has not begun');
  slow.pause();
  const source = `{ for (let i = 0; i < 10; i++) $.sendEvent('flood', 'x'.repeat(400000), $.find('User', { name: 'slow' })) }`;
  await admin.create('SchemaMethod', { name: 'flood', source });

  /** By who sees them, in order. */
  const expected: Record<string, number[]> = { eve: [], bob: [], nobody: [] };
  const write = async (n: number): Promise<void> => {
    // Of everybody, of users, of one of them alone.
    const way = n % 4;
    const flags = { visibleToPublicUsers: way === 0, visibleToAuthenticatedUsers: way <= 1 };
    const writer = clients[way === 3 ? 'bob' : 'eve'];
    expect((await writer?.post('/Task', { n, ...flags }))?.status).toBe(201);
    if (way === 0) expected['nobody']?.push(n);
    if (way <= 2) expected['eve']?.push(n);
    if (way !== 2) expected['bob']?.push(n);
  };
  const isTold = (): boolean => all.every(({ told, who }) => told.length >= (expected[who]?.length ?? 0));
  const times: number[] = [];
  for (let n = 0; n < WRITES; n++) {
    const begun = performance.now();
    await write(n);
    if (n % 6 === 0) expect((await admin.post('/flood')).status).toBe(200);
    if (n === WRITES / 2) for (let i = 0; i < BROKEN; i++) all[i * 7]?.breakOff();
    else if (n % 6 === 5) {
      await until(isTold, `not all were told of ${String(n)}`);
      times.push(performance.now() - begun);
    }
  }
  await until(isTold, 'not all were told');
  // Nothing comes behind that.
  await sleep(500);
  for (const { told, who } of all) expect(told).toEqual(expected[who]);

  slow.resume();
  await until(() => slow.isOver, 'the slow one was not let go');
  expect(slow.floods).toBeLessThan((WRITES / 6) * 10);
  slow.close();
  const each = Math.round(((after - before) * 1024) / COUNT);
  console.log(
    `live: ${String(COUNT)} subscribers in ${(opened / 1000).toFixed(1)} s, ${String(each)} KB each; ` +
      `a write until the last has heard of it: ${times.map((ms) => ms.toFixed(0)).join(', ')} ms`,
  );
});

it.each(hasUws() ? ['uws', 'node'] : ['node'])(
  'who pings without reading what it is answered is let go by %s',
  async (transport) => {
    const own = await TestServer.start({
      settings: {
        'httpservice.servlets': 'JsonRestServlet EventSourceServlet',
        'application.http.transport': transport,
      },
    });
    try {
      const socket = connect(own.port, '127.0.0.1');
      let isClosed = false;
      socket.on('error', () => undefined);
      socket.on('close', () => (isClosed = true));
      const { 'X-User': user = '', 'X-Password': password = '' } = own.admin.credentials;
      socket.write(
        'GET /svc/EventSource HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
          `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nX-User: ${user}\r\nX-Password: ${password}\r\n\r\n`,
      );
      const answer = await new Promise((resolve) => socket.once('data', resolve));
      expect(String(answer)).toMatch(/^HTTP\/1.1 101/);
      socket.pause();
      // A ping of 125 bytes, masked with zeros, a thousand times.
      const ping = Buffer.alloc(131);
      ping.writeUInt16BE(0x89fd);
      const pings = Buffer.concat(Array.from({ length: 1000 }, () => ping));
      for (let i = 0; i < 1000 && !isClosed; i++) {
        if (socket.writableLength > 1024 * 1024) await sleep(5);
        else socket.write(pings);
        if (i % 20 === 0) await sleep(1);
      }
      await until(() => isClosed, 'it was not let go');
      expect((await own.admin.get('/User')).status).toBe(200);
    } finally {
      await own.stop();
    }
  },
);
