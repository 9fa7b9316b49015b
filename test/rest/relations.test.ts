import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

/** docs/interface/rest.md 5, 7.3; docs/interface/schema.md 9: related objects in bodies, subcollections, relationship objects, cascades. */
describe('relations', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
    const { admin } = server;
    const project = await admin.create('SchemaNode', {
      name: 'Project',
      schemaProperties: [{ name: 'code', propertyType: 'String', unique: true }],
    });
    const task = await admin.create('SchemaNode', {
      name: 'Task',
      schemaProperties: [{ name: 'rank', propertyType: 'Integer' }],
    });
    const tag = await admin.create('SchemaNode', {
      name: 'Tag',
      schemaProperties: [{ name: 'label', propertyType: 'String', unique: true }],
    });
    await admin.relate(project, 'HAS_TASK', task, {
      sourceJsonName: 'project',
      targetJsonName: 'tasks',
      cascadingDeleteFlag: 1,
      autocreationFlag: 3,
    });
    await admin.relate(task, 'TAGGED', tag, {
      sourceMultiplicity: '*',
      sourceJsonName: 'tasks',
      targetJsonName: 'tags',
      autocreationFlag: 1,
      schemaProperties: [{ name: 'weight', propertyType: 'Integer' }],
    });
    await admin.relate(task, 'FOLLOWS', task, {
      sourceMultiplicity: '1',
      targetMultiplicity: '1',
      sourceJsonName: 'next',
      targetJsonName: 'previous',
    });
    await admin.create('SchemaView', { name: 'public', schemaNode: project, nonGraphProperties: 'code, tasks' });
    await admin.create('SchemaView', { name: 'public', schemaNode: task, nonGraphProperties: 'rank, project, tags' });
    await admin.create('SchemaView', { name: 'public', schemaNode: tag, nonGraphProperties: 'label' });
  });
  afterAll(() => server.stop());

  const ids = (list: { id: string }[]): string[] => list.map((o) => o.id);

  it('nested objects are created and linked', async () => {
    const id = await server.admin.create('Project', {
      name: 'nested',
      tasks: [{ name: 'a', tags: [{ label: 'red' }, { label: 'blue' }] }, { name: 'b' }],
    });
    const project = (await server.admin.get(`/Project/${id}`)).body.result;
    expect(project.tasks.map((t: { name: string }) => t.name)).toEqual(['a', 'b']);
    expect(project.tasks[0].tags.map((t: { label: string }) => t.label)).toEqual(['red', 'blue']);
    // The project is open around its task, and shown short there.
    expect(project.tasks[0].project).toEqual({ id, type: 'Project', name: 'nested' });
  });

  it('an object is found by its unique key and not created twice', async () => {
    const one = await server.admin.create('Tag', { label: 'found' });
    const task = await server.admin.create('Task', { name: 'finder', tags: [{ label: 'found' }] });
    expect(ids((await server.admin.get(`/Task/${task}`)).body.result.tags)).toEqual([one]);
  });

  it('objects created earlier in the same request are found by later ones', async () => {
    const answer = await server.admin.post('/Task', [
      { name: 't1', tags: [{ label: 'shared' }] },
      { name: 't2', tags: [{ label: 'shared' }] },
    ]);
    expect(answer.status).toBe(201);
    expect((await server.admin.get('/Tag?label=shared')).body.result_count).toBe(1);
  });

  it('writing a list replaces it, null empties it', async () => {
    const a = await server.admin.create('Tag', { label: 'replace-a' });
    const b = await server.admin.create('Tag', { label: 'replace-b' });
    const task = await server.admin.create('Task', { tags: [a] });
    await server.admin.put(`/Task/${task}`, { tags: [b] });
    expect(ids((await server.admin.get(`/Task/${task}`)).body.result.tags)).toEqual([b]);
    await server.admin.put(`/Task/${task}`, { tags: null });
    expect((await server.admin.get(`/Task/${task}`)).body.result.tags).toEqual([]);
  });

  it('with the merge header a list is added to', async () => {
    const a = await server.admin.create('Tag', { label: 'merge-a' });
    const b = await server.admin.create('Tag', { label: 'merge-b' });
    const task = await server.admin.create('Task', { tags: [a] });
    await server.admin.put(`/Task/${task}`, { tags: [b] }, { 'Svc-Force-Merge-Of-Nested-Properties': 'enabled' });
    expect(ids((await server.admin.get(`/Task/${task}`)).body.result.tags)).toEqual([a, b]);
  });

  it('a to-one side takes the object from its former partner', async () => {
    const task = await server.admin.create('Task', { name: 'moved' });
    const first = await server.admin.create('Project', { name: 'first', tasks: [task] });
    const second = await server.admin.create('Project', { name: 'second', tasks: [task] });
    expect((await server.admin.get(`/Project/${first}`)).body.result.tasks).toEqual([]);
    expect((await server.admin.get(`/Task/${task}`)).body.result.project.id).toBe(second);
  });

  it('one to one drops both old links', async () => {
    const [a, b, c] = (await server.admin.post('/Task', [{ name: 'a' }, { name: 'b' }, { name: 'c' }])).body
      .result as string[];
    await server.admin.put(`/Task/${a}`, { previous: b });
    await server.admin.put(`/Task/${c}`, { previous: b });
    expect((await server.admin.get(`/Task/${a}/previous`)).body.result).toEqual([]);
    expect((await server.admin.get(`/Task/${b}/next`)).body.result.id).toBe(c);
  });

  it('keys of the relationship are written to it, also on existing links', async () => {
    const tag = await server.admin.create('Tag', { label: 'weighted' });
    const task = await server.admin.create('Task', { tags: [{ id: tag, weight: 3 }] });
    const links = (await server.admin.get(`/TaskTAGGEDTag/all?sourceId=${task}`)).body.result;
    expect(links).toHaveLength(1);
    expect(links[0]).toMatchObject({ sourceId: task, targetId: tag, relType: 'TAGGED', weight: 3 });
    await server.admin.put(`/Task/${task}`, { tags: [{ id: tag, weight: 4 }] });
    expect((await server.admin.get(`/TaskTAGGEDTag/${links[0].id}/all`)).body.result.weight).toBe(4);
  });

  it('other keys beside an id are written to the related object', async () => {
    const tag = await server.admin.create('Tag', { label: 'renamed' });
    await server.admin.create('Task', { tags: [{ id: tag, name: 'new name' }] });
    expect((await server.admin.get(`/Tag/${tag}`)).body.result.name).toBe('new name');
  });

  it.each([
    ['an unknown uuid', { tags: ['0'.repeat(32)] }, 'object_not_found'],
    ['an object of another type', { project: 'ADMIN' }, 'must_be_of_type'],
    ['a list for a single object', { project: [] }, 'must_be_of_type'],
    ['a single object for a list', { tags: 'x' }, 'must_be_of_type'],
    ['an object that cannot be created through the relation', { previous: { name: 'nobody' } }, 'object_not_found'],
  ])('%s is 422 and nothing is written', async (_, input, token) => {
    const admin = (await server.admin.get('/User?name=admin')).body.result[0].id as string;
    const body = JSON.parse(JSON.stringify(input).replace('ADMIN', admin)) as object;
    const answer = await server.admin.post('/Task', { name: 'refused', ...body });
    expect([answer.status, answer.body.errors[0].token]).toEqual([422, token]);
    expect((await server.admin.get('/Task?name=refused')).body.result_count).toBe(0);
  });

  it('subcollections: list, page, create, replace, delete', async () => {
    const id = await server.admin.create('Project', {
      name: 'sub',
      tasks: [{ name: 'x' }, { name: 'y' }, { name: 'z' }],
    });
    const page = (await server.admin.get(`/Project/${id}/tasks?_pageSize=2&_page=2&_sort=name`)).body;
    expect(page).toMatchObject({ result: [{ name: 'z' }], page: 2, page_size: 2, result_count: 3, page_count: 2 });
    const created = await server.admin.post(`/Project/${id}/tasks`, { name: 'w' });
    expect([created.status, created.body.result]).toEqual([201, []]);
    const location = String(created.headers['location']);
    const task = location.split('/').at(-1) ?? '';
    expect(location).toBe(`${server.url}/svc/rest/Task/${task}`);
    expect((await server.admin.get(new URL(location).pathname)).body.result.project.id).toBe(id);
    await server.admin.put(`/Project/${id}/tasks`, { any: task });
    expect(ids((await server.admin.get(`/Project/${id}/tasks`)).body.result)).toEqual([task]);
    expect((await server.admin.delete(`/Project/${id}/tasks`)).status).toBe(200);
    expect((await server.admin.get(`/Task/${task}`)).status).toBe(404);
  });

  it('the Location of what is created below an object names its own type, where that is a subtype', async () => {
    await server.admin.create('SchemaNode', { name: 'SmallTask', inheritedTraits: ['Task'] });
    const id = await server.admin.create('Project', { name: 'typed' });
    const { headers } = await server.admin.post(`/Project/${id}/tasks/ui`, { name: 'small', type: 'SmallTask' });
    const { pathname } = new URL(String(headers['location']));
    expect(pathname).toMatch(/^\/svc\/rest\/SmallTask\/[0-9a-f]{32}$/);
    expect((await server.admin.get(pathname)).body.result).toMatchObject({ name: 'small', type: 'SmallTask' });
    // Who may not use the list gets none.
    const refused = await server.as().post(`/Project/${id}/tasks`, { name: 'nobody' });
    expect([refused.status, refused.headers['location']]).toEqual([401, undefined]);
  });

  it('a property that is no relation is read, and refuses everything else', async () => {
    const { admin } = server;
    for (const [name, format] of [
      ['tagLabels', 'tags, label'],
      ['tagIds', 'tags'],
    ] as const)
      await admin.create('SchemaProperty', {
        schemaNode: { name: 'Task' },
        name,
        format,
        propertyType: name === 'tagIds' ? 'IdNotion' : 'Notion',
      });
    const id = await admin.create('Task', { name: 'whole', rank: 4, tags: [{ label: 'kept' }] });
    for (const property of ['rank', 'name', 'id', 'tagLabels', 'tagIds', 'ownerId'])
      for (const verb of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const path = `/Task/${id}/${property}`;
        const answer = await admin.send(verb, path, verb === 'DELETE' ? undefined : { [property]: 5 });
        expect([property, verb, answer.status]).toEqual([property, verb, 400]);
        expect(answer.body).toMatchObject({ code: 400, errors: [] });
        expect(answer.body.message).toBe(
          `${verb} is not possible on ‛${property}‛, which is no relation: nothing was changed. ` +
            `Write it with its object, by PUT /Task/${id}.`,
        );
        expect((await admin.send('OPTIONS', path)).headers['allow']).toBe('GET,OPTIONS');
      }
    expect((await admin.get(`/Task/${id}`)).body.result).toMatchObject({ name: 'whole', rank: 4 });
    // The permission comes first.
    expect((await server.as().put(`/Task/${id}/rank`, {})).status).toBe(401);
  });

  it('a value property answers with its key, POST on it is 400', async () => {
    const id = await server.admin.create('Task', { name: 'value', rank: 9 });
    expect((await server.admin.get(`/Task/${id}/rank`)).body.result).toEqual({ rank: 9 });
    expect((await server.admin.get(`/Task/${id}/project`)).body).toMatchObject({ result: [], result_count: 0 });
    expect((await server.admin.post(`/Task/${id}/rank`, {})).status).toBe(400);
  });

  it('deleting follows the cascade; the header stops it', async () => {
    const id = await server.admin.create('Project', { name: 'cascade', tasks: [{ name: 'child' }] });
    const child = (await server.admin.get(`/Project/${id}`)).body.result.tasks[0].id as string;
    await server.admin.delete(`/Project/${id}`);
    expect((await server.admin.get(`/Task/${child}`)).status).toBe(404);
    const other = await server.admin.create('Project', { name: 'no cascade', tasks: [{ name: 'survivor' }] });
    const survivor = (await server.admin.get(`/Project/${other}`)).body.result.tasks[0].id as string;
    await server.admin.delete(`/Project/${other}`, { 'Svc-Cascading-Delete': 'disabled' });
    expect((await server.admin.get(`/Task/${survivor}`)).body.result.project).toBeNull();
  });

  it('relationships are objects of their own', async () => {
    const task = await server.admin.create('Task', { name: 'linked' });
    const tag = await server.admin.create('Tag', { label: 'linked' });
    const created = await server.admin.post('/TaskTAGGEDTag', { sourceId: task, targetId: tag, weight: 1 });
    expect(created.status).toBe(201);
    const [id] = created.body.result;
    expect((await server.admin.get(`/${id}`)).body.result).toMatchObject({
      id,
      type: 'TaskTAGGEDTag',
      relType: 'TAGGED',
      sourceId: task,
      targetId: tag,
    });
    const twice = await server.admin.post('/TaskTAGGEDTag', { sourceId: task, targetId: tag });
    expect([twice.status, twice.body.errors[0].token]).toEqual([422, 'duplicate_relationship']);
    const missing = await server.admin.post('/TaskTAGGEDTag', { sourceId: task });
    expect(missing.body.errors).toEqual([{ type: 'TaskTAGGEDTag', property: 'targetId', token: 'must_not_be_empty' }]);
    expect((await server.admin.delete(`/TaskTAGGEDTag/${id}`)).status).toBe(200);
    expect((await server.admin.get(`/Task/${task}`)).body.result.tags).toEqual([]);
  });

  it('in and out list the relationships of a node; domainOnly leaves out internal ones', async () => {
    const task = await server.admin.create('Task', { name: 'ends', tags: [{ label: 'ends' }] });
    const incoming = (await server.admin.get(`/Task/${task}/in`)).body.result as { type: string }[];
    expect(incoming.map((r) => r.type).sort()).toEqual(['PrincipalOwnsNode', 'Security']);
    expect((await server.admin.get(`/Task/${task}/in?domainOnly=true`)).body.result).toEqual([]);
    expect((await server.admin.get(`/Task/${task}/out`)).body.result).toMatchObject([
      { type: 'TaskTAGGEDTag', sourceId: task },
    ]);
    expect((await server.admin.get('/Task/in?domainOnly=true')).status).toBe(400);
    expect((await server.admin.get('/Tag/in?_pageSize=1')).body.result).toHaveLength(1);
  });

  it('the creator is the owner; the owner can be changed', async () => {
    const admin = (await server.admin.get('/User?name=admin')).body.result[0].id as string;
    const user = await server.admin.create('User', { name: 'new owner' });
    const task = await server.admin.create('Task', { name: 'owned' });
    expect((await server.admin.get(`/Task/${task}/ui`)).body.result.owner).toEqual({
      id: admin,
      type: 'User',
      name: 'admin',
    });
    await server.admin.put(`/Task/${task}`, { ownerId: user });
    expect((await server.admin.get(`/Task/${task}/ui`)).body.result.owner.id).toBe(user);
    await server.admin.put(`/Task/${task}`, { owner: null });
    expect((await server.admin.get(`/Task/${task}/ui`)).body.result.owner).toBeNull();
  });

  it('resolver answers in the order asked for and skips unknown ids', async () => {
    const [a, b] = (await server.admin.post('/Task', [{ name: 'a' }, { name: 'b' }])).body.result as string[];
    const answer = await server.admin.post('/resolver', { ids: [b, '0'.repeat(32), a] });
    expect(ids(answer.body.result)).toEqual([b, a]);
    const bad = await server.admin.post('/resolver', {});
    expect([bad.status, bad.body.message]).toEqual([
      422,
      "Send a JSON object containing an array named 'ids' to use this endpoint.",
    ]);
  });

  describe('a relation that must not be empty', () => {
    let home: string;
    beforeAll(async () => {
      const house = await server.admin.create('SchemaNode', { name: 'House' });
      const guest = await server.admin.create('SchemaNode', { name: 'Guest' });
      await server.admin.relate(house, 'SHELTERS', guest, {
        sourceJsonName: 'house',
        targetJsonName: 'guests',
        cascadingDeleteFlag: 4,
      });
      await server.admin.create('SchemaProperty', {
        schemaNode: guest,
        name: 'houseId',
        propertyType: 'IdNotion',
        format: 'house',
        notNull: true,
      });
      await server.admin.create('SchemaView', { name: 'public', schemaNode: guest, nonGraphProperties: 'house' });
      home = await server.admin.create('House', { name: 'home' });
    });

    it('is refused without an object', async () => {
      const { status, body } = await server.admin.post('/Guest', { name: 'nobody' });
      expect(status).toBe(422);
      expect(body.errors).toEqual([{ type: 'Guest', property: 'houseId', token: 'must_not_be_empty' }]);
      expect((await server.admin.get('/Guest?name=nobody')).body.result).toEqual([]);
    });

    it('cannot be emptied', async () => {
      const id = await server.admin.create('Guest', { house: home });
      const { status, body } = await server.admin.patch(`/Guest/${id}`, { house: null });
      expect([status, body.errors]).toEqual([
        422,
        [{ type: 'Guest', property: 'houseId', token: 'must_not_be_empty', detail: id }],
      ]);
      expect((await server.admin.get(`/Guest/${id}`)).body.result.house.id).toBe(home);
    });

    it('takes its object along when the other end is deleted and the relationship says so', async () => {
      const other = await server.admin.create('House', { name: 'other' });
      const id = await server.admin.create('Guest', { house: other });
      expect((await server.admin.delete(`/House/${other}`)).status).toBe(200);
      expect((await server.admin.get(`/Guest/${id}`)).status).toBe(404);
    });
  });
});
