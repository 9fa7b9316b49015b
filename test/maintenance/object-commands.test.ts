/** Maintenance commands that change many objects (docs/interface/operations.md 9.3). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { endedJob, untilJob, type JobInfo } from '../support/jobs.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let task: string;
let project: string;

const run = (command: string, body: unknown = {}, client = admin): Promise<Answer> =>
  client.post(`/maintenance/${command}`, body);
/** Runs in the background; the job when it has ended. */
async function ended(command: string, body: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const answer = await run(command, { ...body, background: true });
  expect(answer.status, answer.text).toBe(200);
  return endedJob(admin, (answer.body.result as [{ jobId: number }])[0].jobId) as Promise<Record<string, unknown>>;
}
const values = async (type: string, key: string): Promise<unknown[]> =>
  ((await admin.get(`/${type}/all?_sort=name`)).body.result as Record<string, unknown>[]).map((one) => one[key]);

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  task = await admin.defineType('Task', [
    { name: 'state', propertyType: 'String', indexed: true },
    { name: 'number', propertyType: 'Integer' },
    { name: 'code', propertyType: 'String', unique: true },
    { name: 'kept', propertyType: 'String', readOnly: true },
    { name: 'list', propertyType: 'StringArray' },
  ]);
  await admin.defineType('Urgent', [], { inheritedTraits: ['Task'] });
  project = await admin.defineType('Project');
  await admin.relate(project, 'HAS', task, {
    sourceJsonName: 'project',
    targetJsonName: 'tasks',
    schemaProperties: [
      { name: 'weight', propertyType: 'Integer' },
      { name: 'copy', propertyType: 'String' },
    ],
  });
  await admin.post(
    '/Task',
    Array.from({ length: 5 }, (_, i) => ({ name: `t${String(i)}`, code: `c${String(i)}` })),
  );
  await admin.create('Urgent', { name: 'u' });
  const [{ id }] = (await admin.get('/Task?name=t0')).body.result as [{ id: string }];
  await admin.create('Project', { name: 'p', tasks: [id] });
  await admin.create('User', { name: 'anna', password: 'anna' });
  for (const command of ['setNodeProperties', 'flushCaches', 'clearDatabase', 'rebuildIndex'])
    await allow(admin, `maintenance/${command}`, 'user', ['POST']);
});
afterAll(() => server.stop());

describe('setNodeProperties', () => {
  it('sets values on nodes of exactly the type, and finds them by their indexes', async () => {
    const answer = await run('setNodeProperties', { type: 'Task', state: 'open', number: 7, kept: 'x' });
    expect([answer.status, answer.body.result]).toEqual([200, []]);
    expect(await values('Task', 'state')).toEqual([...Array<string>(5).fill('open'), null]);
    expect(await values('Task', 'number')).toEqual([...Array<number>(5).fill(7), null]);
    expect((await admin.get('/Task?state=open')).body.result_count).toBe(5);
  });

  it('tells progress and counts to who asks for its job', async () => {
    const job = await ended('setNodeProperties', { type: 'Task', state: 'done' });
    expect(job).toMatchObject({
      jobtype: 'MAINTENANCE',
      jobName: 'setNodeProperties',
      status: 'FINISHED',
      phase: 'setting properties of Task',
      phases: [{ phase: 'setting properties of Task', begun: expect.stringMatching(/^\d{4}-/) as unknown }],
      phaseObjects: 5,
      phaseTotal: 5,
      processedObjects: 5,
      result: { looked: 5, changed: 5, failed: 0 },
    });
    expect((await ended('setNodeProperties', { type: 'Task', state: 'done' })).result).toMatchObject({ changed: 0 });
  });

  it('leaves out what cannot be, names it, and does the rest', async () => {
    const job = await ended('setNodeProperties', { type: 'Task', code: 'same', nothing: 1 });
    expect(job.result).toEqual({ looked: 5, changed: 1, failed: 4 });
    expect(job.problemCount).toBe(5);
    expect(String(job.problems)).toMatch(/Task has no property nothing.*already_taken/s);
    expect((await values('Task', 'code')).filter((code) => code === 'same')).toHaveLength(1);
  });

  it('changes the type', async () => {
    await admin.defineType('Old', [{ name: 'code', propertyType: 'String' }]);
    await admin.create('Old', { name: 'z1', code: 'old' });
    expect((await run('setNodeProperties', { type: 'Old', newType: 'Task', number: 3 })).status).toBe(200);
    expect((await admin.get('/Old')).body.result).toEqual([]);
    expect((await admin.get('/Task/all?name=z1')).body.result).toMatchObject([
      { type: 'Task', code: 'old', number: 3 },
    ]);
    expect((await admin.get('/Task?code=old')).body.result_count).toBe(1);
  });

  it('changes the schema as others do', async () => {
    await admin.defineType('Plain', [{ name: 'one', propertyType: 'String' }]);
    expect((await run('setNodeProperties', { type: 'SchemaView', nonGraphProperties: 'name' })).status).toBe(200);
    const job = await ended('setNodeProperties', { type: 'SchemaProperty', propertyType: 'NoSuchType' });
    expect(job.result).toMatchObject({ changed: 0 });
    expect((await admin.get('/Task')).status).toBe(200);
  });

  it.each([
    [{}, 422, 'Type must not be empty'],
    [{ type: 'Nothing' }, 422, 'Invalid type Nothing'],
    [{ type: 1 }, 422, '"type"'],
    [{ type: ['Task'] }, 422, '"type"'],
    [{ type: 'Task', newType: 'Nothing' }, 422, 'Invalid type Nothing'],
    [{ type: 'Task', newType: 3 }, 422, '"newType"'],
    [{ type: 'Task', background: 'yes' }, 422, '"background"'],
    [{ type: 'Task', number: 'many' }, 422, 'number'],
    [{ type: 'Task', id: 'x' }, 422, 'Ids cannot be set'],
    [[], 400, 'one JSON object'],
  ])('refuses %j', async (body, status, said) => {
    const answer = await run('setNodeProperties', body);
    expect([answer.status, answer.body.code]).toEqual([status, status]);
    expect(answer.text.replaceAll('\\u003d', '=').replaceAll('\\"', '"')).toContain(said);
  });

  it('is for administrators', async () => {
    const anna = server.as('anna', 'anna');
    expect((await run('setNodeProperties', { type: 'Task', state: 'hers' }, anna)).status).toBe(403);
    expect((await run('setRelationshipProperties', {}, anna)).status).toBe(401);
    expect((await run('setNodeProperties', { type: 'Task' }, server.as())).status).toBe(401);
    const wrong = await admin.get('/maintenance/setNodeProperties');
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'POST']);
    expect(await values('Task', 'state')).not.toContain('hers');
  });
});

