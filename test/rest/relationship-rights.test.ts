import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { endedJob, fileWith } from '../support/jobs.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/**
 * Making, changing and deleting a relationship needs read on both ends and write on one, by whatever door; taking the single place at a
 * `1` side needs write on what is there, or on who has it. Endpoints are permitted, so that objects alone decide.
 */
const ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const NONE: readonly string[] = [];
const READ = ['read'];
const WRITE = ['read', 'write'];
const HELD = { none: NONE, read: READ, write: WRITE } as const;
type Right = keyof typeof HELD;

/** Scripts of the user, with what they are sent. */
const SCRIPTS = {
  link: "{ const p = $.methodParameters; $.createRelationship($.find('Task', p.task), $.find('Tag', p.tag), 'TAGGED'); }",
  linkBack: "{ const p = $.methodParameters; $.find('Tag', p.tag).tasks = [$.find('Task', p.task)]; }",
  weigh: "{ $.set($.find('TaskTAGGEDTag', $.methodParameters.link), 'weight', 7); }",
  unlink: "{ $.delete($.find('TaskTAGGEDTag', $.methodParameters.link)); }",
  place:
    "{ const p = $.methodParameters; $.createRelationship($.find('Project', p.project), $.find('Task', p.task), 'HAS_TASK'); }",
  assign: "{ const p = $.methodParameters; $.find('Project', p.project).tasks = [$.find('Task', p.task)]; }",
} as const;

