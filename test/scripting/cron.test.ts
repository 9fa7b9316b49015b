/** `CronService`: functions that run on a schedule (docs/interface/operations.md 5.2). */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({
    settings: {
      'cronservice.tasks': 'tick Maker.tock gone slow lost wrong',
      'tick.cronExpression': '* * * * * *',
      'Maker.tock.cronExpression': '*/1 * * * * *',
      'gone.cronExpression': '* * * * * *',
      'slow.cronExpression': '* * * * * *',
      'wrong.cronExpression': '* * * * *',
    },
  });
  const { admin } = server;
  await admin.create('SchemaNode', { name: 'Note' });
  await admin.create('SchemaNode', {
    name: 'Maker',
    isServiceClass: true,
    schemaMethods: [
      { name: 'tock', isStatic: true, source: "{ $.create('Note', { name: 'tock of ' + $.me.name }); }" },
    ],
  });
  await admin.create('SchemaMethod', { name: 'tick', source: "create('Note', 'name', 'tick')" });
  await admin.create('SchemaMethod', {
    name: 'slow',
    source: "{ $.sleep(2500); $.create('Note', { name: 'slow' }); }",
  });
});
afterAll(() => server.stop());

const notes = async (name: string): Promise<number> =>
  ((await server.admin.get(`/Note?name=${name}`)).body as { result_count: number }).result_count;

async function until(name: string): Promise<void> {
  for (const end = Date.now() + 20_000; (await notes(name)) === 0; await sleep(50)) {
    if (Date.now() > end) throw new Error(`no note ${name}: ${server.lines.slice(-10).join('\n')}`);
  }
}

it('a user-defined function and a static method run every second, as the superuser, and say how long they took', async () => {
  await until('tick');
  await until('tock%20of%20superadmin');
  expect((await server.untilLogged(/the task tick ended after \d+ ms/)).length).toBeGreaterThan(0);
});

it('what fails is logged and runs again', async () => {
  expect((await server.untilLogged(/the task gone failed after \d+ ms/)).length).toBeGreaterThan(0);
});

it('a task does not begin again while its last run goes on', async () => {
  expect((await server.untilLogged(/the task slow is left out this time/)).length).toBeGreaterThan(0);
  await until('slow');
});

it('a task without a schedule, or with one that makes no sense, is left out and named', async () => {
  expect(await server.untilLogged(/the task lost is left out: there is no setting lost\.cronExpression/)).toHaveLength(
    1,
  );
  expect(await server.untilLogged(/the task wrong is left out: .* does not have six fields/)).toHaveLength(1);
});
