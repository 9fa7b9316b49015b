/** Objects of chosen types out and in (docs/interface/deployment.md 4). */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { treeOf, writeTree } from '../support/export-tree.js';
import { endedJob, fileWith } from '../support/jobs.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let folder: string;

const settings = { 'deployment.data.import.nodes.batchsize': 3 };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-data-'));
  server = await TestServer.start({ settings });
  admin = server.admin;
  const thing = await admin.defineType('Thing', [
    { name: 'count', propertyType: 'Integer' },
    { name: 'ratio', propertyType: 'Double' },
    { name: 'big', propertyType: 'Long' },
    { name: 'due', propertyType: 'Date' },
    { name: 'zoned', propertyType: 'ZonedDateTime' },
    { name: 'done', propertyType: 'Boolean' },
    { name: 'words', propertyType: 'StringArray' },
    { name: 'numbers', propertyType: 'DoubleArray' },
    { name: 'unique', propertyType: 'String', unique: true, indexed: true },
    { name: 'needed', propertyType: 'String', notNull: false },
  ]);
  const part = await admin.defineType('Part', [{ name: 'label', propertyType: 'String', notNull: true }]);
  await admin.relate(thing, 'HAS', part, { sourceJsonName: 'thing', targetJsonName: 'parts' });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

let count = 0;
const newFolder = (): string => join(folder, String(++count));
const deployData = (body: unknown, client = admin): Promise<Answer> => client.post('/maintenance/deployData', body);
async function exported(types: string): Promise<Record<string, string>> {
  const target = newFolder();
  const answer = await deployData({ mode: 'export', target, types });
  expect([answer.status, answer.body]).toMatchObject([200, { result: [] }]);
  return treeOf(target);
}
async function imported(files: Readonly<Record<string, unknown>>, more: object = {}): Promise<Answer> {
  const source = newFolder();
  await writeTree(source, files);
  return deployData({ mode: 'import', source, ...more });
}
const id = (digit: string): string => digit.repeat(32);

