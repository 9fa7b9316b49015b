/** `transforms` and `onFinish` of imports: values, errors of scripts, who may bring them (docs/interface/imports.md 3.1, 3.2). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { endedJob, fileWith, untilJob, type JobInfo } from '../support/jobs.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;

beforeAll(async () => {
  server = await TestServer.start();
  admin = server.admin;
  const team = await admin.defineType('Team');
  const member = await admin.defineType('Member', [
    { name: 'age', propertyType: 'Integer' },
    { name: 'tags', propertyType: 'StringArray' },
    { name: 'born', propertyType: 'Date' },
  ]);
  await admin.relate(team, 'HAS', member, { sourceJsonName: 'team', targetJsonName: 'members' });
  await admin.defineType('Note', [{ name: 'text', propertyType: 'String' }]);
});
afterAll(() => server.stop());
beforeEach(async () => {
  for (const type of ['Member', 'Team', 'Note']) await admin.delete(`/${type}`);
});

const BASE = { targetType: 'Member', mappings: { name: 'name' } };

async function post(content: string, body: Record<string, unknown>, client = admin): Promise<Answer> {
  const file = await fileWith(admin, 'rows.csv', content, { visibleToAuthenticatedUsers: true });
  return client.post(`/File/${file}/doCSVImport`, body);
}
async function run(content: string, body: Record<string, unknown>): Promise<JobInfo> {
  const answer = await post(content, { ...BASE, ...body });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return endedJob(admin, answer.body.result as number);
}
const members = async () => (await admin.get('/Member/all?_sort=name')).body.result;
const notes = async (): Promise<string[]> =>
  (await admin.get('/Note/all?_sort=createdDate')).body.result.map(({ text }: { text: string }) => text);

describe('transforms', () => {
  it('make the values of their properties, in either language', async () => {
    const info = await run('name;age;tags;born\nann;20;a,b;2001-02-03\nbob;30;c;2004-05-06\n', {
      mappings: { name: 'name', age: 'age', tags: 'tags', born: 'born' },
      transforms: {
        name: "concat(upper(input), '!')",
        age: '{ Number($.input) + 1; }',
        tags: "split(input, ',')",
        born: "parse_date(input, 'yyyy-MM-dd')",
      },
    });
    expect(info).toMatchObject({ status: 'FINISHED', objectsCreated: 2 });
    const found = await members();
    expect(found).toMatchObject([
      { name: 'ANN!', age: 21, tags: ['a', 'b'] },
      { name: 'BOB!', age: 31, tags: ['c'] },
    ]);
    expect(found[0].born).toMatch(/^2001-02-03T/);
  });

  it('are asked for empty cells too, and set nothing by answering nothing', async () => {
    await run('name;age\nann;\nbob;7\n', {
      mappings: { name: 'name', age: 'age' },
      transforms: { age: "if(empty(input), 18, if(equal(input, '7'), null, input))" },
    });
    expect(await members()).toMatchObject([
      { name: 'ann', age: 18 },
      { name: 'bob', age: null },
    ]);
  });

  it('may read and make other objects, and answer with them', async () => {
    const info = await run('name;team\nann;red\nbob;blue\ncid;red\n', {
      mappings: { name: 'name', team: 'team' },
      transforms: { team: "get_or_create('Team', 'name', input)" },
    });
    expect(info).toMatchObject({ status: 'FINISHED', objectsCreated: 3 });
    const teams = (await admin.get('/Team?_sort=name')).body.result;
    expect(teams.map(({ name }: { name: string }) => name)).toEqual(['blue', 'red']);
    expect((await members()).map((one: { team: { name: string } }) => one.team.name)).toEqual(['red', 'blue', 'red']);
  });

  it('count with mixedMappings by the names of properties', async () => {
    const info = await run('name;team\nann;red\n', {
      mixedMappings: {
        Member: { properties: { name: 'name' }, relationships: ['Team'] },
        Team: { properties: { team: 'name' } },
      },
      transforms: { name: 'upper(input)' },
    });
    expect(info).toMatchObject({ status: 'FINISHED', objectsCreated: 2 });
    expect(await members()).toMatchObject([{ name: 'ANN', team: { name: 'RED' } }]);
  });

  const FAILING =
    "{ if ($.input === 'b') { $.create('Note', { text: 'of b' }); $.error('name', 'no_b', 'none'); } $.input; }";

  it.each([
    ['error()', FAILING],
    ['an exception', "{ if ($.input === 'b') throw new Error('no'); $.input; }"],
    ['a function that refuses', "if(equal(input, 'b'), create('Member', 'age', 'old'), input)"],
  ])('end the import by %s, with the row', async (_, source) => {
    const info = await run('name\na\nb\nc\n', { transforms: { name: source }, commitInterval: 1 });
    expect(info).toMatchObject({ status: 'FAILED', objectsCreated: 1 });
    expect(info.exception.message).toMatch(/^Row 2 \(line 3\): /);
    expect((await members()).map(({ name }: { name: string }) => name)).toEqual(['a']);
  });

  it('leave out rows with ignoreInvalid, and what their scripts wrote', async () => {
    const info = await run('name\na\nb\nc\n', { transforms: { name: FAILING }, ignoreInvalid: true });
    expect(info).toMatchObject({ status: 'FINISHED', objectsCreated: 2, objectsIgnored: 1, processedObjects: 3 });
    expect(info.problems).toEqual([expect.stringMatching(/^Row 2 \(line 3\): /)]);
    expect((await members()).map(({ name }: { name: string }) => name)).toEqual(['a', 'c']);
    expect(await notes()).toEqual([]);
  });

  it('end with their job', async () => {
    const answer = await post('name\na\nb\n', { ...BASE, transforms: { name: '{ $.sleep(60000); 1; }' } });
    const id = answer.body.result as number;
    await untilJob(admin, id, ({ status }) => status === 'RUNNING');
    await admin.post(`/jobs/${String(id)}/abort`);
    expect(await endedJob(admin, id)).toMatchObject({ status: 'ABORTED', objectsCreated: 0 });
  });

  it('write much text without holding all of it', async () => {
    const rows = Array.from({ length: 12 }, (_, i) => `r${String(i).padStart(2, '0')}`);
    const info = await run(`name\n${rows.join('\n')}\n`, {
      transforms: { name: "{ $.input + 'x'.repeat(1000000); }" },
    });
    // Four million characters are one transaction, whatever commitInterval says.
    expect(info).toMatchObject({ status: 'FINISHED', objectsCreated: 12, processedChunks: 3 });
  });
});

describe('onFinish', () => {
  const SCRIPT =
    "{ const i = $.get('jobInfo'); $.create('Note', { text: [i.jobtype, i.status, i.objectsCreated, i.exception?.message].join(' ') }); }";

  it('comes at the end, with jobInfo, as the user', async () => {
    const info = await run('name\na\nb\n', { onFinish: SCRIPT });
    expect(info).toMatchObject({ status: 'FINISHED' });
    expect(await notes()).toEqual(['CSV FINISHED 2 ']);
    expect((await admin.get('/Note/all')).body.result[0].owner.name).toBe('admin');
  });

  it('may be an expression, or one in braces', async () => {
    await run('name\na\n', { onFinish: "create('Note', 'text', jobInfo.jobtype)" });
    await run('name\na\n', { onFinish: "${create('Note', 'text', jobInfo.status)}" });
    expect(await notes()).toEqual(['CSV', 'FINISHED']);
  });

  it('comes when the import has failed, too, and knows why', async () => {
    const info = await run('name;age\na;old\n', { mappings: { name: 'name', age: 'age' }, onFinish: SCRIPT });
    expect(info).toMatchObject({ status: 'FAILED' });
    expect(await notes()).toEqual([expect.stringMatching(/^CSV FAILED 0 Row 1 /)]);
  });

  it('makes the job failed when it fails, and keeps what was imported', async () => {
    const info = await run('name\na\n', { onFinish: "assert(false, 422, 'not so')" });
    expect(info).toMatchObject({ status: 'FAILED', objectsCreated: 1, exception: { message: 'not so' } });
    expect(await members()).toHaveLength(1);
  });

  it('does not hide why the import failed', async () => {
    const info = await run('name;age\na;old\n', {
      mappings: { name: 'name', age: 'age' },
      onFinish: "assert(false, 422, 'not so')",
    });
    expect(info.exception.message).toMatch(/^Row 1 /);
    expect(info.problems).toContain('not so');
  });

  it('comes after an import of XML', async () => {
    const file = await fileWith(admin, 'n.xml', '<n><m name="x"/></n>', { contentType: 'text/xml' });
    const answer = await admin.post(`/File/${file}/doXMLImport`, {
      '/n/m': { action: 'createNode', isRoot: true, type: 'Member', properties: { name: 'name' } },
      onFinish: SCRIPT,
    });
    await endedJob(admin, answer.body.result as number);
    expect(await notes()).toEqual(['XML FINISHED 1 ']);
  });
});

describe('scripts of imports are refused', () => {
  it.each([
    [400, { transforms: [] }, /transforms/],
    [400, { transforms: { name: 7 } }, /transforms\.name/],
    [400, { onFinish: 7 }, /onFinish/],
    [422, { transforms: { name: 'upper(input' } }, /"transforms\.name" cannot be read/],
    [422, { transforms: { name: 'nosuch(input)' } }, /nosuch/],
    [422, { transforms: { name: '{ (; }' } }, /line 1, column \d+/],
    [422, { onFinish: '{ let a = 1; let a = 2; }' }, /"onFinish" cannot be read/],
    [422, { transforms: { age: 'input' } }, /no column is mapped/],
  ])('with %i: %j', async (status, body, message) => {
    const answer = await post('name\na\n', { ...BASE, ...body });
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)]);
  });

  it('to all but administrators, while empty ones are none', async () => {
    await admin.create('User', { name: 'importer', password: 'Secret-pass-1' });
    const user = server.as('importer', 'Secret-pass-1');
    await allow(admin, 'File/_id/doCSVImport', 'user', ['POST']);
    await allow(admin, 'File/_id/doXMLImport', 'user', ['POST']);
    await allow(admin, 'jobs/_id', 'user', ['GET']);
    await allow(admin, 'Member', 'user', ['POST']);
    for (const body of [{ transforms: { name: 'input' } }, { onFinish: 'doPrivileged(1)' }]) {
      const answer = await post('name\na\n', { ...BASE, ...body }, user);
      expect([answer.status, answer.body.message]).toEqual([403, expect.stringMatching(/administrators/)]);
    }
    const file = await fileWith(admin, 'n.xml', '<n/>', { contentType: 'text/xml', visibleToAuthenticatedUsers: true });
    const xml = { '/n': { action: 'createNode', isRoot: true, type: 'Member' }, onFinish: 'log(1)' };
    expect((await user.post(`/File/${file}/doXMLImport`, xml)).status).toBe(403);
    expect(await members()).toEqual([]);
    const answer = await post('name\na\n', { ...BASE, transforms: { name: '' }, onFinish: '' }, user);
    expect(await endedJob(user, answer.body.result as number)).toMatchObject({ status: 'FINISHED', objectsCreated: 1 });
  });

  it('to who was an administrator when he asked, and is none any more', async () => {
    const id = await admin.create('User', { name: 'fired', password: 'Secret-pass-1', isAdmin: true });
    const fired = server.as('fired', 'Secret-pass-1');
    await allow(admin, 'Member', 'user', ['POST']);
    const transforms = { name: '{ $.sleep(300); $.input; }' };
    const rows = Array.from({ length: 20 }, (_, i) => `r${String(i)}`).join('\n');
    const answer = await post(
      `name\n${rows}\n`,
      { ...BASE, transforms, onFinish: "create('Note', 'text', 'x')" },
      fired,
    );
    await admin.put(`/User/${id}`, { isAdmin: false });
    const info = await endedJob(admin, answer.body.result as number);
    expect(info).toMatchObject({ status: 'FAILED' });
    expect(info.exception.message).toMatch(/fired may run no scripts any more/);
    expect(await notes()).toEqual([]);
  });
});
