/** Jobs: one import at a time, pausing and ending, who sees them, and the end of the server (docs/interface/imports.md 4). */
import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { EventStream } from '../support/event-stream.js';
import { endedJob, fileWith, untilJob } from '../support/jobs.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
/** A file that takes a while, when each row is committed on its own. */
let long: string;
let short: string;

const ROWS = 3000;
const slowly = { targetType: 'Thing', mappings: { name: 'name' }, commitInterval: 1 };
const quickly = { targetType: 'Thing', mappings: { name: 'name' } };

async function start(file: string, body: object, client = admin): Promise<number> {
  const answer = await client.post(`/File/${file}/doCSVImport`, body);
  expect(answer.status).toBe(200);
  return answer.body.result as number;
}
const act = (id: number, action: string, client = admin) => client.post(`/jobs/${String(id)}/${action}`);
const statusOf = async (id: number): Promise<string> => (await admin.get(`/jobs/${String(id)}`)).body.result.status;
const count = async (): Promise<number> => (await admin.get('/Thing?_pageSize=1')).body.result_count;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'httpservice.servlets': 'JsonRestServlet EventSourceServlet' } });
  admin = server.admin;
  await admin.defineType('Thing');
  long = await fileWith(admin, 'long.csv', `name\n${'x\n'.repeat(ROWS)}`, { visibleToAuthenticatedUsers: true });
  short = await fileWith(admin, 'short.csv', 'name\ny\n', { visibleToAuthenticatedUsers: true });
});
afterAll(() => server.stop());

describe('jobs', () => {
  it('have ids from 1, run one at a time, and end', async () => {
    const [first, second] = [await start(long, slowly), await start(short, quickly)];
    expect([first, second]).toEqual([1, 2]);
    await untilJob(admin, first, ({ status }) => status === 'RUNNING');
    expect(await statusOf(second)).toBe('QUEUED');
    const { body } = await admin.get('/jobs');
    expect(body.result_count).toBe(2);
    expect(body.result.map(({ jobId }: { jobId: number }) => jobId)).toEqual([1, 2]);
    expect((await act(first, 'abort')).status).toBe(200);
    expect(await endedJob(admin, first)).toMatchObject({ status: 'ABORTED' });
    expect(await endedJob(admin, second)).toMatchObject({ status: 'FINISHED', objectsCreated: 1 });
    // What was committed stays.
    const created = (await admin.get('/jobs/1')).body.result.objectsCreated as number;
    expect(created).toBeLessThan(ROWS);
    expect(await count()).toBe(created + 1);
  });

  it('rest while they are paused, let others go first, and go on where they were', async () => {
    const before = await count();
    const id = await start(long, { ...slowly, commitInterval: 10 });
    await untilJob(admin, id, ({ processedChunks }) => processedChunks > 0);
    expect((await act(id, 'pause')).status).toBe(200);
    const paused = await untilJob(admin, id, ({ status }) => status === 'PAUSED');
    const other = await start(short, quickly);
    expect(await endedJob(admin, other)).toMatchObject({ status: 'FINISHED' });
    expect((await admin.get(`/jobs/${String(id)}`)).body.result.processedObjects).toBe(paused.processedObjects);
    expect((await act(id, 'resume')).status).toBe(200);
    expect(await endedJob(admin, id)).toMatchObject({ status: 'FINISHED', objectsCreated: ROWS });
    expect(await count()).toBe(before + ROWS + 1);
  });

  it('can be aborted while they are paused, and cancelled or paused while they wait', async () => {
    const ids = [await start(long, slowly), await start(short, quickly), await start(short, quickly)];
    const [first = 0, second = 0, third = 0] = ids;
    expect((await act(second, 'pause')).status).toBe(200);
    expect((await act(third, 'cancel')).status).toBe(200);
    expect(await statusOf(third)).toBe('ABORTED');
    await untilJob(admin, first, ({ processedChunks }) => processedChunks > 0);
    expect((await act(first, 'cancel')).body.message).toMatch(/abort/);
    await act(first, 'pause');
    await untilJob(admin, first, ({ status }) => status === 'PAUSED');
    expect(await statusOf(second)).toBe('PAUSED');
    expect((await act(first, 'abort')).status).toBe(200);
    expect(await endedJob(admin, first)).toMatchObject({ status: 'ABORTED' });
    expect((await act(second, 'resume')).status).toBe(200);
    expect(await endedJob(admin, second)).toMatchObject({ status: 'FINISHED' });
  });

  it('are cancelled together from one on', async () => {
    const first = await start(long, slowly);
    const others = [await start(short, quickly), await start(short, quickly), await start(short, quickly)];
    expect((await act(others[0] ?? 0, 'cancelAllAfter')).status).toBe(200);
    await act(first, 'abort');
    expect(await Promise.all(others.map(async (id) => (await endedJob(admin, id)).status))).toEqual([
      'FINISHED',
      'ABORTED',
      'ABORTED',
    ]);
  });

  it('refuse what does not apply to them', async () => {
    const id = await start(short, quickly);
    await endedJob(admin, id);
    for (const action of ['pause', 'resume', 'abort', 'cancel']) {
      const answer = await act(id, action);
      expect([answer.status, answer.body.message]).toEqual([
        422,
        `Job ${String(id)} is FINISHED: ${action} does not apply.`,
      ]);
    }
  });

  it.each([
    ['GET', '/jobs/0', 404],
    ['GET', '/jobs/999999', 404],
    ['GET', '/jobs/x', 404],
    ['GET', '/jobs/1.5', 404],
    ['GET', `/jobs/${'9'.repeat(30)}`, 404],
    ['POST', '/jobs', 405],
    ['DELETE', '/jobs/1', 405],
    ['POST', '/jobs/1/begin', 404],
    ['POST', '/jobs/999999/abort', 404],
    ['GET', '/jobs/1/abort', 405],
    ['POST', '/jobs/1/abort/now', 404],
  ])('%s %s answers %i', async (method, path, status) => {
    expect((await admin.send(method, path, method === 'POST' ? {} : undefined)).status).toBe(status);
  });

  it('tell of their course in the log', async () => {
    const id = await start(short, quickly);
    await endedJob(admin, id);
    const lines = await server.untilLogged(new RegExp(`job ${String(id)} \\(CSV /short.csv, admin\\) has ended`));
    expect(lines[0]).toMatch(/1 chunks, 1 objects, 1 created, 0 ignored/);
  });
});