describe('a data export', () => {
  it('comes back as it was, and is the same again', async () => {
    const ada = await admin.create('User', { name: 'ada', password: 'correct horse' });
    await admin.create('Group', { name: 'readers' });
    const values = {
      name: `<a href='x'>&\u2028"\\ ü`,
      count: 7,
      ratio: 0.1,
      big: '9007199254740993',
      due: '2026-01-02T03:04:05+0000',
      done: true,
      words: ['a', '', '</script>'],
      numbers: [1.5, -2],
      unique: 'one',
      visibleToPublicUsers: true,
    };
    const thing = await admin.create('Thing', values);
    const bare = await admin.create('Thing', {});
    const part = await admin.create('Part', { label: 'wheel', thing });
    await admin.put(`/${thing}`, { owner: ada });
    const group = (await admin.get('/Group?name=readers')).body.result[0].id as string;
    expect((await admin.put(`/${bare}`, { grantees: [{ id: group, allowed: ['read', 'write'] }] })).status).toBe(200);
    const before = (await admin.get('/Thing/ui?_sort=id')).body.result;
    const target = newFolder();
    expect((await deployData({ mode: 'export', target, types: 'Thing, Part' })).status).toBe(200);
    const files = await treeOf(target);
    const again = (): Promise<Answer> => deployData({ mode: 'import', source: target });
    expect(Object.keys(files)).toEqual([
      'nodes/Part.json',
      'nodes/Thing.json',
      'post-data-deploy.conf',
      'pre-data-deploy.conf',
      'relationships/ThingHASPart.json',
    ]);
    expect(files['nodes/Thing.json']).toMatch(/^\[\n\{\n {2}"big": 9007199254740993,\n/);
    expect(files['nodes/Thing.json']).toContain('"owner": {\n    "name": "ada"\n  }');
    for (const one of [thing, bare, part]) expect((await admin.delete(`/${one}`)).status).toBe(200);
    expect((await again()).body).toMatchObject({ result: [] });
    expect((await admin.get('/Thing/ui?_sort=id')).body.result).toEqual(before);
    expect(await exported('Thing, Part')).toEqual(files);
    // Once more over what is there: nothing is doubled.
    expect((await again()).body).toMatchObject({ result: [] });
    expect(await exported('Thing, Part')).toEqual(files);
    expect((await admin.get('/Thing?unique=one')).body.result).toHaveLength(1);
    expect((await admin.get('/ThingHASPart')).body.result).toHaveLength(1);
  });
});

describe('files of a data export', () => {
  const at = (path: string): Promise<string> => admin.get(`/svc/html${path}`).then(({ text }) => text);

  it('come back in their places, with content, owner and relationships; folders above them are there, or are made', async () => {
    const report = await admin.defineType('Report', [{ name: 'colour', propertyType: 'String' }]);
    await admin.put(`/${report}`, { inheritedTraits: ['File'] });
    const things = (await admin.get('/SchemaNode?name=Thing')).body.result[0].id as string;
    await admin.relate(things, 'TELLS', report, { sourceJsonName: 'thing', targetJsonName: 'reports' });
    const top = await admin.create('Folder', { name: 'top' });
    const deep = await admin.create('Folder', { name: 'deep', parent: top });
    const owner = await admin.create('User', { name: 'bob', password: 'correct horse' });
    const thing = await admin.create('Thing', { name: 'of files' });
    const made: string[] = [];
    for (let i = 0; i < 5; i++) {
      const one = await fileWith(admin, `r${String(i)}.txt`, `text ${String(i)} ä`, {
        type: 'Report',
        parent: deep,
        colour: 'red',
      });
      await admin.put(`/${one}`, { owner, thing });
      made.push(one);
    }
    await fileWith(admin, 'other.txt', 'stays', { parent: top });
    const target = newFolder();
    expect((await deployData({ mode: 'export', target, types: 'Report' })).body).toMatchObject({ result: [] });
    const files = await treeOf(target);
    expect(Object.keys(files)).toEqual([
      ...['file-parents.json', 'files.json', ...made.map((_, i) => `files/top/deep/r${String(i)}.txt`)],
      ...['post-data-deploy.conf', 'pre-data-deploy.conf', 'relationships/ThingTELLSReport.json'],
    ]);
    expect(JSON.parse(files['file-parents.json'] ?? '')).toEqual(['/top', '/top/deep']);
    expect(JSON.parse(files['files.json'] ?? '')).toMatchObject({
      '/top/deep': { type: 'Folder' },
      '/top/deep/r4.txt': { id: made[4], type: 'Report', colour: 'red', owner: { name: 'bob' } },
    });
    // One has changed, one is elsewhere, and the others are gone.
    await admin.put(`/${made[0] ?? ''}`, { colour: 'blue', owner: null });
    await admin.put(`/${made[1] ?? ''}`, { parent: null, name: 'moved.txt' });
    for (const one of made.slice(2)) await admin.delete(`/${one}`);
    await admin.put(`/${top}`, { includeInFrontendExport: true });
    const again = await deployData({ mode: 'import', source: target, background: true });
    const ended = await endedJob(admin, again.body.result[0].jobId as number);
    expect([ended.status, ended.result]).toMatchObject([
      'FINISHED',
      { created: 3, replaced: 4, relationships: 5, failed: 0, notes: [] },
    ]);
    expect(await Promise.all([0, 1, 4].map((i) => at(`/top/deep/r${String(i)}.txt`)))).toEqual([
      'text 0 ä',
      'text 1 ä',
      'text 4 ä',
    ]);
    expect((await admin.get('/Report/all?_sort=name')).body.result).toMatchObject(
      made.map((one) => ({ id: one, colour: 'red', owner: { name: 'bob' }, thing: { id: thing } })),
    );
    // Folders that only come with what is in them stay as they are, and so does all else in them.
    const { includeInFrontendExport: kept } = (await admin.get(`/Folder/${top}/all`)).body.result as Record<
      string,
      unknown
    >;
    expect([kept, await at('/top/other.txt')]).toEqual([true, 'stays']);
    const entries = JSON.parse(files['files.json'] ?? '') as object;
    const { 'files.json': said, ...rest } = await exported('Report');
    expect(JSON.parse(said ?? '')).toMatchObject({ ...entries, '/top': { id: top, includeInFrontendExport: true } });
    expect({ ...rest, 'files.json': files['files.json'] }).toEqual(files);
    // Where the folders are others, they are found by their paths, and without them they are made.
    await admin.delete('/File');
    await admin.delete('/Folder');
    const other = await admin.create('Folder', { name: 'top' });
    expect((await deployData({ mode: 'import', source: target })).body).toMatchObject({ result: [] });
    expect((await admin.get('/Folder?_sort=name')).body.result).toMatchObject([
      { name: 'deep', id: deep },
      { name: 'top', id: other },
    ]);
    expect(await at('/top/deep/r3.txt')).toBe('text 3 ä');
    // Nothing of it stays beside an export of something else.
    expect((await deployData({ mode: 'export', target, types: 'Part' })).status).toBe(200);
    expect(Object.keys(await treeOf(target)).filter((path) => path.startsWith('file'))).toEqual([]);
  });

  it('that are wrong are told, and nothing is written', async () => {
    const entry = { id: id('7'), type: 'Report', isTemplate: false };
    for (const [files, message] of [
      [{ 'files.json': [] }, 'files.json: an object'],
      [{ 'files.json': { '/x': { ...entry, id: '../x' } }, 'files/x': '' }, 'files.json: /x.id'],
      [{ 'files.json': {}, 'file-parents.json': {} }, 'file-parents.json: a list'],
    ] as const) {
      const answer = await imported({ 'nodes/Part.json': [{ id: id('8'), type: 'Part' }], ...files });
      expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining(message)]);
    }
    expect((await admin.get(`/${id('7')}`)).status).toBe(404);
  });
});

