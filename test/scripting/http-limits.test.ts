/** Where calls of scripts may lead, and what they may take (docs/interface/script-runtime.md 5.3). */
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Slots } from '../../src/main/scripting/outside/http/slots.js';
import type { Client } from '../support/client.js';
import { file, until, uploaded } from '../support/files.js';
import { TestServer } from '../support/server.js';
import { Calls, type Call } from './calls.js';
import { TargetServer } from './target-server.js';

let server: TestServer;
let admin: Client;
let target: TargetServer;
let other: TargetServer;
let calls: Calls;

beforeAll(async () => {
  [target, other] = await Promise.all([TargetServer.start(), TargetServer.start()]);
  const elsewhere = other.url('/echo');
  target.routes.set('/away', (_, response) => response.writeHead(307, { Location: elsewhere }).end());
  server = await TestServer.start();
  ({ admin } = server);
  calls = await Calls.on(server, { exGet: "GET(retrieve('url')).status" });
});
afterAll(async () => {
  await server.stop();
  await Promise.all([target.stop(), other.stop()]);
});

describe('limits of targets', () => {
  beforeAll(() => server.reload({ 'application.httphelper.blockedaddresses': 'private' }));
  afterAll(() =>
    server.reload({ 'application.httphelper.blockedaddresses': '', 'application.httphelper.urlwhitelist': '*' }),
  );

  it('addresses are refused, however they are written, and before anything is sent', async () => {
    const before = target.seen.length;
    const port = String(target.port);
    for (const host of ['127.0.0.1', '127.1', '0x7f000001', '2130706433', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'])
      expect((await calls.raw(['GET', `http://${host}:${port}/`])).body.message, host).toContain('not permitted');
    for (const host of ['10.1.2.3', '169.254.169.254', '192.168.0.1', '[fe80::1]', '[fd00::1]', '[64:ff9b::7f00:1]'])
      expect((await calls.raw(['GET', `http://${host}/`])).body.message, host).toContain('not permitted');
    expect(target.seen.length).toBe(before);
  });

  it('names that lead to such addresses are refused too', async () => {
    const answer = await calls.raw(['GET', target.url('/', 'localhost')]);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain('Calls to localhost are not permitted');
    for (const name of ['HEAD', 'DELETE', 'FETCH']) expect((await calls.raw([name, target.url()])).status).toBe(422);
    for (const name of ['POST', 'PUT', 'PATCH']) expect((await calls.raw([name, target.url(), 'x'])).status).toBe(422);
    expect((await calls.raw(['POSTMultiPart', target.url(), { a: 'b' }])).status).toBe(422);
  });

  it('redirects to them are not followed, by address or by name; the setting holds at once', async () => {
    // What may be called is one address of this machine, and what it leads to is another.
    await server.reload({ 'application.httphelper.blockedaddresses': '127.0.0.2 ::1/128' });
    target.routes.set('/inside', (_, response) => {
      response.writeHead(302, { Location: `http://127.0.0.2:${String(target.port)}/` }).end();
    });
    expect((await calls.raw(['GET', target.url('/', '127.0.0.1')])).status).toBe(200);
    const answer = await calls.raw(['GET', target.url('/inside', '127.0.0.1')]);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain('127.0.0.2');
    await server.reload({ 'application.httphelper.blockedaddresses': '' });
  });

  it('URLs have to match as a whole, POSTMultiPart and redirects too', async () => {
    const allowed = `http://localhost:${String(target.port)}/(?:|echo|away|to-echo/.*)`;
    await server.reload({ 'application.httphelper.urlwhitelist': `https://never\\.example/.*, ${allowed}` });
    expect((await calls.raw(['GET', target.url()])).status).toBe(200);
    expect((await calls.raw(['GET', target.url('/to-echo/302')])).status).toBe(200);
    for (const call of [
      ['GET', target.url('/json')],
      ['GET', target.url('/echo/more')],
      ['POSTMultiPart', target.url('/sink'), { a: 'b' }],
      ['GET', target.url('/away')],
    ] as Call[]) {
      const answer = await calls.raw(call);
      expect(answer.status).toBe(422);
      expect(answer.body.message).toContain('urlwhitelist');
    }
  });
});

describe('time and number', () => {
  it('no call takes longer than its script may, in both languages', async () => {
    await server.reload({ 'application.scripting.js.timeout.total': 1000 });
    const answer = await admin.post('/exGet', { url: target.url('/never') });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain('application.scripting.js.timeout.total');
    await until(() => Promise.resolve(target.last.gone), 'the call ends');
    expect((await calls.raw(['GET', target.url('/stuck')])).status).toBe(422);
    await until(() => Promise.resolve(target.last.gone), 'the call of JavaScript ends');
    await server.reload({ 'application.scripting.js.timeout.total': 600_000 });
  });

  it('silence ends a call before its answer and within it', async () => {
    await server.reload({ 'application.httphelper.timeouts.socket': 1 });
    for (const path of ['/never', '/stuck']) {
      expect(await calls.refused(['GET', target.url(path)])).toContain('nothing came for 1 s');
    }
    await server.reload({ 'application.httphelper.timeouts.socket': 600 });
  });

  it('when too many are open the next waits, and is refused when that takes too long', async () => {
    const settings = { 'application.httphelper.maxcalls': 1, 'application.httphelper.timeouts.connectionrequest': 1 };
    await server.reload(settings);
    const before = target.seen.length;
    const first = calls.raw(['FETCH', target.url('/never'), { timeout: 3 }]);
    await until(() => Promise.resolve(target.seen.length > before), 'the first call');
    const refused = await calls.raw(['GET', target.url()]);
    expect(refused.status).toBe(503);
    expect(refused.body.message).toContain('too many calls are open');
    await first;
    expect((await calls.js(['GET', target.url()])).status).toBe(200);
    await server.reload({ 'application.httphelper.maxcalls': 500 });
  });

  it('slots are given in the order in which they were asked for, and not to who has gone', async () => {
    const slots = new Slots(() => 1);
    const never = new AbortController().signal;
    const order: string[] = [];
    const release = await slots.take(0, never);
    const gone = new AbortController();
    const waiting = Promise.allSettled(
      ['a', 'b', 'gone', 'c'].map(async (name) => {
        const free = await slots.take(0, name === 'gone' ? gone.signal : never);
        order.push(name);
        await sleep(1);
        free();
        free();
      }),
    );
    gone.abort(new Error('gone'));
    await expect(slots.take(20, never)).rejects.toThrow('too many');
    release();
    const ended = await waiting;
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(order).toEqual(['a', 'b', 'c']);
    (await slots.take(0, never))();
  });
});

describe('others', () => {
  it('a file of 200 MB is sent with flat memory, in time with who receives it', async () => {
    const size = 200 * 1024 * 1024;
    const bytes = randomBytes(1024 * 1024);
    const content = Buffer.alloc(size);
    for (let at = 0; at < size; at += bytes.length) bytes.copy(content, at);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const id = await uploaded(admin, file('large.bin', content));
    const memory = async (): Promise<number> => {
      const status = await readFile(`/proc/${String(server.child.pid)}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    };
    await calls.js(['POST', target.url('/sink'), 'warm']);
    const before = await memory();
    let most = before;
    let over = false;
    const watching = (async (): Promise<void> => {
      while (!over) {
        most = Math.max(most, await memory());
        await sleep(10);
      }
    })();
    expect(await calls.js(['POST', target.url('/sink'), { file: id }])).toMatchObject({ status: 200, body: 'taken' });
    over = true;
    await watching;
    expect(target.last).toMatchObject({ size, sha256 });
    expect(most - before).toBeLessThan(60);
  });

  it('are not held up by scripts that wait', async () => {
    const before = target.seen.length;
    const waiting = Array.from({ length: 30 }, () => calls.raw(['FETCH', target.url('/never'), { timeout: 8 }]));
    await until(() => Promise.resolve(target.seen.length >= before + 30), 'all wait');
    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      const began = performance.now();
      expect((await admin.get('/me')).status).toBe(200);
      times.push(performance.now() - began);
    }
    expect(times.sort((a, b) => a - b)[10]).toBeLessThan(400);
    for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(422);
  });
});
