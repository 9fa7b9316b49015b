/** Maintenance commands on data that others have written, or that the schema has forgotten (docs/interface/operations.md 9.3). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cypher } from '../graph/neo4j.js';
import type { Answer, Client } from '../support/client.js';
import { endedJob } from '../support/jobs.js';
import { allow } from '../support/permissions.js';
import { onNeo4j, TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
const run = (command: string, body: unknown = {}, client = admin): Promise<Answer> =>
  client.post(`/maintenance/${command}`, body);
async function ended(command: string, body: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const answer = await run(command, { ...body, background: true });
  expect(answer.status, answer.text).toBe(200);
  return endedJob(admin, (answer.body.result as [{ jobId: number }])[0].jobId) as Promise<Record<string, unknown>>;
}

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  await admin.create('User', { name: 'anna', password: 'anna' });
});
afterAll(() => server.stop());

describe('analyzeSchema', () => {
  it('makes types of objects whose types are gone', async () => {
    const task = await admin.defineType('Task', [
      { name: 'title', propertyType: 'String' },
      { name: 'count', propertyType: 'Integer' },
      { name: 'ratio', propertyType: 'Double' },
      { name: 'done', propertyType: 'Boolean' },
      { name: 'tags', propertyType: 'StringArray' },
      { name: 'long', propertyType: 'Long' },
    ]);
    const project = await admin.defineType('Project');
    const link = await admin.relate(project, 'HAS', task, {
      sourceJsonName: 'project',
      targetJsonName: 'tasks',
      schemaProperties: [{ name: 'weight', propertyType: 'Integer' }],
    });
    await admin.post('/Task', [
      { name: 'a', title: 'one', count: 1, ratio: 0.5, done: true, tags: ['x'], long: '9007199254740993' },
      { name: 'b', title: 'two', count: 2, ratio: 2, tags: [] },
    ]);
    const [{ id }] = (await admin.get('/Task?name=a')).body.result as [{ id: string }];
    await admin.create('Project', { name: 'p', tasks: [id] });
    for (const gone of [link, task, project]) expect((await admin.delete(`/${gone}`)).status).toBe(200);
    expect((await admin.get('/Task')).status).toBe(404);

    const answer = await run('analyzeSchema');
    expect(answer.body.result).toEqual([
      { types: expect.arrayContaining(['Task', 'Project']), relationships: ['ProjectHASTask'] },
    ]);
    expect(answer.headers['start']).toMatch(/^\w{3} \w{3} \d\d \d\d:\d\d:\d\d \S+ \d{4}$/);
    expect(answer.headers['end']).toMatch(/^\w{3} \w{3} \d\d /);
    expect(answer.headers['duration']).toMatch(/^\d+\.\d\ds$/);
    expect((await admin.get('/Task/all?_sort=name')).body.result).toMatchObject(
      [
        { name: 'a', title: 'one', count: 1, ratio: 0.5, done: true, tags: ['x'], long: 9007199254740993n.toString() },
        { name: 'b', title: 'two', count: 2, ratio: 2, tags: [] },
      ].map((one) => ({ ...one, ...('long' in one ? { long: expect.anything() } : {}) })),
    );
    expect((await admin.get('/Task?count=2')).body.result_count).toBe(1);
    expect((await admin.get('/ProjectHASTask')).body.result_count).toBe(1);
    expect((await run('analyzeSchema')).body.result).toEqual([{ types: [], relationships: [] }]);
  });

  it('is for administrators, and has no parameters', async () => {
    expect((await run('analyzeSchema', { type: 'Task' })).status).toBe(422);
    expect((await run('analyzeSchema', [])).status).toBe(400);
    expect((await run('analyzeSchema', {}, server.as('anna', 'anna'))).status).toBe(401);
    await allow(admin, 'maintenance/analyzeSchema', 'user', ['POST']);
    expect((await run('analyzeSchema', {}, server.as('anna', 'anna'))).status).toBe(403);
  });
});

describe('createLabels and setUuid', () => {
  it('change nothing where all is in order', async () => {
    await admin.defineType('Thing', [{ name: 'text', propertyType: 'String' }]);
    const thing = await admin.create('Thing', { text: 'a' });
    for (const body of [{}, { type: 'Thing' }, { removeUnused: false }])
      expect((await ended('createLabels', body)).result, JSON.stringify(body)).toEqual({ changed: 0 });
    for (const body of [{ type: 'Thing' }, { relType: 'PrincipalOwnsNode' }, { allNodes: true }, { allRels: true }])
      expect((await ended('setUuid', body)).result, JSON.stringify(body)).toEqual({ changed: 0 });
    expect((await run('setUuid')).body.result).toEqual([]);
    expect((await run('createLabels')).body.result).toEqual([]);
    expect((await admin.get(`/Thing/${thing}`)).status).toBe(200);
  });

  it.each([
    ['createLabels', { type: 'Nothing' }, 'Invalid type Nothing'],
    ['createLabels', { type: 1 }, '"type"'],
    ['createLabels', { removeUnused: 'yes' }, '"removeUnused"'],
    ['createLabels', { more: 1 }, '"more"'],
    ['setUuid', { type: 'Nothing' }, 'Invalid type Nothing'],
    ['setUuid', { type: [] }, '"type"'],
    ['setUuid', { relType: 'User' }, 'Invalid type User'],
    ['setUuid', { relType: 1 }, '"relType"'],
    ['setUuid', { allNodes: 'true' }, '"allNodes"'],
    ['setUuid', { allRels: 1 }, '"allRels"'],
    ['setUuid', { all: true }, '"all"'],
    ['setUuid', { allNodes: true, background: 'x' }, '"background"'],
  ])('%s refuses %j', async (command, body, said) => {
    const answer = await run(command, body);
    expect(answer.status).toBe(422);
    expect(answer.text.replaceAll('\\"', '"')).toContain(said);
  });

  it.runIf(onNeo4j)('make objects of what others have written, with types of what they have', async () => {
    await cypher(
      `CREATE (m:Movie {title: 'Alien', year: 1979, Score: 8.5, tags: ['space']})<-[:ACTED_IN {role: 'Ripley'}]-(p:Actor {name: 'Weaver', born: date('1949-10-08')}),
        (:Movie {title: 'Brazil', year: 1985})`,
    );
    const analysed = await ended('analyzeSchema');
    expect(analysed.result).toMatchObject({
      types: expect.arrayContaining(['Movie', 'Actor']),
      relationships: ['ActorACTED_INMovie'],
    });
    expect((await admin.get('/Movie')).body.result).toEqual([]);
    expect((await ended('setUuid', { allNodes: true })).result).toEqual({ changed: 3 });
    expect((await ended('createLabels', { type: 'Movie' })).result).toEqual({ changed: 2 });
    expect((await ended('createLabels')).result).toEqual({ changed: 1 });
    expect((await ended('setUuid', { allRels: true })).result).toEqual({ changed: 1 });
    expect((await admin.get('/Movie/all?_sort=title')).body.result).toMatchObject([
      { type: 'Movie', title: 'Alien', year: 1979, score: 8.5, tags: ['space'] },
      { type: 'Movie', title: 'Brazil' },
    ]);
    expect((await admin.get('/ActorACTED_INMovie')).body.result_count).toBe(1);
    expect((await admin.get('/Actor/all')).body.result).toMatchObject([{ name: 'Weaver', born: '1949-10-08' }]);
    const [movie] = (await admin.get('/Movie?year=1979')).body.result as [{ id: string }];
    expect((await admin.put(`/Movie/${movie.id}`, { title: 'Aliens' })).status).toBe(200);
    expect((await admin.get('/Movie?title=Aliens')).body.result_count).toBe(1);
    expect((await ended('rebuildIndex', { type: 'Movie' })).status).toBe('FINISHED');
  });

  it.runIf(onNeo4j)('labels follow the traits of types', async () => {
    const base = await admin.defineType('Base');
    await admin.defineType('Extra');
    const type = await admin.defineType('Sub', [], { inheritedTraits: ['Base'] });
    await admin.create('Sub', { name: 's' });
    const labels = async (): Promise<unknown> =>
      (
        await cypher<{ l: string[] }>(
          "MATCH (n:NodeInterface {type: 'Sub'}) RETURN [l IN labels(n) WHERE l IN ['Base', 'Extra', 'Sub', 'Mine']] AS l",
        )
      )[0]?.l;
    await cypher("MATCH (n:NodeInterface {type: 'Sub'}) SET n:Mine");
    expect((await admin.put(`/SchemaNode/${type}`, { inheritedTraits: ['Extra'] })).status).toBe(200);
    expect((await ended('createLabels', { type: 'Sub', removeUnused: false })).result).toEqual({ changed: 1 });
    expect([...((await labels()) as string[])].sort()).toEqual(['Base', 'Extra', 'Mine', 'Sub']);
    expect((await ended('createLabels', { type: 'Sub' })).result).toEqual({ changed: 1 });
    expect([...((await labels()) as string[])].sort()).toEqual(['Extra', 'Mine', 'Sub']);
    expect(base).not.toBe('');
  });
});

describe('deleteSpatialIndex', () => {
  beforeEach(async () => {
    if ((await admin.get('/Place')).status !== 404) return;
    const keys = ['bbox', 'gtype', 'latitude', 'longitude'];
    await admin.defineType(
      'Place',
      keys.map((name) => ({ name, propertyType: 'Double' })),
    );
    await admin.defineType(
      'Leaf',
      keys.map((name) => ({ name, propertyType: 'Double' })),
    );
  });

  it('deletes what is of no type that has such keys', async () => {
    const values = { bbox: 1, gtype: 2, latitude: 3, longitude: 4 };
    await admin.post('/Place', [values, { bbox: 1 }]);
    await admin.post('/Leaf', [values, { bbox: 1 }]);
    const [leaf] = (await admin.get('/SchemaNode?name=Leaf')).body.result as [{ id: string }];
    expect((await admin.delete(`/${leaf.id}`)).status).toBe(200);
    if (onNeo4j)
      await cypher(
        'CREATE (:Old {id: 7, bbox: [1.0], gtype: 1, latitude: 1.0, longitude: 2.0}), (:Old {id: 8, bbox: [1.0]})',
      );
    expect((await run('deleteSpatialIndex')).body.result).toEqual([]);
    expect((await admin.get('/Place')).body.result_count).toBe(2);
    expect((await ended('deleteSpatialIndex')).result).toEqual({ nodes: 0 });
    await admin.defineType('Leaf');
    expect((await admin.get('/Leaf')).body.result_count).toBe(1);
    if (onNeo4j) expect(await cypher('MATCH (n:Old) RETURN n.id AS id')).toEqual([{ id: 8n }]);
  });

  it('has no parameters', async () => {
    expect((await run('deleteSpatialIndex', { type: 'Place' })).status).toBe(422);
    expect((await run('deleteSpatialIndex', {}, server.as('anna', 'anna'))).status).toBe(401);
  });
});
