import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** Clients send back what they were sent, with the related objects in it: what says nothing new of these needs no right on them. */
const EVERYTHING = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const PASSWORD = 'a-password';

describe('an object as it was read, sent back', () => {
  let server: TestServer;
  let admin: Client;
  let mallory: Client;
  let malloryId: string;
  let ownerId: string;
  let projectId: string;
  let groupId: string;
  let tagId: string;
  let id: string;

  beforeAll(async () => {
    server = await TestServer.start();
    ({ admin } = server);
    const project = await admin.defineType('Project', [{ name: 'title', propertyType: 'String' }]);
    const task = await admin.defineType('Task', [{ name: 'title', propertyType: 'String' }]);
    const tag = await admin.defineType('Tag', [{ name: 'due', propertyType: 'Date' }]);
    await admin.relate(project, 'HAS_TASK', task, { sourceJsonName: 'project', targetJsonName: 'tasks' });
    await admin.relate(task, 'TAGGED', tag, {
      sourceMultiplicity: '*',
      sourceJsonName: 'tasks',
      targetJsonName: 'tags',
      schemaProperties: [{ name: 'weight', propertyType: 'Integer' }],
    });
    for (const type of ['Project', 'Task', 'Tag', 'User', 'Group'])
      for (const signature of [type, `${type}/_id`, `${type}/_id/_Ui`, `${type}/_id/_All`])
        await allow(admin, signature, 'user', EVERYTHING);
    const shown = { visibleToAuthenticatedUsers: true };
    malloryId = await admin.create('User', { name: 'mallory', password: PASSWORD });
    ownerId = await admin.create('User', { name: 'owner', password: PASSWORD, ...shown });
    groupId = await admin.create('Group', { name: 'group', members: [malloryId], ...shown });
    projectId = await admin.create('Project', { name: 'project', title: 'project', ...shown });
    tagId = await admin.create('Tag', { name: 'tag', due: '2026-01-02T03:04:05+0000', ...shown });
    const grantees = [{ id: malloryId, allowed: ['read', 'write'] }];
    id = await admin.create('Task', { name: 'task', owner: ownerId, project: projectId, grantees });
    await admin.create('TaskTAGGEDTag', { sourceId: id, targetId: tagId, weight: 1 });
    mallory = server.as('mallory', PASSWORD);
  });
  afterAll(() => server.stop());

  it.each(['ui', 'all'])('is taken, with an owner and others that may only be read, in view %s', async (view) => {
    const { result } = (await mallory.get(`/Task/${id}/${view}`)).body;
    expect(view === 'ui' ? result.owner.id : result.project.id).toBe(view === 'ui' ? ownerId : projectId);
    expect((await mallory.put(`/Task/${id}`, result)).status).toBe(200);
    const me = (await mallory.get(`/User/${malloryId}/${view}`)).body.result;
    expect(me.groups[0].id).toBe(groupId);
    expect((await mallory.put(`/User/${malloryId}`, me)).status).toBe(200);
    expect((await admin.get(`/Group/${groupId}`)).body.result.members).toHaveLength(1);
  });

  it('is taken with all the values of a related object, and of the relationship to it', async () => {
    const tag = (await mallory.get(`/Tag/${tagId}`)).body.result as Record<string, unknown>;
    expect(tag['due']).toContain('2026-01-02');
    expect((await mallory.put(`/Task/${id}`, { tags: [{ ...tag, weight: 1 }] })).status).toBe(200);
    const grantees = [{ id: malloryId, type: 'User', name: 'mallory', allowed: ['read', 'write'] }];
    expect((await mallory.put(`/Task/${id}`, { grantees })).status).toBe(200);
  });

  it('is refused when anything of them would change', async () => {
    const owner = { id: ownerId, type: 'User', name: 'owner' };
    for (const body of [
      { owner: { ...owner, name: 'another' } },
      { owner: { ...owner, eMail: 'new@example.org' } },
      { project: { id: projectId, title: 'another' } },
      { project: { id: projectId, title: null } },
      { project: { id: projectId, tasks: [] } },
      { tags: [{ id: tagId, due: '2027-01-02T03:04:05+0000' }] },
      { grantees: [{ id: malloryId, allowed: ['read', 'write', 'delete'] }] },
    ])
      expect([body, (await mallory.put(`/Task/${id}`, body)).status]).toEqual([body, 403]);
    const { result } = (await admin.get(`/Task/${id}/all`)).body;
    expect(result).toMatchObject({ owner: { name: 'owner' }, project: { name: 'project' } });
  });

  it('tells nothing of what is not shown: a right password is refused like a wrong one', async () => {
    for (const secret of [{ password: PASSWORD }, { password: 'wrong' }, { passwordAttempts: 0 }, { sessionIds: [] }])
      expect((await mallory.put(`/Task/${id}`, { owner: { id: ownerId, ...secret } })).status).toBe(403);
  });
});
