/** doCSVImport: every parameter, errors that name the row, rights (docs/interface/imports.md 3.1). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { endedJob, fileWith, type JobInfo } from '../support/jobs.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;

beforeAll(async () => {
  server = await TestServer.start();
  admin = server.admin;
  const person = await admin.defineType('Person', [
    { name: 'email', propertyType: 'String', unique: true, indexed: true },
    { name: 'age', propertyType: 'Integer' },
    { name: 'tags', propertyType: 'StringArray' },
    { name: 'active', propertyType: 'Boolean' },
  ]);
  const company = await admin.defineType('Company', [
    { name: 'code', propertyType: 'String', unique: true, indexed: true },
    { name: 'city', propertyType: 'String' },
  ]);
  await admin.relate(company, 'EMPLOYS', person, { sourceJsonName: 'employer', targetJsonName: 'staff' });
  await admin.relate(person, 'KNOWS', person, {
    sourceMultiplicity: '*',
    targetMultiplicity: '*',
    sourceJsonName: 'knownBy',
    targetJsonName: 'knows',
    schemaProperties: [{ name: 'since', propertyType: 'Integer' }],
  });
});
afterAll(() => server.stop());

async function clean(): Promise<void> {
  for (const type of ['Person', 'Company']) await admin.delete(`/${type}`);
}

async function run(content: string, body: Record<string, unknown>, client = admin): Promise<JobInfo> {
  const file = await fileWith(admin, 'rows.csv', content, { visibleToAuthenticatedUsers: true });
  const answer = await client.post(`/File/${file}/doCSVImport`, body);
  if (answer.status !== 200) return answer;
  expect(typeof answer.body.result).toBe('number');
  return endedJob(client, answer.body.result as number);
}

const names = async (filter = ''): Promise<string[]> =>
  (await admin.get(`/Person?_sort=name${filter}`)).body.result.map((one: { name: string }) => one.name);

describe('doCSVImport', () => {
  it('makes an object of every row, values by their property', async () => {
    await clean();
    const content = '\uFEFFName;Mail;Years;Words;On\nAnn;a@x;41;"[""p"",""q""]";true\n"B;ob";b@x;;one;false\n';
    const mappings = { name: 'Name', email: 'Mail', age: 'Years', tags: 'Words', active: 'On' };
    const info = await run(content, { targetType: 'Person', mappings });
    expect(info).toMatchObject({
      jobtype: 'CSV',
      status: 'FINISHED',
      username: 'admin',
      filepath: expect.stringMatching(/^\/rows.*\.csv$/),
      filesize: Buffer.byteLength(content),
      processedObjects: 2,
      processedChunks: 1,
      objectsCreated: 2,
      objectsIgnored: 0,
    });
    const { body } = await admin.get('/Person/all?_sort=name');
    expect(body.result).toMatchObject([
      { name: 'Ann', email: 'a@x', age: 41, tags: ['p', 'q'], active: true },
      { name: 'B;ob', email: 'b@x', age: null, tags: ['one'], active: false },
    ]);
  });

  it('commits as often as asked, and keeps what was committed before an error, which names the row', async () => {
    await clean();
    const rows = Array.from({ length: 25 }, (_, i) => `p${String(i + 1).padStart(2, '0')};${i === 22 ? 'old' : '7'}`);
    const info = await run(`name;age\n${rows.join('\n')}`, {
      targetType: 'Person',
      mappings: { name: 'name', age: 'age' },
      commitInterval: 10,
    });
    expect(info).toMatchObject({ status: 'FAILED', processedChunks: 2, objectsCreated: 20 });
    expect(info.exception.message).toMatch(/^Row 23 \(line 24\): /);
    expect(info.exception.stacktrace).toBeNull();
    expect(await names()).toHaveLength(20);
  });

  it('leaves out broken rows with ignoreInvalid: values, unique values, columns', async () => {
    await clean();
    const content = 'name;email;age\na;1;1\nb;1;2\nc;2;x\nd;3;4;5\ne;4;5\n';
    const info = await run(content, {
      targetType: 'Person',
      mappings: { name: 'name', email: 'email', age: 'age' },
      ignoreInvalid: true,
    });
    expect(info).toMatchObject({ status: 'FINISHED', processedObjects: 5, objectsCreated: 2, objectsIgnored: 3 });
    expect(info.problemCount).toBe(3);
    expect(info.problems.sort()).toEqual([
      expect.stringMatching(/^Row 2 \(line 3\): .*already_taken/),
      expect.stringMatching(/^Row 3 \(line 4\): /),
      'Row 4 (line 5) has 4 columns, the header 3.',
    ]);
    expect(await names()).toEqual(['a', 'e']);
  });

  it('imports ranges of rows', async () => {
    await clean();
    const content = `name\n${Array.from({ length: 30 }, (_, i) => `r${String(i + 1).padStart(2, '0')}`).join('\n')}\n`;
    await run(content, { targetType: 'Person', mappings: { name: 'name' }, range: '2-3, 7,29-40' });
    expect(await names()).toEqual(['r02', 'r03', 'r07', 'r29', 'r30']);
  });

  it.each([
    ['a backslash escapes quotes', {}, 'name\n"a\\"b"\n', ['a"b']],
    ['a doubled quote is one', {}, 'name\n"a""b"\n', ['a"b']],
    ['rfc4180Mode: a backslash is one', { rfc4180Mode: true }, 'name\n"a\\b"\n', ['a\\b']],
    ['strictQuotes: what is not quoted is nothing', { strictQuotes: true }, 'name;age\n"a";1\nb;2\n', ['a', undefined]],
    ['other characters', { delimiter: ',', quoteChar: "'" }, "age,name\n1,'x,y'\n", ['x,y']],
    ['no quotes at all', { quoteChar: '' }, 'name\n"a"\n', ['"a"']],
    ['line ends of all kinds', {}, 'name\r\na\nb\r\nc', ['a', 'b', 'c']],
    ['lines within quotes', {}, 'name\n"a\nb"\n', ['a\nb']],
  ])('%s', async (_, parameters, content, expected) => {
    await clean();
    const info = await run(content, { targetType: 'Person', mappings: { name: 'name' }, ...parameters });
    expect(info).toMatchObject({ status: 'FINISHED' });
    const { body } = await admin.get('/Person?_sort=name');
    expect(body.result.map((one: { name?: string }) => one.name ?? undefined)).toEqual(expected);
  });

  it('leaves out rows that are there already with distinct, also within the file', async () => {
    await clean();
    await admin.create('Person', { name: 'a', age: 1 });
    await admin.create('Person', { name: 'b' });
    const info = await run('name;age\na;1\na;2\nb;\nc;3\nc;3\n', {
      targetType: 'Person',
      mappings: { name: 'name', age: 'age' },
      distinct: true,
    });
    expect(info).toMatchObject({ status: 'FINISHED', objectsCreated: 2, objectsIgnored: 3 });
    expect(await names()).toEqual(['a', 'a', 'b', 'c']);
  });

  it('imports relationships', async () => {
    await clean();
    const [a, b] = [await admin.create('Person', { name: 'a' }), await admin.create('Person', { name: 'b' })];
    const body = { targetType: 'PersonKNOWSPerson', mappings: { sourceId: 'from', targetId: 'to', since: 'year' } };
    const content = `from;to;year\n${a};${b};1999\n`;
    expect(await run(content, body)).toMatchObject({ status: 'FINISHED', objectsCreated: 1 });
    expect((await admin.get(`/Person/${a}/all`)).body.result.knows).toMatchObject([{ id: b }]);
    expect(await run(content, { ...body, distinct: true })).toMatchObject({ objectsCreated: 0, objectsIgnored: 1 });
    const broken = await run(`from;to;year\n${a};nobody;1\n`, body);
    expect(broken).toMatchObject({ status: 'FAILED' });
    expect(broken.exception.message).toMatch(/^Row 1 \(line 2\): No Person with UUID nobody found/);
    const missing = await run(content, { targetType: 'PersonKNOWSPerson', mappings: { sourceId: 'from' } });
    expect(missing.status).toBe(400);
  });

  it('makes and links objects of several types a row, each once by its unique value', async () => {
    await clean();
    await admin.create('Company', { name: 'Old', code: 'O' });
    const content = 'company;code;person;mail\nNew;N;Ann;a@x\nNew;N;Bob;b@x\nOld;O;Cid;c@x\n';
    const mixedMappings = {
      Company: { name: 'Company', properties: { company: 'name', code: 'code' }, relationships: ['Person'] },
      Person: { name: 'Person', properties: { person: 'name', mail: 'email' }, relationships: [] },
    };
    const info = await run(content, { mappings: {}, mixedMappings });
    expect(info).toMatchObject({ status: 'FINISHED', objectsCreated: 4, processedObjects: 3 });
    const { body } = await admin.get('/Company/all?_sort=name');
    const staff = body.result.map((one: { name: string; staff: { name: string }[] }) => [
      one.name,
      ...one.staff.map(({ name }) => name).sort(),
    ]);
    expect(staff).toEqual([
      ['New', 'Ann', 'Bob'],
      ['Old', 'Cid'],
    ]);
  });

  it.each([
    [400, {}, /targetType/],
    [400, { targetType: 7 }, /targetType/],
    [422, { targetType: 'Nobody' }, /Nobody/],
    [422, { targetType: 'AbstractFile' }, /AbstractFile/],
    [422, { targetType: 'Person', mappings: { name: 'nowhere' } }, /nowhere/],
    [400, { targetType: 'Person', mappings: [] }, /mappings/],
    [400, { targetType: 'Person', mappings: { name: 3 } }, /name/],
    [400, { targetType: 'Person', range: '3-1' }, /range/],
    [400, { targetType: 'Person', range: 'a' }, /range/],
    [400, { targetType: 'Person', range: '0' }, /range/],
    [400, { targetType: 'Person', commitInterval: 0 }, /commitInterval/],
    [400, { targetType: 'Person', commitInterval: 1e9 }, /commitInterval/],
    [400, { targetType: 'Person', delimiter: '' }, /delimiter/],
    [400, { targetType: 'Person', delimiter: '\n' }, /delimiter/],
    [400, { targetType: 'Person', quoteChar: '""' }, /quoteChar/],
    [400, { targetType: 'Person', quoteChar: 'ä' }, /quoteChar/],
    [400, { targetType: 'Person', quoteChar: ';' }, /quoteChar/],
    [400, { targetType: 'Person', ignoreInvalid: 'perhaps' }, /ignoreInvalid/],
    [400, { targetType: 'Person', distinct: 1 }, /distinct/],
    [400, { mixedMappings: { Person: 1 } }, /mixedMappings/],
    [422, { mixedMappings: { Nobody: { properties: {} } } }, /Nobody/],
    [422, { mixedMappings: { PersonKNOWSPerson: { properties: {} } } }, /KNOWS/],
    [422, { mixedMappings: { Person: { properties: { name: 'name' }, relationships: ['Folder'] } } }, /Folder/],
    [422, { mixedMappings: { Person: { properties: { name: 'name' }, relationships: ['Company'] } } }, /Company/],
  ])('answers %i to %j', async (status, body, message) => {
    const answer = await run('name\na\n', body);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toMatch(message);
  });

  it('says of an empty file that it has no columns', async () => {
    expect((await run('', { targetType: 'Person', mappings: {} })).status).toBe(422);
  });

  it('ends with an error at a quote that is never closed, however large the file', async () => {
    const info = await run(`name\na\n"${'x'.repeat(3_000_000)}`, { targetType: 'Person', mappings: { name: 'name' } });
    expect(info).toMatchObject({ status: 'FAILED' });
    expect(info.exception.message).toMatch(/quote/);
  });
});

describe('rights of doCSVImport', () => {
  let user: Client;
  let userId: string;

  beforeAll(async () => {
    userId = await admin.create('User', { name: 'importer', password: 'Secret-pass-1' });
    user = server.as('importer', 'Secret-pass-1');
    await allow(admin, 'File/_id/doCSVImport', 'user', ['POST']);
    await allow(admin, 'jobs/_id', 'user', ['GET']);
    await allow(admin, 'Person', 'user', ['POST']);
  });

  it('needs the permission for the method', async () => {
    const file = await fileWith(admin, 'x.csv', 'name\na\n', { visibleToPublicUsers: true });
    expect((await server.as().post(`/File/${file}/doCSVImport`, { targetType: 'Person' })).status).toBe(401);
  });

  it('needs the read right on the file', async () => {
    const file = await fileWith(admin, 'secret.csv', 'name\na\n');
    const answer = await user.post(`/File/${file}/doCSVImport`, { targetType: 'Person', mappings: { name: 'name' } });
    expect(answer.status).toBe(404);
  });

  it('works as the user, who owns what it makes', async () => {
    await clean();
    const info = await run('name\nmine\n', { targetType: 'Person', mappings: { name: 'name' } }, user);
    expect(info).toMatchObject({ status: 'FINISHED', username: 'importer' });
    const { body } = await admin.get('/Person/all?name=mine');
    expect(body.result[0].owner.id).toBe(userId);
    expect(body.result[0].createdBy).toBe(userId);
  });

  it.each(['Company', 'ResourceAccess', 'SchemaNode', 'User', 'PersonKNOWSPerson'])(
    'makes no objects of type %s, which the user may not POST',
    async (targetType) => {
      const mappings = targetType === 'PersonKNOWSPerson' ? { sourceId: 'name', targetId: 'name' } : { name: 'name' };
      const answer = await run('name\na\n', { targetType, mappings }, user);
      expect(answer.status).toBe(403);
      expect(answer.body.message).toContain(targetType);
    },
  );

  it('does not make other types by a column called type', async () => {
    const info = await run(
      'name;t\na;ResourceAccess\n',
      { targetType: 'Person', mappings: { name: 'name', type: 't' } },
      user,
    );
    expect(info).toMatchObject({ status: 'FAILED' });
  });

  it('is not for nobody, even with a permission', async () => {
    await allow(admin, 'File/_id/doCSVImport', 'anonymous', ['POST']);
    const file = await fileWith(admin, 'public.csv', 'name\na\n', { visibleToPublicUsers: true });
    const answer = await server
      .as()
      .post(`/File/${file}/doCSVImport`, { targetType: 'Person', mappings: { name: 'name' } });
    expect(answer.status).toBe(401);
  });
});