describe('changeNodePropertyKey', () => {
  it('moves stored values as they are, and leaves nodes that have the new key', async () => {
    await admin.defineType('Note', [
      { name: 'before', propertyType: 'String', indexed: true },
      { name: 'after', propertyType: 'String', indexed: true },
    ]);
    await admin.post('/Note', [{ name: 'a', before: 'x' }, { name: 'b', before: 'y', after: 'z' }, { name: 'c' }]);
    const job = await ended('changeNodePropertyKey', { type: 'Note', oldKey: 'before', newKey: 'after' });
    expect(job.result).toEqual({ looked: 2, changed: 1, failed: 0, skipped: 1 });
    expect(await values('Note', 'after')).toEqual(['x', 'z', null]);
    expect(await values('Note', 'before')).toEqual([null, 'y', null]);
    expect((await admin.get('/Note?after=x')).body.result_count).toBe(1);
    expect((await admin.get('/Note?before=x')).body.result_count).toBe(0);
  });

  it('does nothing without both keys', async () => {
    for (const body of [{}, { oldKey: 'after' }, { newKey: 'after' }])
      expect(await run('changeNodePropertyKey', body)).toMatchObject({ status: 200, body: { result: [] } });
    expect(await values('Note', 'after')).toEqual(['x', 'z', null]);
  });

  it.each([
    [{ oldKey: 1, newKey: 'b' }, '"oldKey"'],
    [{ oldKey: 'a', newKey: false }, '"newKey"'],
    [{ oldKey: 'id', newKey: 'b' }, '"oldKey"'],
    [{ oldKey: 'a', newKey: 'type' }, '"newKey"'],
    [{ oldKey: 'a', newKey: 'b', type: {} }, '"type"'],
    [{ oldKey: 'a', newKey: 'b', type: 'Nothing' }, 'Invalid type Nothing'],
    [{ oldkey: 'a' }, '"oldkey"'],
    [{ oldKey: 'a', newKey: 'b', background: 1 }, '"background"'],
  ])('refuses %j', async (body, said) => {
    const answer = await run('changeNodePropertyKey', body);
    expect(answer.status).toBe(422);
    expect(answer.text.replaceAll('\\"', '"')).toContain(said);
  });
});

describe('fixNodeProperties', () => {
  it('converts stored values after the type of a property has changed', async () => {
    const type = await admin.defineType('Row', [
      { name: 'count', propertyType: 'String', indexed: true },
      { name: 'tags', propertyType: 'String' },
      { name: 'text', propertyType: 'Integer' },
    ]);
    await admin.post('/Row', [
      { name: 'a', count: '12', tags: 'one', text: 5 },
      { name: 'b', count: 'many', tags: null },
    ]);
    const properties = (await admin.get(`/SchemaNode/${type}/all`)).body.result.schemaProperties as {
      id: string;
      name: string;
    }[];
    const idOf = (name: string): string => properties.find((one) => one.name === name)?.id ?? '';
    await admin.put(`/SchemaProperty/${idOf('count')}`, { propertyType: 'Integer' });
    await admin.put(`/SchemaProperty/${idOf('tags')}`, { propertyType: 'StringArray' });
    await admin.put(`/SchemaProperty/${idOf('text')}`, { propertyType: 'String' });
    expect((await admin.get('/Row?count=12')).body.result_count).toBe(0);
    const one = await ended('fixNodeProperties', { type: 'Row', name: 'tags' });
    expect(one.result).toEqual({ looked: 2, changed: 1, failed: 0 });
    const job = await ended('fixNodeProperties', { type: 'Row' });
    expect(job.result).toEqual({ looked: 2, changed: 1, failed: 1 });
    expect(String(job.problems)).toContain('count');
    expect((await admin.get('/Row/all?count=12')).body.result).toMatchObject([{ count: 12, tags: ['one'], text: '5' }]);
    expect((await ended('fixNodeProperties', { type: 'Row' })).result).toMatchObject({ changed: 0, failed: 1 });
  });

  it('does nothing without a type, and refuses what is none', async () => {
    expect(await run('fixNodeProperties', {})).toMatchObject({ status: 200, body: { result: [] } });
    for (const body of [
      { type: 'Nothing' },
      { type: 1 },
      { type: 'Row', name: 'nothing' },
      { type: 'Row', name: 2 },
      { kind: 'Row' },
    ])
      expect((await run('fixNodeProperties', body)).status, JSON.stringify(body)).toBe(422);
  });
});

