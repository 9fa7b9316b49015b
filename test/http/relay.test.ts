import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  type HttpError,
  PreparedHeaders,
  startHttpServer,
  type Exchange,
  type HttpServer,
  type TransportName,
} from '../../src/main/http/index.js';
import { portOf, startThread, type FrontThread } from './relayed.js';
import { connect, onEachTransport, OPTIONS, within } from './support.js';

const LONG = Buffer.from('0123456789abcdef'.repeat(40_000));
const TEXT = 'ä line of text that is worth to be compressed\n'.repeat(200);
const PREPARED = new PreparedHeaders({ 'Content-Type': 'application/json; charset=utf-8', Vary: 'Origin' });

/** What is answered directly and by the relay alike. */
async function handler(x: Exchange): Promise<void> {
  const on = x.path.split('/')[1];
  switch (on) {
    case 'echo': {
      const { method, path, query, remoteAddress, address, secure, scheme } = x;
      const body = (await x.readBody(1e6)).toString('latin1');
      const local = await x.localAddress();
      const head = [x.header('x-a'), x.header('cookie'), x.cookie('b'), x.header('accept')];
      x.setHeader('Content-Type', 'application/json');
      x.end(JSON.stringify({ method, path, query, remoteAddress, address, secure, scheme, local, head, body }));
      return;
    }
    case 'headers':
      x.status = 201;
      x.setHeaders(PREPARED);
      x.setHeader('Set-Cookie', 'a=1; Path=/');
      x.setHeader('Set-Cookie', 'b=2; Path=/');
      x.setHeader('X-Default', 'mine');
      x.vary('Accept');
      x.end('{}');
      return;
    case 'text':
      x.setHeader('Content-Type', 'text/plain; charset=utf-8');
      x.setHeader('ETag', '"1"');
      x.end(TEXT, x.query === 'raw');
      return;
    case 'long':
      x.end(LONG);
      return;
    case 'bytes':
      x.end(LONG.subarray(0, Number(x.query)));
      return;
    case 'status':
      x.status = Number(x.query);
      x.setHeader('ETag', '"2"');
      x.end(x.status === 304 || x.status === 204 ? '' : 'said');
      return;
    case 'stream': {
      if (x.query === 'text') x.setHeader('Content-Type', 'text/plain');
      const out = x.startStream();
      for (let i = 0; i < 50; i++) await out.write(i % 2 === 0 ? 'größer ' : LONG.subarray(0, 20_000));
      await out.end();
      return;
    }
    case 'sized': {
      const out = x.startStream(LONG.length);
      for (let at = 0; at < LONG.length; at += 100_000) await out.write(LONG.subarray(at, at + 100_000));
      await out.end();
      return;
    }
    case 'short': {
      const out = x.startStream(1000);
      await out.write('too little');
      await out.end();
      return;
    }
    case 'empty':
      x.end();
      return;
    case 'fail':
      throw new Error('told nobody');
    case 'silent':
      return;
    case 'limit':
      try {
        await x.readBody(10);
      } catch (error) {
        const { status, message } = error as HttpError;
        x.status = status;
        x.end(message);
      }
      return;
    case 'early':
      x.end('early');
      return;
    case 'pieces': {
      let bytes = 0;
      for await (const piece of x.bodyStream()) bytes += piece.length;
      x.end(`${String(bytes)} bytes`);
      return;
    }
    default:
      x.status = 404;
      x.end(`no ${x.path}`);
  }
}

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: Buffer | string;
  /** In chunks, one after the other. */
  readonly chunks?: readonly string[];
}

