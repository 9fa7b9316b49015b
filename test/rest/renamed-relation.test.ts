import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestServer } from '../support/server.js';

/** docs/interface/schema.md 13.2: properties that name the property of a relation go on naming it. */
describe('a relation whose properties get other names', () => {
  let server: TestServer;
  let admin: Client;
  let relation: string;
  let project: string;
  beforeAll(async () => {
    server = await TestServer.start();
    ({ admin } = server);
    const projects = await admin.create('SchemaNode', { name: 'Project' });
    const tasks = await admin.create('SchemaNode', { name: 'Task' });
    relation = await admin.relate(projects, 'HAS', tasks, { sourceJsonName: 'project', targetJsonName: 'tasks' });
    await admin.put(`/SchemaNode/${projects}`, {
      schemaProperties: [
        { name: 'taskNames', propertyType: 'Notion', format: 'tasks, name' },
        { name: 'howMany', propertyType: 'Count', format: 'tasks' },
      ],
    });
    await admin.put(`/SchemaNode/${tasks}`, {
      schemaProperties: [{ name: 'projectName', propertyType: 'Notion', format: 'project, name' }],
    });
    const ids = [await admin.create('Task', { name: 'one' }), await admin.create('Task', { name: 'two' })];
    project = await admin.create('Project', { name: 'p', tasks: ids });
  });
  afterAll(() => server.stop());

  const formats = async (): Promise<string[]> =>
    ((await admin.get('/SchemaProperty/all?_sort=name')).body.result as { format: string }[]).map((p) => p.format);
  const read = async (): Promise<unknown> => (await admin.get(`/Project/${project}/all`)).body.result;

  it('changes the formats that name it, and keeps the old name', async () => {
    expect((await admin.put(`/SchemaRelationshipNode/${relation}`, { targetJsonName: 'jobs' })).status).toBe(200);
    expect((await admin.get(`/SchemaRelationshipNode/${relation}/all`)).body.result).toMatchObject({
      targetJsonName: 'jobs',
      oldTargetJsonName: 'tasks',
    });
    expect(await formats()).toEqual(['jobs', 'project, name', 'jobs, name']);
    expect(await read()).toMatchObject({ howMany: 2, taskNames: ['one', 'two'] });
    expect(await read()).not.toHaveProperty('tasks');
  });

  it('goes for the other end, and for a name that is made up', async () => {
    expect((await admin.put(`/SchemaRelationshipNode/${relation}`, { sourceJsonName: null })).status).toBe(200);
    expect((await admin.get(`/SchemaRelationshipNode/${relation}/all`)).body.result.oldSourceJsonName).toBe('project');
    const [task] = (await admin.get('/Task/all?_sort=name')).body.result as { projectName: unknown }[];
    expect(JSON.stringify(task?.projectName)).toContain('p');
  });

  it('is refused, with nothing changed, to who may not write the schema', async () => {
    await admin.create('User', { name: 'u', password: 'secret12345' });
    const answer = await server
      .as('u', 'secret12345')
      .put(`/SchemaRelationshipNode/${relation}`, { targetJsonName: 'x' });
    expect(answer.status).toBe(401);
    expect(await read()).toMatchObject({ howMany: 2 });
  });
});
