/** Scripts that run later, over the real server (docs/interface/script-runtime.md 7.1). */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let userId: string;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'application.scripting.js.isolates': 16 } });
  ({ admin } = server);
  await admin.defineType('Note', [{ name: 'text', propertyType: 'String' }], { defaultVisibleToAuth: true });
  const sources: Record<string, string> = {
    later: "schedule(concat('create(\\'Note\\', \\'name\\', \\'', retrieve('name'), '\\')'), 'Make a note')",
    later2:
      '{ $.store(\'mark\', \'from the store\'); $.create(\'Note\', { name: \'before\' }); $.schedule(\'{ $.create("Note", { name: "job", text: $.me.name + " " + $.retrieve("mark") + " " + ($.find("Note", "name", "before").length) }) }\') }',
    fromJs:
      "{ const n = $.create('Note', { name: $.args.name, text: 'old' }); const suffix = '!'; $.schedule(() => { n.text = n.text + suffix + $.me.name; }, 'A function', () => { $.create('Note', { name: $.args?.name ?? 'finish', text: $.get('jobInfo').status + ' ' + $.get('jobInfo').jobName }) }) }",
    failing:
      "{ $.schedule(`{ $.create('Note', { name: 'lost' }); throw new Error('on purpose') }`, 'It fails', `{ const i = $.get('jobInfo'); $.create('Note', { name: 'told', text: i.status + ' ' + i.exception.message + ' ' + i.exception.stacktrace.slice(0, 6) }) }`) }",
    rolledBack: "{ $.schedule(`{ $.create('Note', { name: 'never' }) }`); $.error('name', 'bad') }",
    nested: "{ $.schedule(`{ $.schedule(\"create('Note', 'name', 'nested')\") }`) }",
    info: '{ return $.jobInfo($.args.id) }',
    list: '{ return $.jobList() }',
    flood: '{ for (let i = 0; i < 101; i++) $.schedule(`{ $.sleep(1) }`) }',
    bad: 'schedule(7)',
    after: "{ $.schedule(`{ $.sleep(600) }`, 'Slow'); }",
  };
  for (const [name, source] of Object.entries(sources)) {
    await admin.create('SchemaMethod', { name, source });
    await allow(admin, name, 'user', ['POST']);
  }
  userId = await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
});
afterAll(() => server.stop());

const call = async (path: string, body: unknown = {}, client = admin): Promise<unknown> => {
  const answer = await client.post(path, body);
  expect(answer.status, answer.text).toBe(200);
  return (answer.body as { result: unknown }).result;
};
const notes = async (name: string): Promise<{ text: string | null }[]> =>
  ((await admin.get(`/Note?name=${name}`)).body as { result: { text: string | null }[] }).result;
/** The note of this name, once it is there. */
async function untilNote(
  name: string,
  test = (_: { text: string | null }): boolean => true,
): Promise<{ text: string | null }> {
  for (const end = Date.now() + 20_000; ; await sleep(10)) {
    const [note] = await notes(name);
    if (note !== undefined && test(note)) return note;
    if (Date.now() > end) throw new Error(`no note ${name}: ${server.lines.slice(-10).join('\n')}`);
  }
}

describe('schedule()', () => {
  it('runs a text after the script, answers null, and is in the log with its time and outcome', async () => {
    expect(await call('/later', { name: 'first' })).toEqual([]);
    await untilNote('first');
    expect(await server.untilLogged(/\(SCRIPT Make a note, admin\) has ended after \d+ ms/)).toHaveLength(1);
  });

  it('JavaScript as text: as the user, with the store of its creator, and with what was committed', async () => {
    await call('/later2');
    expect(await untilNote('job')).toMatchObject({ text: 'admin from the store 1' });
  });

  it('a function keeps what it knows, sees objects as they are then, and its end is told', async () => {
    await call('/fromJs', { name: 'kept' });
    expect(await untilNote('kept', ({ text }) => text !== 'old')).toMatchObject({ text: 'old!admin' });
    expect(await untilNote('finish')).toMatchObject({ text: 'FINISHED A function' });
  });

  it('functions of many scripts run one after the other, and give their isolates back', async () => {
    for (let i = 0; i < 12; i++) {
      const name = `many${String(i)}`;
      await call('/fromJs', { name });
      await untilNote(name, ({ text }) => text !== 'old');
    }
  });

  it('what fails is taken back, logged, and told to onFinish', async () => {
    await call('/failing');
    expect(await untilNote('told')).toMatchObject({ text: 'FAILED Error: on purpose at job' });
    expect(await notes('lost')).toEqual([]);
    expect(await server.untilLogged(/\(SCRIPT It fails, admin\) has failed after \d+ ms/)).toHaveLength(1);
  });

  it('of a script that fails nothing is run', async () => {
    expect((await admin.post('/rolledBack', {})).status).toBe(422);
    await call('/later', { name: 'behind' });
    await untilNote('behind');
    expect(await notes('never')).toEqual([]);
  });

  it('may be called by what was scheduled', async () => {
    await call('/nested');
    await untilNote('nested');
  });

  it('runs with the rights that the user has then: who is blocked meanwhile runs nothing', async () => {
    const jane = server.as('jane', 'secret-of-jane');
    await admin.post('/after', {});
    // The lanes are busy with the slow ones; this one waits behind them.
    for (let i = 0; i < 3; i++) await admin.post('/after', {});
    await call('/later', { name: 'of-jane' }, jane);
    await admin.put(`/User/${userId}`, { blocked: true });
    expect(await server.untilLogged(/\(SCRIPT Make a note, jane\) has failed .*gone or blocked/)).toHaveLength(1);
    expect(await notes('of-jane')).toEqual([]);
    await admin.put(`/User/${userId}`, { blocked: false });
  });

  it('more than a hundred of one user: refused, and none is run', async () => {
    // What the test before has scheduled ends first.
    for (
      const end = Date.now() + 20_000;
      ((await call('/list')) as []).length > 0 && Date.now() < end;
      await sleep(20)
    );
    const answer = await admin.post('/flood', {});
    expect([answer.status, answer.text]).toEqual([429, expect.stringContaining('100 jobs')]);
    const jobs = (await call('/list')) as { jobName: string }[];
    expect(jobs.filter(({ jobName }) => jobName === 'Untitled script job')).toEqual([]);
  });

  it('something else than a script: usage', async () => {
    expect(await call('/bad')).toMatch(/^Usage: schedule/);
  });
});

describe('jobInfo() and jobList()', () => {
  it('show what runs, to its user and administrators, and nothing that has ended', async () => {
    const jane = server.as('jane', 'secret-of-jane');
    // Those of other tests have ended.
    for (
      const end = Date.now() + 20_000;
      ((await call('/list')) as unknown[]).length > 0 && Date.now() < end;
      await sleep(20)
    );
    await call('/after');
    const jobs = (await call('/list')) as { jobId: number; status: string; jobName: string }[];
    expect(jobs).toMatchObject([{ jobtype: 'SCRIPT', status: 'RUNNING', jobName: 'Slow', username: 'admin' }]);
    const id = jobs[0]?.jobId ?? 0;
    expect(await call('/info', { id })).toMatchObject({ jobId: id, jobName: 'Slow' });
    expect(await call('/info', { id }, jane)).toBe(false);
    expect(await call('/list', {}, jane)).toEqual([]);
    for (const end = Date.now() + 20_000; (await call('/info', { id })) !== false && Date.now() < end; await sleep(20));
    expect(await call('/info', { id })).toBe(false);
    expect(await call('/info', { id: 999_999 })).toBe(false);
  });
});