const KINDS: readonly (readonly [path: string, asked?: Asked])[] = [
  ['/echo/a%20b//c?x=1?y&z', { headers: { 'X-A': ['1', '2'], Cookie: 'a=1; b="2"', Accept: '*/*' } }],
  ['/echo', { method: 'POST', body: 'some body' }],
  ['/echo', { method: 'PUT', body: gzipSync('what was packed'), headers: { 'Content-Encoding': 'gzip' } }],
  ['/echo', { method: 'POST', chunks: ['one', 'two', 'three'] }],
  ['/echo', { method: 'DELETE' }],
  ['/echo', { method: 'PATCH', body: Buffer.alloc(20_000, '\u00ff\u0000', 'latin1') }],
  ['/echo', { method: 'POST', body: 'x', headers: { Expect: '100-continue' } }],
  ['/headers'],
  ['/text'],
  ['/text', { headers: { 'Accept-Encoding': 'gzip' } }],
  ['/text?raw', { headers: { 'Accept-Encoding': 'gzip' } }],
  ['/text', { method: 'HEAD' }],
  ['/long'],
  ['/long', { method: 'HEAD' }],
  ['/bytes?0'],
  ['/bytes?100'],
  ['/bytes?100000'],
  ['/status?204'],
  ['/status?304'],
  ['/status?418'],
  ['/status?500', { headers: { Connection: 'close' } }],
  ['/status?304', { headers: { Connection: 'close' } }],
  ['/text', { method: 'HEAD', headers: { Connection: 'close' } }],
  ['/stream'],
  ['/stream?text', { headers: { 'Accept-Encoding': 'gzip' } }],
  ['/stream', { method: 'HEAD' }],
  ['/stream', { headers: { Connection: 'close' } }],
  ['/sized'],
  ['/sized', { method: 'HEAD' }],
  ['/sized', { headers: { Connection: 'close' } }],
  ['/empty'],
  ['/fail'],
  ['/silent'],
  ['/limit', { method: 'POST', body: 'more than ten bytes' }],
  ['/early', { method: 'POST', body: Buffer.alloc(300_000) }],
  ['/early', { method: 'POST', body: Buffer.alloc(3_000_000) }],
  ['/pieces', { method: 'POST', body: Buffer.alloc(3_000_000) }],
  ['/nothing'],
];

interface Answer {
  readonly status: number | undefined;
  readonly message: string | undefined;
  readonly headers: readonly string[];
  readonly body: string;
}

/** The whole answer, without the value of `Date`. A compressed body is unpacked: where its pieces are cut is not the same. */
function ask(port: number, path: string, { method = 'GET', headers = {}, body, chunks }: Asked = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.from(body).length) };
    const asked = httpRequest({
      port,
      host: '127.0.0.1',
      path,
      method,
      headers: { ...headers, ...length },
      agent: false,
    });
    asked.on('error', reject);
    asked.on('response', (answer: IncomingMessage) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('error', reject);
      answer.on('end', () => {
        const all = Buffer.concat(pieces);
        const packed = answer.headers['content-encoding'] === 'gzip' && all.length > 0;
        const names = answer.rawHeaders.map((text, i) =>
          answer.rawHeaders[i - 1] === 'Date' && i % 2 === 1 ? '' : text,
        );
        resolve({
          status: answer.statusCode,
          message: answer.statusMessage,
          headers: names,
          body: (packed ? gunzipSync(all) : all).toString('latin1'),
        });
      });
    });
    for (const chunk of chunks ?? []) asked.write(chunk);
    asked.end(body);
  });
}