describe('a data import', () => {
  it('goes on where it was when the server is killed', async () => {
    const entries = Array.from({ length: 600 }, (_, i) => ({
      id: `c${String(i).padStart(31, '0')}`,
      type: 'Thing',
      name: `of a crash ${String(i)}`,
    }));
    const links = entries.slice(1).map(({ id: sourceId }, i) => ({
      id: `d${String(i).padStart(31, '0')}`,
      sourceId,
      targetId: id('e'),
      relType: 'HAS',
    }));
    const source = newFolder();
    await writeTree(source, {
      'nodes/Thing.json': entries,
      'nodes/Part.json': [{ id: id('e'), type: 'Part', label: 'of all' }],
      'relationships/ThingHASPart.json': links,
    });
    let killed = 0;
    for (; killed < 2; killed++) {
      const done = deployData({ mode: 'import', source }).catch(() => undefined);
      // In the middle of the objects, then in the middle of what is left.
      const wanted = 150 * (killed + 1);
      while ((await admin.get('/Thing?name=of%20a%20crash&_loose=1&_pageSize=1')).body.result_count < wanted);
      await server.end('SIGKILL');
      await done;
      server = await TestServer.start({ settings, folder: server.folder });
      admin = server.admin;
    }
    const answer = await deployData({ mode: 'import', source, background: true });
    const { status, result } = await endedJob(admin, answer.body.result[0].jobId as number);
    expect([status, result]).toMatchObject(['FINISHED', { created: 601, replaced: 0, relationships: 599, failed: 0 }]);
    expect(result.notes).toMatchObject([{ title: 'Going on', message: expect.stringContaining('nodes/Thing.json') }]);
    expect((await admin.get('/Thing?name=of%20a%20crash&_loose=1&_pageSize=1')).body.result_count).toBe(600);
    expect((await admin.get('/ThingHASPart?_pageSize=1')).body.result_count).toBeGreaterThanOrEqual(599);
    // It has ended: the same files are a new import.
    const again = await deployData({ mode: 'import', source, background: true });
    const ended = await endedJob(admin, again.body.result[0].jobId as number);
    expect(ended.result).toMatchObject({ created: 0, replaced: 601, relationships: 599, notes: [] });
  });

  it('replaces by id, checks nothing, and leaves everything else', async () => {
    const old = await admin.create('Thing', { name: 'old', count: 1, words: ['a'] });
    const other = await admin.create('Thing', { name: 'other' });
    await admin.create('Part', { label: 'gone with it', thing: old });
    const answer = await imported({
      'nodes/Thing.json': [{ id: old, type: 'Thing', name: 'new', ratio: 2, unheard: [1, 2] }],
      // Without the label that it needs.
      'nodes/Part.json': [{ id: id('a'), type: 'Part', name: 'p' }],
      'relationships/ThingHASPart.json': [
        { id: id('b'), sourceId: other, targetId: id('a'), relType: 'HAS' },
        { id: id('c'), sourceId: other, targetId: id('d'), relType: 'HAS' },
        { id: id('e'), sourceId: id('a'), targetId: other, relType: 'HAS' },
      ],
    });
    expect(answer.body).toMatchObject({ result: [] });
    expect((await admin.get(`/Thing/${old}/all`)).body.result).toMatchObject({ name: 'new', count: null, parts: [] });
    expect((await admin.get(`/Thing/${other}/all`)).body.result.parts).toMatchObject([{ id: id('a') }]);
    expect((await admin.get('/Part?label=gone%20with%20it')).body.result).toHaveLength(1);
    // Indexes follow.
    expect((await admin.get('/Thing?name=new')).body.result).toHaveLength(1);
    expect((await admin.get('/Thing?name=old')).body.result).toHaveLength(0);
  });

  it('says where a file is wrong, and has written nothing then', async () => {
    const good = { id: id('1'), type: 'Thing' };
    for (const [text, message] of [
      ['[{"id": "x', 'nodes/Thing.json[0] (line 1): the list has no end'],
      ['{}', 'nodes/Thing.json[0] (line 1): a list is expected here'],
      ['', 'a list is expected here'],
      [[good, good, good, good, { type: 'Thing' }], 'nodes/Thing.json[4] (line 1).id'],
      [[{ id: '../x', type: 'Thing' }], 'an id is expected'],
      [[{ id: id('1') }], 'nodes/Thing.json[0] (line 1).type'],
      [[good, 7], 'an object is expected here'],
      [`[${JSON.stringify(good)}\n${JSON.stringify(good)}]`, '(line 2): a comma or the end of the list'],
      [`[${JSON.stringify(good)},]`, 'an object is expected here'],
      [`[${JSON.stringify(good)}] x`, 'there is text behind the list'],
      [`[{"id" "x"}]`, "nodes/Thing.json[0] (line 1): Expected ':'"],
      [[{ ...good, owner: 'ada' }], 'owner: an object is expected'],
      [[{ ...good, grantees: [{ name: 'ada', allowed: ['fly'] }] }], 'fly'],
    ] as const) {
      const answer = await imported({ 'nodes/Thing.json': text, 'nodes/Part.json': [{ id: id('2'), type: 'Part' }] });
      expect([message, answer.status, answer.body.message]).toEqual([message, 422, expect.stringContaining(message)]);
    }
    expect((await admin.get(`/${id('1')}`)).status).toBe(404);
    expect((await admin.get(`/${id('2')}`)).status).toBe(404);
  });

  it('leaves out what nobody knows, and what a property cannot hold', async () => {
    const answer = await imported(
      {
        'nodes/Nothing.json': [{ id: id('3'), type: 'Nothing' }],
        'nodes/Thing.json': [
          {
            id: id('4'),
            type: 'Thing',
            name: 'kept',
            count: 'x',
            done: 1,
            words: 'a',
            ratio: '-Infinity',
            x: { y: 1 },
          },
          {
            id: id('5'),
            type: 'Thing',
            owner: { name: 'nobody' },
            grantees: [{ name: 'no one', allowed: 'read,write' }],
          },
        ],
        'relationships/NothingATThing.json': [{ id: id('6'), sourceId: id('3'), targetId: id('4'), relType: 'AT' }],
        'relationships/Security.json': [],
      },
      { background: true },
    );
    const { status, result } = await endedJob(admin, answer.body.result[0].jobId as number);
    expect([status, result]).toMatchObject(['FINISHED', { created: 2, replaced: 0, relationships: 0, failed: 0 }]);
    expect(result.notes).toEqual(
      [
        ['Not imported', 'relationships/Security.json: owners and grantees stand with the objects.'],
        ['Missing Principal(s)', 'nobody, no one'],
        ['Missing Type(s)', 'Nothing, NothingATThing'],
        ['Values that their property cannot hold', 'Thing.count, Thing.done, Thing.words, Thing.x'],
      ].map(([title, message]) => ({ kind: 'WARNING', title, message })),
    );
    expect((await admin.get(`/${id('3')}`)).status).toBe(404);
    expect((await admin.get(`/${id('4')}`)).body.result).toMatchObject({ name: 'kept' });
  });

  it('is refused to others than administrators, and for what is no export', async () => {
    const user = await admin.create('User', { name: 'eve', password: 'correct horse' });
    await allow(admin, 'maintenance/deployData', 'user', ['POST']);
    const eve = server.as('eve', 'correct horse');
    expect((await deployData({ mode: 'export', target: newFolder(), types: 'Thing' }, eve)).status).toBe(403);
    expect(user).toBeDefined();
    for (const [body, status, message] of [
      [{ mode: 'export', target: newFolder() }, 422, 'types'],
      [{ mode: 'export', types: 'Thing' }, 422, 'target'],
      [{ mode: 'export', types: 'Thing', target: 'here' }, 422, 'no absolute path'],
      [{ mode: 'export', types: 'Nothing', target: newFolder() }, 422, 'There is no type Nothing'],
      [{ mode: 'export', types: 'Thing', target: '/etc/svc' }, 422, 'deployment.roots'],
      [{ mode: 'sideways' }, 422, 'mode'],
      [{ mode: 'import', source: newFolder(), doCascadingDelete: 'perhaps' }, 422, 'doCascadingDelete'],
    ] as const) {
      const answer = await deployData(body);
      expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(message)]);
    }
    const file = newFolder();
    await writeFile(file, 'x');
    for (const source of [newFolder(), file, folder]) {
      const answer = await deployData({ mode: 'import', source });
      expect([answer.status, answer.body.result]).toEqual([
        200,
        [expect.stringMatching(/^Data Deployment Import not started: /)],
      ]);
    }
  });
});