describe('jobs of others', () => {
  let user: Client;
  let other: Client;

  beforeAll(async () => {
    for (const name of ['one', 'two']) await admin.create('User', { name, password: 'Secret-pass-1' });
    user = server.as('one', 'Secret-pass-1');
    other = server.as('two', 'Secret-pass-1');
    expect((await user.get('/jobs')).status).toBe(401);
    await allow(admin, 'jobs', 'user', ['GET']);
    await allow(admin, 'jobs/_id', 'user', ['GET']);
    for (const action of ['abort', 'pause']) await allow(admin, `jobs/_id/${action}`, 'user', ['POST']);
    await allow(admin, 'File/_id/doCSVImport', 'user', ['POST']);
    await allow(admin, 'Thing', 'user', ['POST']);
  });

  it('are not seen, and not touched', async () => {
    const id = await start(long, slowly, user);
    expect((await user.get('/jobs')).body.result).toHaveLength(1);
    expect((await other.get('/jobs')).body.result).toEqual([]);
    expect((await other.get(`/jobs/${String(id)}`)).status).toBe(404);
    expect((await act(id, 'abort', other)).status).toBe(404);
    expect((await act(id, 'cancel', user)).status).toBe(401);
    expect((await server.as().get(`/jobs/${String(id)}`)).status).toBe(401);
    expect((await admin.get(`/jobs/${String(id)}`)).body.result.username).toBe('one');
    expect((await act(id, 'abort', user)).status).toBe(200);
    expect(await endedJob(user, id)).toMatchObject({ status: 'ABORTED' });
  });

  it('end when their user loses the right to make such objects', async () => {
    const id = await start(long, slowly, user);
    await untilJob(admin, id, ({ processedChunks }) => processedChunks > 0);
    const { body } = await admin.get('/ResourceAccess?signature=Thing');
    await admin.delete(`/ResourceAccess/${body.result[0].id as string}`);
    const info = await endedJob(admin, id);
    expect(info).toMatchObject({ status: 'FAILED' });
    expect(info.exception.message).toMatch(/POST to Thing/);
  });

  it('end when their user is blocked', async () => {
    await allow(admin, 'Thing', 'user', ['POST']);
    const id = await start(long, slowly, other);
    await untilJob(admin, id, ({ processedChunks }) => processedChunks > 0);
    const { body } = await admin.get('/User?name=two');
    await admin.put(`/User/${body.result[0].id as string}`, { blocked: true });
    const info = await endedJob(admin, id);
    expect(info).toMatchObject({ status: 'FAILED' });
    expect(info.exception.message).toMatch(/gone or blocked/);
  });

  it('do not fill the queue for everybody', async () => {
    const first = await start(long, slowly, user);
    const answers = [];
    for (let i = 0; i < 101; i++) answers.push((await user.post(`/File/${short}/doCSVImport`, quickly)).status);
    expect(answers.filter((status) => status === 429).length).toBeGreaterThan(0);
    const mine = await start(short, quickly);
    await act(first, 'abort', user);
    expect(await endedJob(admin, mine)).toMatchObject({ status: 'FINISHED' });
  });
});

