import { readFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { Client } from '../support/client.js';
import { TestServer } from '../support/server.js';

let server: TestServer | undefined;
afterEach(async () => {
  if (server?.child.exitCode === null) await server.end('SIGKILL');
});

/** The process of the server below its launcher; undefined: there is none now. */
async function serverPid({ child }: TestServer): Promise<number | undefined> {
  const pid = String(child.pid);
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const first = text.trim().split(' ')[0] ?? '';
  return first === '' ? undefined : Number(first);
}

async function crash(one: TestServer, signal: NodeJS.Signals): Promise<void> {
  const pid = await serverPid(one);
  if (pid === undefined) throw new Error('there is no server');
  const before = one.logged(/listening on http:/).length;
  process.kill(pid, signal);
  await expect.poll(() => one.logged(/listening on http:/).length).toBe(before + 1);
}

/** Where it listens since its last start: the port is any free one. */
function client(one: TestServer): Client {
  const port = /localhost:(\d+)/.exec(one.logged(/listening on http:/).at(-1) ?? '')?.[1] ?? '';
  return new Client(`http://127.0.0.1:${port}`, 'admin', 'admin');
}

test('a server that crashes comes back with all that it acknowledged, and says why; it ends as it is told', async () => {
  server = await TestServer.start({ launched: true });
  await server.admin.defineType('Note', [{ name: 'text', propertyType: 'String' }]);
  const id = await server.admin.create('Note', { text: 'kept' });
  await crash(server, 'SIGSEGV');
  expect((await client(server).get(`/Note/${id}`)).body.result.text).toBe('kept');
  await crash(server, 'SIGABRT');
  expect((await client(server).get(`/Note/${id}`)).body.result.text).toBe('kept');
  const told = server.logged(/org\.svc\.launcher/).map((line) => line.replace(/^\S+ /, ''));
  expect(told).toEqual([
    'ERROR org.svc.launcher - the server ended by signal SIGSEGV; it is started again in 1 s',
    'ERROR org.svc.launcher - the server ended by signal SIGABRT; it is started again in 2 s',
  ]);
  const pid = await serverPid(server);
  expect(await server.end('SIGTERM')).toBe(0);
  expect(server.logged(/- stopped$/)).toHaveLength(1);
  expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH');
});

test('a launcher that shall not start a server again ends with it', async () => {
  server = await TestServer.start({ launched: true, settings: { 'application.restart': false } });
  const pid = await serverPid(server);
  const exited = new Promise((resolve) => server?.child.once('exit', resolve));
  process.kill(pid ?? 0, 'SIGSEGV');
  expect(await exited).toBe(139);
});