describe('rights on relationships', () => {
  let server: TestServer;
  let admin: Client;
  let mallory: Client;
  let malloryId: string;

  beforeAll(async () => {
    server = await TestServer.start();
    ({ admin } = server);
    const project = await admin.defineType('Project', [{ name: 'title', propertyType: 'String' }]);
    const task = await admin.defineType('Task', [{ name: 'title', propertyType: 'String' }]);
    const tag = await admin.defineType('Tag', [{ name: 'label', propertyType: 'String', unique: true }]);
    await admin.relate(project, 'HAS_TASK', task, { sourceJsonName: 'project', targetJsonName: 'tasks' });
    await admin.relate(task, 'TAGGED', tag, {
      sourceMultiplicity: '*',
      sourceJsonName: 'tasks',
      targetJsonName: 'tags',
      autocreationFlag: 3,
      schemaProperties: [{ name: 'weight', propertyType: 'Integer' }],
    });
    malloryId = await admin.create('User', { name: 'mallory', password: 'a-password' });
    mallory = server.as('mallory', 'a-password');
    const types = [
      'Project',
      'Task',
      'Tag',
      'TaskTAGGEDTag',
      'ProjectHAS_TASKTask',
      'Folder',
      'Page',
      'Div',
      'Content',
    ];
    const more = ['DOMNodeCONTAINSDOMNode', 'FolderCONTAINSFolder', 'FolderCONTAINSAbstractFile'];
    const files = ['File', 'Image', 'VideoFile', 'EMailMessage'];
    for (const type of [...types, ...more, ...files])
      for (const signature of [type, `${type}/_id`]) await allow(admin, signature, 'user', ALL);
    for (const signature of ['Task/_id/tags', 'Project/_id/tasks', 'Tag/_id/tasks', 'jobs/_id', 'File/_id/doCSVImport'])
      await allow(admin, signature, 'user', ALL);
    for (const [name, source] of Object.entries(SCRIPTS)) {
      await admin.create('SchemaMethod', { name, source });
      await allow(admin, name, 'user', ['POST']);
    }
  });
  afterAll(() => server.stop());

  /** An object of the administrator on which the user has a right. */
  const make = (type: string, right: Right, more: object = {}): Promise<string> =>
    admin.create(type, { ...more, grantees: [{ id: malloryId, allowed: HELD[right] }] });

  const ids = async (path: string): Promise<string[]> =>
    [(await admin.get(path)).body.result].flat().map((one: { id: string }) => one.id);

  async function csv(header: string, row: string, targetType: string): Promise<Answer | undefined> {
    const file = await fileWith(admin, 'rows.csv', `${header}\n${row}\n`, { visibleToAuthenticatedUsers: true });
    const mappings = Object.fromEntries(header.split(';').map((name) => [name, name]));
    const begun = await mallory.post(`/File/${file}/doCSVImport`, { targetType, mappings });
    if (begun.status !== 200) return begun;
    await endedJob(mallory, begun.body.result as number);
    return undefined;
  }

  /** Doors that make a link, and whether they write the first object, or the second, as an object: that needs the right to write it. */
  const MAKING: readonly (readonly [
    string,
    'task' | 'tag' | 'any',
    (task: string, tag: string) => Promise<unknown>,
  ])[] = [
    ['the property of one end', 'task', (task, tag) => mallory.put(`/Task/${task}`, { tags: [tag] })],
    ['the property of the other end', 'tag', (task, tag) => mallory.put(`/Tag/${tag}`, { tasks: [{ id: task }] })],
    ['bulk PATCH', 'task', (task, tag) => mallory.patch('/Task', [{ id: task, tags: [tag] }])],
    ['PUT of the sub-collection', 'task', (task, tag) => mallory.put(`/Task/${task}/tags`, { a: tag })],
    [
      'POST of the relationship',
      'any',
      (task, tag) => mallory.post('/TaskTAGGEDTag', { sourceId: task, targetId: tag }),
    ],
    [
      'PATCH of relationships',
      'any',
      (task, tag) => mallory.patch('/TaskTAGGEDTag', [{ sourceId: task, targetId: tag }]),
    ],
    ['createRelationship', 'any', (task, tag) => mallory.post('/link', { task, tag })],
    ['an assignment in a script', 'tag', (task, tag) => mallory.post('/linkBack', { task, tag })],
    ['CSV import', 'any', (task, tag) => csv('sourceId;targetId', `${task};${tag}`, 'TaskTAGGEDTag')],
  ];

  describe.each(MAKING)('making one by %s', (_, written, send) => {
    it.each((Object.keys(HELD) as Right[]).flatMap((a) => (Object.keys(HELD) as Right[]).map((b) => [a, b] as const)))(
      'with %s on one end and %s on the other',
      async (a, b) => {
        const [task, tag] = [await make('Task', a), await make('Tag', b)];
        await send(task, tag);
        const reads = a !== 'none' && b !== 'none';
        const writes = written === 'any' ? a === 'write' || b === 'write' : (written === 'task' ? a : b) === 'write';
        expect(await ids(`/Task/${task}/tags`)).toEqual(reads && writes ? [tag] : []);
      },
    );
  });

  it('a new object may be linked to what may be read, and to nothing else', async () => {
    const [seen, hidden] = [await make('Tag', 'read'), await make('Tag', 'none', { label: 'hidden' })];
    const made = await mallory.post('/Task', { tags: [seen] });
    expect(made.status).toBe(201);
    expect(await ids(`/Task/${String(made.body.result[0])}/tags`)).toEqual([seen]);
    expect((await mallory.post('/Task', { tags: [hidden] })).status).toBe(422);
    const nested = await mallory.post('/Project', { title: 'n', tasks: [{ title: 'n', tags: [seen] }] });
    expect(nested.status).toBe(422);
    expect((await mallory.post(`/Task/${await make('Task', 'read')}/tags`, { label: 'planted' })).status).toBe(403);
    expect((await mallory.post(`/Task/${await make('Task', 'write')}/tags`, { label: 'own' })).status).toBe(201);
  });

  const CHANGING: readonly (readonly [string, (link: string, task: string, tag: string) => Promise<Answer>])[] = [
    ['PUT of the relationship', (link) => mallory.put(`/TaskTAGGEDTag/${link}`, { weight: 7 })],
    ['PATCH of relationships', (link) => mallory.patch('/TaskTAGGEDTag', [{ id: link, weight: 7 }])],
    ['set', (link) => mallory.post('/weigh', { link })],
  ];
  const REMOVING: readonly (readonly [string, (link: string, task: string, tag: string) => Promise<Answer>])[] = [
    ['DELETE of the relationship', (link) => mallory.delete(`/TaskTAGGEDTag/${link}`)],
    ['DELETE of relationships', (_, task) => mallory.delete(`/TaskTAGGEDTag?sourceId=${task}`)],
    ['delete', (link) => mallory.post('/unlink', { link })],
  ];
  const PAIRS = (Object.keys(HELD) as Right[]).flatMap((a) =>
    (Object.keys(HELD) as Right[]).map((b) => [a, b] as const),
  );
  const mayBoth = (a: Right, b: Right): boolean => a !== 'none' && b !== 'none' && (a === 'write' || b === 'write');

  async function linked(a: Right, b: Right): Promise<{ task: string; tag: string; link: string }> {
    const [task, tag] = [await make('Task', a), await make('Tag', b)];
    const link = await admin.create('TaskTAGGEDTag', { sourceId: task, targetId: tag, weight: 1 });
    return { task, tag, link };
  }

  describe.each(CHANGING)('changing one by %s', (_, send) => {
    it.each(PAIRS)('with %s on one end and %s on the other', async (a, b) => {
      const { task, tag, link } = await linked(a, b);
      await send(link, task, tag);
      const { weight } = (await admin.get(`/TaskTAGGEDTag/${link}/all`)).body.result as { weight: number };
      expect(weight).toBe(mayBoth(a, b) ? 7 : 1);
    });
  });

  describe.each(REMOVING)('removing one by %s', (_, send) => {
    it.each(PAIRS)('with %s on one end and %s on the other', async (a, b) => {
      const { task, tag, link } = await linked(a, b);
      const answer = await send(link, task, tag);
      expect(await ids(`/Task/${task}/tags`)).toEqual(mayBoth(a, b) ? [] : [tag]);
      if (a !== 'none' && b !== 'none') expect(answer.status).toBe(mayBoth(a, b) ? 200 : 403);
    });
  });

  it('values of a relationship and links are not changed through an object that may only be read', async () => {
    const { task, tag, link } = await linked('read', 'write');
    expect((await mallory.put(`/Task/${task}`, { tags: [{ id: tag, weight: 7 }] })).status).toBe(403);
    expect((await mallory.put(`/Task/${task}`, { tags: [] })).status).toBe(403);
    expect((await mallory.put(`/Tag/${tag}`, { tasks: [{ id: task, weight: 7 }] })).status).toBe(200);
    expect((await admin.get(`/TaskTAGGEDTag/${link}/all`)).body.result.weight).toBe(7);
  });

  describe('the single place at a `1` side', () => {
    const TAKING: readonly (readonly [string, (project: string, task: string) => Promise<unknown>])[] = [
      ['the property', (project, task) => mallory.put(`/Project/${project}`, { tasks: [task] })],
      ['the sub-collection', (project, task) => mallory.put(`/Project/${project}/tasks`, { a: task })],
      [
        'a relationship',
        (project, task) => mallory.post('/ProjectHAS_TASKTask', { sourceId: project, targetId: task }),
      ],
      [
        'relationships',
        (project, task) => mallory.patch('/ProjectHAS_TASKTask', [{ sourceId: project, targetId: task }]),
      ],
      ['a new object', (_, task) => mallory.post('/Project', { tasks: [task] })],
      ['createRelationship', (project, task) => mallory.post('/place', { project, task })],
      ['an assignment in a script', (project, task) => mallory.post('/assign', { project, task })],
      ['CSV import', (project, task) => csv('sourceId;targetId', `${project};${task}`, 'ProjectHAS_TASKTask')],
    ];
    describe.each(TAKING)('by %s', (_, send) => {
      it.each([
        ['read', 'none', false],
        ['read', 'read', false],
        ['read', 'write', true],
        ['write', 'none', true],
        ['write', 'read', true],
      ] as const)('with %s on the target and %s on the third object: %s', async (onTask, onThird, may) => {
        const third = await make('Project', onThird);
        const task = await make('Task', onTask, { project: third });
        const own = (await mallory.post('/Project', {})).body.result[0] as string;
        await send(own, task);
        expect((await ids(`/Project/${third}/tasks`)).length).toBe(may ? 0 : 1);
      });
    });

    it('is not taken from an object that stays hidden', async () => {
      const third = await make('Project', 'none');
      const task = await make('Task', 'read', { project: third });
      const answer = await mallory.post('/Project', { tasks: [task] });
      expect(answer.status).toBe(403);
      expect(answer.text).not.toContain(third);
    });
  });

  describe('what is shown or run as a part', () => {
    it('a stranger detaches no folder, and puts none of his own into it', async () => {
      const [outer, inner] = [
        await make('Folder', 'read', { name: 'outer' }),
        await make('Folder', 'read', { name: 'inner' }),
      ];
      await admin.put(`/Folder/${inner}`, { parent: outer });
      const link = (await ids(`/FolderCONTAINSAbstractFile?targetId=${inner}`)).concat(
        await ids(`/FolderCONTAINSFolder?targetId=${inner}`),
      );
      for (const id of link)
        for (const type of ['FolderCONTAINSAbstractFile', 'FolderCONTAINSFolder'])
          expect([403, 404]).toContain((await mallory.delete(`/${type}/${id}`)).status);
      const own = (await mallory.post('/Folder', { name: 'own' })).body.result[0] as string;
      for (const send of [
        () => mallory.put(`/Folder/${own}`, { parent: outer }),
        () => mallory.put(`/Folder/${own}`, { parentId: outer }),
        () => mallory.post('/Folder', { name: 'new', parentId: outer }),
        () =>
          mallory.put(`/Folder/${own}`, { folders: [inner] }, { 'Svc-Force-Merge-Of-Nested-Properties': 'enabled' }),
        () => mallory.post('/FolderCONTAINSFolder', { sourceId: outer, targetId: own }),
        () => mallory.post('/FolderCONTAINSFolder', { sourceId: own, targetId: inner }),
        () => mallory.put(`/Folder/${own}`, { folders: [inner] }),
      ])
        expect((await send()).status).toBe(403);
      expect((await admin.get(`/Folder/${inner}/ui`)).body.result.parent.id).toBe(outer);
      const writable = await make('Folder', 'write', { name: 'writable' });
      expect((await mallory.put(`/Folder/${own}`, { parent: writable })).status).toBe(200);
    });

    it('a content is hung into elements that may be written alone', async () => {
      const page = await make('Div', 'read', { name: 'page' });
      const script = { content: '${me.name}' };
      for (const send of [
        () => mallory.post('/Content', { ...script, parent: page }),
        async () => {
          const own = (await mallory.post('/Content', script)).body.result[0] as string;
          return mallory.post('/DOMNodeCONTAINSDOMNode', { sourceId: page, targetId: own });
        },
        async () => {
          const own = (await mallory.post('/Content', script)).body.result[0] as string;
          return mallory.put(`/Content/${own}`, { parent: page });
        },
      ])
        expect((await send()).status).toBe(403);
      expect(await ids(`/Div/${page}/children`)).toEqual([]);
      const own = (await mallory.post('/Div', { name: 'own' })).body.result[0] as string;
      expect((await mallory.post('/Content', { ...script, parent: own })).status).toBe(201);
    });

    it.each([
      ['VideoFile', 'convertedVideos', 'VideoFile'],
      ['Image', 'thumbnails', 'Image'],
      ['EMailMessage', 'attachedFiles', 'File'],
    ])('what would be deleted with a %s as one of its %s has to be writable', async (type, key, related) => {
      const own = (await mallory.post(`/${type}`, { name: `own ${type}` })).body.result[0] as string;
      const theirs = await make(related, 'read', { name: `read for ${key}` });
      expect((await mallory.put(`/${type}/${own}`, { [key]: [theirs] })).status).toBe(403);
      // What may be done with an image may be done with its thumbnails: who links them has to have all rights on these.
      const writable =
        type === 'Image'
          ? ((await mallory.post('/Image', { name: 'own thumbnail' })).body.result[0] as string)
          : await make(related, 'write', { name: `written for ${key}` });
      expect((await mallory.put(`/${type}/${own}`, { [key]: [writable] })).status).toBe(200);
      expect((await admin.delete(`/${type}/${own}`)).status).toBe(200);
      expect((await admin.get(`/${related}/${theirs}`)).status).toBe(200);
      expect((await admin.get(`/${related}/${writable}`)).status).toBe(404);
    });
  });
});