describe('who listens', () => {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  type Message = any;
  const open: EventStream[] = [];
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });

  async function listen(client: Client): Promise<EventStream> {
    const stream = await EventStream.open(`${server.url}/svc/EventSource`, client.credentials);
    open.push(stream);
    return stream;
  }
  /** Messages of a job until it has ended. */
  async function told(stream: EventStream, id: number): Promise<Message[]> {
    const all: Message[] = [];
    while (!/^(?:END|ABORTED)$/.test(String(all.at(-1)?.subtype)) && all.at(-1)?.status !== 'FAILED') {
      const [[name, data] = ['', '']] = await stream.events(1);
      expect(name).toBe('GENERIC_MESSAGE');
      const message: Message = JSON.parse(data);
      if (message.jobId === id) all.push(message);
    }
    return all;
  }
  const command = async (name: string, body: object): Promise<number> =>
    (await admin.post(`/maintenance/${name}`, { ...body, background: true })).body.result[0].jobId as number;
  const subtypes = (messages: Message[]): string[] => [...new Set(messages.map(({ subtype }) => subtype as string))];

  it('hears of jobs as they begin, go on and end: whose they are, and administrators, nobody else', async () => {
    const [mine, others] = [await server.admin.create('User', { name: 'ann', password: 'Secret-pass-1' }), 'bob'];
    expect(mine).toMatch(/^\w{32}$/);
    await admin.create('User', { name: others, password: 'Secret-pass-1' });
    const [ann, bob] = [server.as('ann', 'Secret-pass-1'), server.as(others, 'Secret-pass-1')];
    expect((await ann.send('GET', '/svc/EventSource')).status).toBe(401);
    for (const who of ['user', 'anonymous'] as const) await allow(admin, '_eventSource', who, ['GET']);
    const [admins, anns, bobs] = [await listen(admin), await listen(ann), await listen(bob)];
    const nobodys = await listen(server.as());

    const id = await start(long, { ...slowly, commitInterval: 100 }, ann);
    for (const stream of [admins, anns]) {
      const messages = await told(stream, id);
      expect(subtypes(messages)).toEqual(['QUEUED', 'BEGIN', 'CHUNK', 'END']);
      // At most one in a quarter of a second, whatever it does.
      const { start: begun, end } = messages.at(-1);
      expect(messages.filter(({ subtype }) => subtype === 'CHUNK').length).toBeLessThan(3 + (end - begun) / 250);
      expect(messages.at(-1)).toMatchObject({
        type: 'FILE_IMPORT_STATUS',
        jobtype: 'CSV',
        username: 'ann',
        filepath: '/long.csv',
        objectsCreated: ROWS,
        currentChunkNo: ROWS / 100,
        duration: expect.stringMatching(/^\d+\.\d\ds$/),
      });
    }

    await admin.defineType('Part');
    await admin.create('Part', { name: 'one' });
    const target = `${server.folder}/deployment/data`;
    const out = await told(admins, await command('deployData', { mode: 'export', target, types: 'Part' }));
    expect(subtypes(out)).toEqual(['QUEUED', 'BEGIN', 'PROGRESS', 'END']);
    expect(out[1]).toMatchObject({ type: 'DEPLOYMENT_DATA_EXPORT_STATUS', target, start: expect.any(Number) });
    expect(out[2]).toMatchObject({ message: expect.any(String), data: { progress: expect.stringMatching(/^\(\d+/) } });
    expect(out.at(-1)).toMatchObject({ target, end: expect.any(Number), duration: expect.stringMatching(/s$/) });
    const back = await told(admins, await command('deployData', { mode: 'import', source: target }));
    expect(back.at(-1)).toMatchObject({ type: 'DEPLOYMENT_DATA_IMPORT_STATUS', subtype: 'END', source: target });

    const rebuilt = await told(admins, await command('rebuildIndex', {}));
    expect(rebuilt.at(-1)).toMatchObject({ type: 'MAINTENANCE_STATUS', jobName: 'rebuildIndex', subtype: 'END' });

    const broken = await told(admins, await command('deploy', { mode: 'import', source: target }));
    expect(broken.map(({ type }) => type)).toContain('WARNING');

    const id2 = await start(long, slowly);
    await untilJob(admin, id2, ({ processedChunks }) => processedChunks > 0);
    await act(id2, 'pause');
    await untilJob(admin, id2, ({ status }) => status === 'PAUSED');
    await act(id2, 'resume');
    await act(id2, 'abort');
    const course = (await told(admins, id2)).map(({ subtype }) => subtype as string);
    expect(course.filter((one) => one !== 'CHUNK')).toEqual([
      ...['QUEUED', 'BEGIN', 'WAIT_PAUSE', 'PAUSED', 'RESUMED', 'WAIT_ABORT', 'ABORTED'],
    ]);

    // Those that must not hear of them have heard nothing until a word that comes after all of it.
    await admin.create('SchemaMethod', {
      name: 'say',
      isStatic: true,
      source: "{ $.broadcastEvent('said', 'x', true, true); }",
    });
    expect((await admin.post('/say')).status).toBe(200);
    for (const stream of [bobs, nobodys, anns]) expect((await stream.events(1))[0]?.[0]).toBe('said');
  });

  it('is told why a job has failed', async () => {
    const admins = await listen(admin);
    const user = server.as('ann', 'Secret-pass-1');
    const id = await start(long, slowly, user);
    await untilJob(admin, id, ({ processedChunks }) => processedChunks > 0);
    const { body } = await admin.get('/User?name=ann');
    await admin.put(`/User/${body.result[0].id as string}`, { blocked: true });
    expect((await told(admins, id)).at(-1)).toMatchObject({
      ...{ type: 'FILE_IMPORT_EXCEPTION', status: 'FAILED', title: 'CSV has failed' },
      message: expect.stringMatching(/gone or blocked/),
    });
  });
});

describe('the end of the server', () => {
  it('ends jobs between two transactions; what was committed is there afterwards', async () => {
    const own = await TestServer.start();
    await own.admin.defineType('Thing');
    const file = await fileWith(own.admin, 'long.csv', `name\n${'x\n'.repeat(ROWS)}`);
    const id = (await own.admin.post(`/File/${file}/doCSVImport`, { ...slowly, commitInterval: 5 })).body
      .result as number;
    await own.admin.post(`/File/${file}/doCSVImport`, slowly);
    await untilJob(own.admin, id, ({ processedChunks }) => processedChunks > 1);
    const again = await own.restart();
    expect(await own.untilLogged(/job 1 .* was aborted/)).toHaveLength(1);
    expect(await own.untilLogged(/job 2 .* was cancelled/)).toHaveLength(1);
    expect((await again.admin.get('/jobs')).body.result).toEqual([]);
    const there = (await again.admin.get('/Thing?_pageSize=1')).body.result_count as number;
    expect(there % 5).toBe(0);
    expect(there).toBeGreaterThan(0);
    expect(there).toBeLessThan(ROWS);
    await again.stop();
    await rm(own.folder, { recursive: true, force: true });
  });
});