onEachTransport((transport: TransportName) => {
  let main: HttpServer;
  let thread: FrontThread;
  const seen: Exchange[] = [];
  const options = {
    ...OPTIONS,
    transport,
    responseHeaders: { 'X-Default': 'a', 'X-Frame': 'b' },
    webSockets: ['/socket'],
  };
  beforeAll(async () => {
    const answers = async (x: Exchange): Promise<void> => {
      seen.push(x);
      if (x.wantsWebSocket) await talk(x);
      else if (x.path === '/events') await tell(x);
      else await handler(x);
    };
    main = await startHttpServer(options, answers);
    thread = await startThread(main, options, answers);
  });
  afterAll(async () => {
    await main.close(0);
    thread.worker.postMessage('leave');
    await thread.ended;
  });

  test.each(KINDS.map(([path, asked], i) => ({ path, asked, name: `${String(i)} ${asked?.method ?? 'GET'} ${path}` })))(
    'what is handed over is answered as what is not: $name',
    async ({ path, asked }) => {
      const direct = await ask(main.port, path, asked);
      const relayed = await ask(thread.port, path, asked);
      expect(direct.status).toBeGreaterThan(100);
      // What was compressed in pieces need not be cut at the same places, so its length is another.
      expect(relayed).toEqual(direct);
      expect(relayed.headers.filter((name) => name.toLowerCase() === 'x-default').length).toBe(1);
    },
  );

  test('what breaks off in the middle does so behind the relay, too', async () => {
    for (const port of [main.port, thread.port]) await expect(ask(port, '/short')).rejects.toThrow();
  });

  test('on the main thread nothing is handed over', async () => {
    seen.length = 0;
    await ask(thread.port, '/empty');
    expect(seen.map((x) => [x.handOver(), x.handedOver])).toEqual([[false, undefined]]);
  });

  test('a body that was asked for is not handed over', async () => {
    expect((await ask(thread.port, '/here/read', { method: 'POST', body: 'abc' })).body).toBe('false');
    expect((await ask(thread.port, '/here')).body).toContain('here 1 127.0.0.1');
  });

  test('a thousand small requests over 64 connections, answered in order', async () => {
    const clients = Array.from({ length: 64 }, async (_, client) => {
      const c = await connect(portOf(main, thread));
      for (let i = 0; i < 16; i++) {
        const body = `<${String(client)}/${String(i)}>`;
        const wanted = `"body":"${body}"`;
        c.send(`POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`);
        // A library that serves no second request of a segment wants to have answered the first.
        if (transport === 'uws') await c.until(wanted);
      }
      const text = await c.until(`<${String(client)}/15>`);
      c.socket.destroy();
      return [...text.matchAll(/"body":"<(\d+)\/(\d+)>"/g)].map((match) => `${match[1] ?? ''}/${match[2] ?? ''}`);
    });
    const all = await Promise.all(clients);
    for (const [client, bodies] of all.entries())
      expect(bodies).toEqual(Array.from({ length: 16 }, (_, i) => `${String(client)}/${String(i)}`));
  });

  test('a WebSocket: messages, pings and the end arrive, and what the client does is heard', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${String(thread.port)}/socket?3`);
    const heard: string[] = [];
    let pings = 0;
    socket.on('ping', () => pings++);
    socket.on('message', (data: Buffer, binary: boolean) => heard.push(`${String(binary)} ${String(data.length)}`));
    const code = await within(
      new Promise((resolve) =>
        socket.once('close', (...said) => {
          resolve([said[0], String(said[1])]);
        }),
      ),
    );
    expect(code).toEqual([4001, 'that was it']);
    expect(heard).toEqual(['false 6', 'false 300000', 'false 3']);
    expect(pings).toBe(1);

    const leaving = new WebSocket(`ws://127.0.0.1:${String(thread.port)}/socket?wait`);
    await within(new Promise((resolve) => leaving.once('open', resolve)));
    seen.length = 0;
    const talking = new WebSocket(`ws://127.0.0.1:${String(thread.port)}/socket?wait`);
    await within(new Promise((resolve) => talking.once('open', resolve)));
    leaving.terminate();
    talking.send('nobody takes this');
    expect(await within(new Promise((resolve) => talking.once('close', resolve)))).toBe(1003);
    await expect.poll(() => seen.map((x) => x.aborted)).toEqual([true]);
    await expect.poll(() => main.activeRequests).toBe(0);
  });

  test('events leave one by one, and the stream ends with its client', async () => {
    seen.length = 0;
    const c = await connect(portOf(main, thread));
    c.send('GET /events HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n');
    await c.until('data: 1');
    await c.until('data: 5');
    c.socket.destroy();
    await expect.poll(() => seen.map((x) => x.aborted)).toEqual([true]);
    await expect.poll(async () => (await thread.figures()).requests).toBe(0);
  });

  test('what is refused by its head never comes to the main thread', async () => {
    seen.length = 0;
    const refused = async (text: string): Promise<string> => {
      const c = await connect(portOf(main, thread));
      c.send(text);
      await within(c.closed);
      return /^HTTP\/1.1 (\d+)/.exec(c.text())?.[1] ?? '';
    };
    expect(await refused('GET /echo HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n')).toBe('400');
    expect(await refused('GET /echo HTTP/1.1\r\nHost: a\r\nExpect: much\r\n\r\n')).toBe('417');
    const large = 'x'.repeat(20_000);
    expect(await refused(`GET /echo HTTP/1.1\r\nHost: a\r\nX-A: ${large}\r\n\r\n`)).toBe('431');
    expect(seen).toEqual([]);
  });

  test('settings that change hold in the thread when that is told', async () => {
    await main.reconfigure({ responseHeaders: { 'X-Default': 'a', 'X-Frame': 'b', 'X-New': 'c' } });
    const { headers } = await ask(thread.port, '/here');
    expect(headers).toContain('X-New');
    await main.reconfigure(options);
  });
});

async function talk(x: Exchange): Promise<void> {
  const messages = x.startMessages();
  if (x.query === 'wait') return;
  await messages.write('größ'.normalize());
  messages.ping();
  await messages.write('m'.repeat(300_000));
  await messages.write(Buffer.from('end'));
  messages.end(4001, 'that was it');
}

async function tell(x: Exchange): Promise<void> {
  x.setHeader('Content-Type', 'text/event-stream');
  const out = x.startStream();
  for (let i = 1; !x.aborted; i++) {
    await out.write(`data: ${String(i)}\n\n`);
    await out.flush();
    await sleep(5);
  }
}
