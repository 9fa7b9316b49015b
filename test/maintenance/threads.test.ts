/** `manageThreads` (docs/interface/operations.md 9.3). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

interface Thread {
  readonly id: number;
  readonly name: string;
  readonly state: string;
  readonly cpuTime: number;
}
let server: TestServer;
let admin: Client;
const run = (body: unknown, client = admin): Promise<Answer> => client.post('/maintenance/manageThreads', body);
const list = async (): Promise<Thread[]> => (await run({ command: 'list' })).body.result as Thread[];

beforeAll(async () => {
  server = await TestServer.start({
    settings: { 'application.scripting.js.timeout.cpu': 100_000, 'application.scripting.js.timeout.total': 100_000 },
  });
  ({ admin } = server);
  await admin.create('SchemaMethod', { name: 'busy', source: '{ for (;;) {} }' });
  await admin.create('SchemaMethod', { name: 'waiting', source: '{ $.sleep(90000); return 1; }' });
  await admin.create('SchemaMethod', { name: 'quick', source: '{ return 1; }' });
  await admin.create('User', { name: 'anna', password: 'anna' });
});
afterAll(() => server.stop());

it('lists the loop and what computes beside it', async () => {
  const threads = await list();
  expect(threads.find(({ id }) => id === 0)).toMatchObject({
    name: 'main',
    alive: true,
    priority: 5,
    deadlock: false,
    stack: [],
  });
  const times = threads.map(({ cpuTime }) => cpuTime);
  expect([...times].sort((a, b) => b - a)).toEqual(times);
});

it.each(['busy', 'waiting'])('ends a script that is %s', async (method) => {
  const running = admin.post(`/${method}`);
  let script: Thread | undefined;
  await expect.poll(async () => (script = (await list()).find(({ name }) => name.includes(method)))).toBeDefined();
  const ended = await run({ command: method === 'busy' ? 'kill' : 'interrupt', id: script?.id });
  expect([ended.status, ended.body.result]).toEqual([200, []]);
  const answer = await running;
  expect(answer.status).toBe(422);
  expect(await server.untilLogged(new RegExp(`admin has ended the script .*${method}`))).toHaveLength(1);
  expect((await list()).some(({ name }) => name.includes(method))).toBe(false);
  expect((await admin.post('/quick')).body.result).toBe(1);
});

it('refuses what it cannot do', async () => {
  for (const [body, said] of [
    [{}, '"command"'],
    [{ command: 'start' }, '"command"'],
    [{ command: 1 }, '"command"'],
    [{ command: 'kill' }, '"id"'],
    [{ command: 'kill', id: '1' }, '"id"'],
    [{ command: 'kill', id: 1.5 }, '"id"'],
    [{ command: 'interrupt', id: -1 }, '"id"'],
    [{ command: 'kill', id: 0 }, 'belongs to the server'],
    [{ command: 'kill', id: 424242 }, 'no thread 424242'],
    [{ command: 'list', name: 'x' }, '"name"'],
  ] as const) {
    const answer = await run(body);
    expect(answer.status, JSON.stringify(body)).toBe(422);
    expect(answer.text.replaceAll('\\"', '"')).toContain(said);
  }
  expect((await run({ command: 'list' }, server.as('anna', 'anna'))).status).toBe(401);
  await allow(admin, 'maintenance/manageThreads', 'user', ['POST']);
  expect((await run({ command: 'list' }, server.as('anna', 'anna'))).status).toBe(403);
});
