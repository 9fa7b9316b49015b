/**
 * Many connections. More than the process may have: those that are open are served, and files can still be opened. Clients that send heads and bodies
 * as slowly as they can, by the real `slowhttptest`: more of them than one address may have. Others are answered all the while, and the slow ones
 * are gone by themselves.
 */
import { execFile, spawnSync } from 'node:child_process';
import { Agent, get, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { hasUws } from '../support/transports.js';

const run = promisify(execFile);
const isInstalled = spawnSync('slowhttptest', ['-h']).error === undefined;
if (!isInstalled) console.warn('skipped: slow clients (apt-get install slowhttptest)');
if (!hasUws()) console.warn('skipped: slow clients with uWebSockets.js, which does not load here');

/** What the process of the first test may open. */
const FILES = 300;
const SLOW = 600;
/** s; it ends sooner, when the server has closed the last of them. */
const LONGEST = 120;
/** Of whoever is not slow: another address than theirs. */
const ELSEWHERE = '127.0.0.2';

const KINDS: Readonly<Record<string, readonly string[]>> = {
  heads: ['-H', '-u', '/svc/rest/Note'],
  bodies: ['-B', '-t', 'POST', '-s', '100000', '-u', '/svc/rest/login'],
};

describe.concurrent.each(['uws', 'node'] as const)('with transport %s', (transport) => {
  const hasTransport = transport === 'node' || hasUws();
  const isHere = isInstalled && hasTransport;
  let server: TestServer;

  beforeAll(async () => {
    if (!isHere) return;
    server = await TestServer.start({
      settings: { 'application.http.transport': transport, 'httpservice.request.timeout': 3000 },
    });
    await allow(server.admin, '_login', 'anonymous', ['POST']);
    await allow(server.admin, 'Note', 'anonymous', ['GET']);
    await server.admin.defineType('Note');
  });
  afterAll(() => (isHere ? server.stop() : undefined));

  it.skipIf(!hasTransport)(
    'more than the process may open keep nobody out who is connected',
    async ({ expect: expectHere }) => {
      const few = await TestServer.start({
        openFiles: FILES,
        settings: { 'application.http.transport': transport, 'httpservice.connections.maxperaddress': 0 },
      });
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const opened: Socket[] = [];
      const ask = (method: string, path: string, headers: Record<string, string>, body?: string): Promise<number> =>
        new Promise((resolve, reject) => {
          const options = { method, agent, headers: { ...few.admin.credentials, ...headers } };
          const sent = request(`${few.url}${path}`, options, (answer) => {
            answer.resume();
            answer.on('end', () => {
              resolve(answer.statusCode ?? 0);
            });
          });
          sent.on('error', reject);
          sent.end(body);
        });
      try {
        expectHere(few.logged(/at most 225 connections/)).toHaveLength(1);
        expectHere(await ask('GET', '/svc/rest/User', {})).toBe(200);
        let closed = 0;
        for (let i = 0; i < FILES; i++) {
          const socket = connect(few.port, '127.0.0.1');
          socket.on('error', () => undefined);
          socket.on('close', () => closed++);
          socket.write('GET /svc/health/live HTTP/1.1\r\nHost: a\r\n\r\n');
          opened.push(socket.resume());
        }
        // One of those that may be open is the client's own.
        await expectHere.poll(() => closed, { timeout: 30_000 }).toBeGreaterThanOrEqual(FILES - 224);
        await few.untilLogged(/225 connections are open, more are closed/);
        expectHere(await ask('GET', '/svc/rest/User?_sort=name', {})).toBe(200);
        const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello\r\n--b--\r\n';
        const type = { 'Content-Type': 'multipart/form-data; boundary=b' };
        expectHere(await ask('POST', '/svc/upload', type, form)).toBe(200);
      } finally {
        for (const socket of opened) socket.destroy();
        agent.destroy();
        await few.stop();
      }
    },
  );

  const status = (): Promise<number> =>
    new Promise((resolve, reject) => {
      get(`${server.url}/svc/rest/Note`, { localAddress: ELSEWHERE, agent: false }, (answer) => {
        answer.resume();
        answer.on('end', () => {
          resolve(answer.statusCode ?? 0);
        });
      }).on('error', reject);
    });

  it.skipIf(!isHere)('slow heads and bodies keep nobody out', async ({ expect: expectHere }) => {
    const slow = Object.entries(KINDS).map(async ([kind, args]) => {
      const full = args.map((one) => (one.startsWith('/') ? `${server.url}${one}` : one));
      const { stdout } = await run('slowhttptest', [
        ...full,
        ...['-c', String(SLOW), '-r', '300', '-i', '1', '-x', '10', '-p', '10', '-l', String(LONGEST)],
      ]);
      return [kind, /Exit status:\s*(.*)/.exec(stripVTControlCharacters(stdout))?.[1] ?? stdout] as const;
    });
    let over = false;
    const ended = Promise.all(slow).finally(() => (over = true));
    let answers = 0;
    while (!over) {
      expectHere(await status()).toBe(200);
      answers++;
      await sleep(20);
    }
    for (const [kind, end] of await ended) expectHere([kind, end]).toEqual([kind, 'No open connections left']);
    expectHere(answers).toBeGreaterThan(0);
    expectHere(await status()).toBe(200);
  });
});