describe('flags of a data import', () => {
  const echoes = async (): Promise<string[]> => {
    const { body } = await admin.get('/Echo?_sort=name');
    await admin.delete('/Echo');
    return (body.result as { name: string }[]).map(({ name }) => name);
  };
  const importing = async (entries: readonly object[], more: object = {}): Promise<Record<string, unknown>> => {
    const source = newFolder();
    await writeTree(source, { 'nodes/Told.json': entries });
    const answer = await deployData({ mode: 'import', source, background: true, ...more });
    const { status, result } = await endedJob(admin, answer.body.result[0].jobId as number);
    expect(status).toBe('FINISHED');
    return result as Record<string, unknown>;
  };
  const told = (digit: string, name: string): object => ({ id: id(digit), type: 'Told', name });

  beforeAll(async () => {
    await admin.defineType('Echo');
    const tell = (method: string): object => ({
      name: method,
      source: `{ $.create('Echo', { name: '${method} ' + $.this.name }); }`,
    });
    await admin.defineType('Told', [{ name: 'stamp', propertyType: 'String' }], {
      schemaMethods: [
        {
          name: 'onCreate',
          source:
            "{ if ($.this.name == 'bad') $.error('name', 'is_bad'); $.this.stamp = 'by onCreate'; $.create('Echo', { name: 'onCreate ' + $.this.name }); }",
        },
        ...['onSave', 'afterCreate', 'afterSave'].map(tell),
      ],
    });
  });

  it('run methods of users within the transactions, after them, both, or none', async () => {
    await importing([told('7', 'none')]);
    expect(await echoes()).toEqual([]);
    await importing([told('8', 'inner')], { doInnerCallbacks: true });
    expect(await echoes()).toEqual(['onCreate inner']);
    expect((await admin.get(`/Told/${id('8')}/all`)).body.result).toMatchObject({ stamp: 'by onCreate' });
    await importing([told('9', 'outer')], { doOuterCallbacks: 'true' });
    await untilEchoes(1);
    expect(await echoes()).toEqual(['afterCreate outer']);
    expect((await admin.get(`/Told/${id('9')}/all`)).body.result.stamp).toBeNull();
    // One that is there is saved, one that is not is created.
    await importing([told('9', 'again'), told('0', 'both')], { doInnerCallbacks: true, doOuterCallbacks: true });
    await untilEchoes(4);
    expect(await echoes()).toEqual(['afterCreate both', 'afterSave again', 'onCreate both', 'onSave again']);
  });

  it('leave a batch out that a method refuses, and tell it', async () => {
    // Three of a batch.
    const entries = ['good', 'bad', 'beside', 'next'].map((name, i) => ({
      ...told('f', name),
      id: `${id('f').slice(1)}${String(i)}`,
    }));
    const result = await importing(entries, { doInnerCallbacks: true });
    expect(result).toMatchObject({
      created: 1,
      notes: [
        {
          title: 'A batch could not be imported',
          message: expect.stringMatching(
            /^nodes\/Told\.json\[0\] .* to nodes\/Told\.json\[2\] .*name is_bad/,
          ) as string,
        },
      ],
    });
    expect(await echoes()).toEqual(['onCreate next']);
    expect((await admin.get('/Told?name=good')).body.result).toEqual([]);
    expect((await importing(entries)).created).toBe(3);
  });

  it('take along what the deletion of an object takes, when they say so', async () => {
    const [owner, owned] = [await admin.defineType('Owning'), await admin.defineType('Owned')];
    await admin.relate(owner, 'OWNING', owned, {
      sourceJsonName: 'owning',
      targetJsonName: 'owned',
      cascadingDeleteFlag: 1,
    });
    const holder = await admin.create('Owning', { name: 'holder' });
    const source = newFolder();
    await writeTree(source, { 'nodes/Owning.json': [{ id: holder, type: 'Owning', name: 'replaced' }] });
    for (const [more, left] of [
      [{}, 1],
      [{ doCascadingDelete: true }, 0],
    ] as const) {
      await admin.delete('/Owned');
      await admin.create('Owned', { owning: holder });
      expect((await deployData({ mode: 'import', source, ...more })).body).toMatchObject({ result: [] });
      expect([more, (await admin.get('/Owned')).body.result_count]).toEqual([more, left]);
      expect((await admin.get('/Owning')).body.result).toMatchObject([{ id: holder, name: 'replaced' }]);
    }
  });
});

const untilEchoes = (count: number): Promise<void> =>
  expect.poll(async () => (await admin.get('/Echo')).body.result_count as number).toBe(count);
