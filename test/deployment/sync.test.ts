/** The graph as one archive, out and in (docs/interface/deployment.md 5). */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { fileWith, endedJob } from '../support/jobs.js';
import { allow } from '../support/permissions.js';
import { onNeo4j, TestServer } from '../support/server.js';
import { zipOf } from '../support/zip-builder.js';

let server: TestServer;
let admin: Client;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-sync-'));
  server = await TestServer.start();
  admin = server.admin;
  const thing = await admin.defineType('Thing', [
    { name: 'count', propertyType: 'Integer' },
    { name: 'ratio', propertyType: 'Double' },
    { name: 'big', propertyType: 'Long' },
    { name: 'words', propertyType: 'StringArray' },
    { name: 'numbers', propertyType: 'DoubleArray' },
    { name: 'due', propertyType: 'Date' },
    { name: 'done', propertyType: 'Boolean' },
  ]);
  const part = await admin.defineType('Part', [
    { name: 'label', propertyType: 'String', notNull: true },
    { name: 'code', propertyType: 'String', unique: true },
  ]);
  await admin.relate(thing, 'HAS', part, { sourceJsonName: 'thing', targetJsonName: 'parts' });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

let count = 0;
const newFile = (): string => join(folder, `${String(++count)}.zip`);
const sync = (body: unknown, client = admin): Promise<Answer> => client.post('/maintenance/sync', body);
/** The result of the job. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
async function ran(body: object): Promise<any> {
  const answer = await sync({ ...body, background: true });
  return endedJob(admin, answer.body.result[0].jobId as number);
}
async function archive(entries: Parameters<typeof zipOf>[0]): Promise<string> {
  const file = newFile();
  await writeFile(file, zipOf(entries));
  return file;
}

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  const head = Buffer.alloc(5);
  head[0] = 15;
  head.writeInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
};
const node = (values: Record<string, string | Buffer>): Buffer =>
  Buffer.concat([
    Buffer.from('N'),
    ...Object.entries(values).flatMap(([key, value]) => [text(key), typeof value === 'string' ? text(value) : value]),
    Buffer.from([10]),
  ]);
const id = (digit: string): string => digit.repeat(32);

describe('a sync archive', () => {
  it('brings back nodes, relationships over batches, and contents of files', async () => {
    const group = await admin.create('Group', { name: 'readers' });
    const thing = await admin.create('Thing', {
      name: 'äöü\n"',
      count: -3,
      ratio: 2,
      big: '9007199254740993',
      words: ['a', ''],
      numbers: [1, 2.5],
      due: '2026-01-02T03:04:05+0000',
      done: true,
      grantees: [{ id: group, allowed: ['read'] }],
    });
    const parts: string[] = [];
    for (let i = 0; i < 12; i++)
      parts.push(await admin.create('Part', { label: `p${String(i)}`, code: String(i), thing }));
    const parent = await admin.create('Folder', { name: 'docs' });
    const file = await fileWith(admin, 'a.txt', 'content of a file', { parent });
    const look = async (): Promise<unknown[]> => [
      (await admin.get(`/Thing/${thing}/ui`)).body.result,
      (await admin.get(`/Thing/${thing}/all`)).body.result.parts.map(({ id: one }: { id: string }) => one),
      (await admin.get(`/Thing/${thing}/grantees`)).body.result_count,
      (await admin.get(`/File/${file}/ui`)).body.result,
      await (await fetch(`${server.url}/docs/a.txt`, { headers: basic })).text(),
    ];
    const before = await look();
    const to = newFile();
    expect(await ran({ mode: 'export', file: to })).toMatchObject({ status: 'FINISHED', result: { files: 1 } });
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
    for (const one of [thing, ...parts, file, parent]) expect((await admin.delete(`/${one}`)).status).toBe(200);
    const done = await ran({ mode: 'import', file: to, batchSize: 3 });
    expect([done.status, done.result]).toMatchObject(['FINISHED', { nodes: 15, files: 1, failed: 0 }]);
    expect(await look()).toEqual(before);
    // Nothing is there twice, and nothing that is there changes.
    await admin.put(`/${thing}`, { name: 'changed' });
    expect(await ran({ mode: 'import', file: to })).toMatchObject({ result: { nodes: 0, relationships: 0, files: 0 } });
    expect((await admin.get(`/Thing/${thing}/ui`)).body.result.name).toBe('changed');
    expect((await admin.get('/Part')).body.result).toHaveLength(12);
  });

  it('puts users in the place of those of the same name', async () => {
    const there = (await admin.get('/User?name=admin')).body.result[0].id as string;
    const link = Buffer.concat([
      ...[Buffer.from('R'), text(id('7')), text(id('8')), text('OWNS'), text('id'), text(id('9')), text('type')],
      ...[text('PrincipalOwnsNode'), Buffer.from([10])],
    ]);
    const db = Buffer.concat([
      node({ id: id('7'), type: 'User', name: 'admin' }),
      node({ id: id('8'), type: 'Thing', x: Buffer.from([6, 0, 0, 0, 1, 7, 0, 0, 0, 0, 0, 0, 0, 9]) }),
      link,
    ]);
    const done = await ran({ mode: 'import', file: await archive([{ name: 'db', content: db }]) });
    expect(done.result).toMatchObject({ nodes: 1, relationships: 1, existing: 1, failed: 0 });
    expect((await admin.get(`/Thing/${id('8')}/ui`)).body.result.owner.id).toBe(there);
    expect((await admin.get(`/${id('7')}`)).status).toBe(404);
  });

  it('leaves schema objects out, and contents with exportDb', async () => {
    const to = newFile();
    const done = await ran({ mode: 'exportDb', file: to });
    expect(done.result.files).toBe(0);
    expect(await ran({ mode: 'import', file: to })).toMatchObject({
      result: { nodes: 0, relationships: 0, failed: 0 },
    });
  });

  it.runIf(!onNeo4j)('has no query where the database speaks no Cypher', async () => {
    const answer = await sync({ mode: 'export', file: newFile(), query: 'MATCH (n) RETURN n' });
    expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining('does not speak Cypher')]);
  });

  it('is checked unless it is to be imported as it is', async () => {
    const file = await archive([{ name: 'db', content: node({ id: id('1'), type: 'Part' }) }]);
    const answer = await sync({ mode: 'import', file });
    expect([answer.status, answer.body.errors]).toMatchObject([
      422,
      [{ property: 'label', token: 'must_not_be_empty' }],
    ]);
    expect((await admin.get(`/${id('1')}`)).status).toBe(404);
    expect((await sync({ mode: 'import', file, validate: false })).status).toBe(200);
    expect((await admin.get(`/Part/${id('1')}`)).status).toBe(200);
  });

  it('says where it is damaged', async () => {
    const good = node({ id: id('2'), type: 'Thing' });
    const list = (code: number, length: number): Buffer => Buffer.from([code, 0, 0, 0, length]);
    const huge = Buffer.from([15, 0x7f, 0xff, 0xff, 0xff]);
    for (const [db, message] of [
      [good.subarray(0, -1), 'record 0, byte'],
      [Buffer.concat([good, Buffer.from('X')]), 'record 1, byte'],
      [node({ id: id('2'), type: 'Thing', x: Buffer.from([19, 0]) }), 'there is no type 19 of values'],
      [node({ id: id('2'), x: huge }), 'a length of 2147483647 is not possible'],
      [node({ id: id('2'), x: Buffer.from([15, 0xff, 0xff, 0xff, 0xff]) }), 'a length of -1'],
      [node({ id: id('2'), x: Buffer.concat([list(14, 1), Buffer.from([17, 1])]) }), 'a list has values of one type'],
      [node({ id: id('2'), x: Buffer.concat([list(15, 1), Buffer.from([0xff])]) }), 'a text is no UTF-8'],
      [node({ type: 'Thing' }), 'record 0 at byte 0: it has no id'],
      [node({ id: '../../x', type: 'Thing' }), 'it has no id'],
      [Buffer.from([0x4e, 1, 2]), 'a text is expected here'],
    ] as const) {
      const answer = await sync({ mode: 'import', file: await archive([{ name: 'db', content: db }]) });
      expect([message, answer.status, answer.body.message]).toEqual([message, 422, expect.stringContaining(message)]);
    }
    for (const [name, data, message] of [
      ['other', good, 'no entry "db"'],
      ['../db', good, 'leads out of it'],
    ] as const) {
      const answer = await sync({ mode: 'import', file: await archive([{ name, content: data }]) });
      expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining(message)]);
    }
    const broken = newFile();
    await writeFile(broken, 'PK no archive');
    expect((await sync({ mode: 'import', file: broken })).status).toBe(422);
    expect((await admin.get(`/${id('2')}`)).status).toBe(404);
  });

  it('needs an administrator, a mode and a file', async () => {
    await admin.create('User', { name: 'eve', password: 'correct horse' });
    await allow(admin, 'maintenance/sync', 'user', ['POST']);
    expect((await sync({ mode: 'export', file: newFile() }, server.as('eve', 'correct horse'))).status).toBe(403);
    for (const [body, status, message] of [
      [{ file: newFile() }, 400, 'Please specify sync mode (import|export).'],
      [{ mode: 'export' }, 400, 'Please specify sync file.'],
      [{ mode: 'export', file: 'x.zip' }, 422, 'no absolute path'],
      [{ mode: 'export', file: '/etc/x.zip' }, 422, 'deployment.roots'],
      [{ mode: 'import', file: newFile() }, 422, 'There is no file'],
      [{ mode: 'import', file: newFile(), batchSize: 'x' }, 422, 'batchSize'],
      [{ mode: 'import', file: newFile(), query: 'x' }, 422, 'query'],
    ] as const) {
      const answer = await sync(body);
      expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(message)]);
    }
  });
});

const basic = { 'X-User': 'admin', 'X-Password': 'admin' };