describe('relationships', () => {
  const links = async (): Promise<Record<string, unknown>[]> =>
    (await admin.get('/ProjectHASTask/all')).body.result as Record<string, unknown>[];

  it('setRelationshipProperties sets values of a type, or of all that have the property', async () => {
    expect((await run('setRelationshipProperties', { type: 'ProjectHASTask', weight: 4 })).body.result).toEqual([]);
    expect(await links()).toMatchObject([{ weight: 4 }]);
    const job = await ended('setRelationshipProperties', { weight: 5 });
    expect(job.result).toMatchObject({ changed: 1, failed: 0 });
    expect(String(job.problems)).toContain('has no property weight');
    expect(await links()).toMatchObject([{ weight: 5 }]);
  });

  it('copyRelationshipProperties copies values, in the form of the other property', async () => {
    expect((await ended('copyRelationshipProperties', { sourceKey: 'weight', destKey: 'copy' })).result).toMatchObject({
      changed: 1,
    });
    expect(await links()).toMatchObject([{ weight: 5, copy: '5' }]);
  });

  it.each([
    ['setRelationshipProperties', { type: 'Task' }, 'Invalid type Task'],
    ['setRelationshipProperties', { type: 'Nothing' }, 'Invalid type Nothing'],
    ['setRelationshipProperties', { type: 7 }, '"type"'],
    ['setRelationshipProperties', { type: 'ProjectHASTask', weight: 'x' }, 'weight'],
    ['setRelationshipProperties', { sourceId: 'x' }, '"sourceId"'],
    ['copyRelationshipProperties', {}, '"sourceKey"'],
    ['copyRelationshipProperties', { sourceKey: 'weight' }, '"destKey"'],
    ['copyRelationshipProperties', { sourceKey: 'weight', destKey: 'id' }, '"destKey"'],
    ['copyRelationshipProperties', { sourceKey: 1, destKey: 'copy' }, '"sourceKey"'],
    ['copyRelationshipProperties', { sourceKey: 'weight', destKey: 'copy', more: 1 }, '"more"'],
  ])('%s refuses %j', async (command, body, said) => {
    const answer = await run(command, body);
    expect(answer.status).toBe(422);
    expect(answer.text.replaceAll('\\"', '"')).toContain(said);
  });
});

describe('a command that is ended', () => {
  it('has done whole transactions, tells whoever waits, and leaves the rest', async () => {
    await admin.defineType('Many', [{ name: 'state', propertyType: 'String', indexed: true }]);
    const some = Array.from({ length: 1000 }, () => ({ state: 'old' }));
    for (let i = 0; i < 4; i++) expect((await admin.post('/Many', some)).status).toBe(201);
    const waiting = run('setNodeProperties', { type: 'Many', state: 'new' });
    const running = async (): Promise<number> => {
      const jobs = (await admin.get('/jobs')).body.result as readonly JobInfo[];
      return jobs.find(({ status }) => status === 'RUNNING')?.jobId ?? 0;
    };
    let job = 0;
    while ((job = await running()) === 0);
    expect((await admin.post(`/jobs/${String(job)}/pause`)).status).toBe(200);
    const paused = await untilJob(admin, job, ({ status }) => status === 'PAUSED');
    const changed = async (): Promise<number> => (await admin.get('/Many?state=new&_pageSize=1')).body.result_count;
    expect(await changed()).toBe(paused.processedObjects);
    expect(paused).toMatchObject({ phaseTotal: 4000, phaseObjects: paused.processedObjects });
    expect((await admin.post(`/jobs/${String(job)}/abort`)).status).toBe(200);
    const answer = await waiting;
    expect([answer.status, answer.body.message]).toEqual([
      409,
      expect.stringContaining('what was done until then stays'),
    ]);
    expect((await endedJob(admin, job)).status).toBe('ABORTED');
    expect(await changed()).toBe(paused.processedObjects);
    expect([0, 1000, 2000, 3000]).toContain(paused.processedObjects);
  });
});
