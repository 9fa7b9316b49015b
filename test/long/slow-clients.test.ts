/**
 * Clients that send heads and bodies as slowly as they can, or read so, by the real `slowhttptest`: more of them than one address may have. Others are
 * answered all the while, and the slow ones are gone by themselves.
 */
import { execFile, spawnSync } from 'node:child_process';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { hasUws } from '../support/transports.js';

const run = promisify(execFile);
const isInstalled = spawnSync('slowhttptest', ['-h']).error === undefined;
if (!isInstalled) console.warn('skipped: slow clients (apt-get install slowhttptest)');
if (!hasUws()) console.warn('skipped: slow clients with uWebSockets.js, which does not load here');

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
  const isHere = isInstalled && (transport === 'node' || hasUws());
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
      return [kind, /Exit status:\s*(.*)/.exec(stdout.replaceAll(/\u001b\[[\d;]*m/g, ''))?.[1] ?? stdout] as const;
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
