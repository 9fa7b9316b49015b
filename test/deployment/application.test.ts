/** Whole applications out and in: the schema with what depends on it, archives and addresses (docs/interface/deployment.md 3, 7). */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { Deploying, id } from '../support/deploying.js';
import { treeOf, writeTree } from '../support/export-tree.js';
import { fields, file, multipart, BOUNDARY } from '../support/files.js';
import { endedJob, untilJob } from '../support/jobs.js';
import type { TestServer } from '../support/server.js';
import { unzipped } from '../support/unzipped.js';
import { zipOf } from '../support/zip-builder.js';

let deploying: Deploying;
let server: TestServer;
let admin: Client;

beforeAll(async () => {
  deploying = await Deploying.start();
  ({ server, admin } = deploying);
});
afterAll(() => deploying.stop());

const newFolder = (): string => deploying.newFolder();
const exported = (target?: string): Promise<Record<string, string>> => deploying.exported(target);
const imported = (...given: Parameters<Deploying['imported']>): Promise<Answer> => deploying.imported(...given);
const schemaWith = (name: string, properties: object, more: object = {}): Record<string, unknown> => ({
  'schema/schema.json': { definitions: { [name]: { type: 'object', properties, ...more } }, methods: [] },
});

describe('the schema of an export', () => {
  it('is there for what comes with it, in the same transaction', async () => {
    await admin.defineType('Old', [{ name: 'gone', propertyType: 'String' }]);
    await admin.create('Old', { name: 'data stay', gone: 'x' });
    const answer = await imported({
      ...schemaWith('MyFile', { colour: { type: 'string' } }, { traits: ['File'] }),
      'security/grants.json': [{ id: id('1'), signature: 'MyFile', flags: 16, visibleToPublicUsers: true }],
      'files.json': {
        '/a.txt': {
          id: id('2'),
          type: 'MyFile',
          isTemplate: false,
          colour: 'red',
          includeInFrontendExport: true,
          visibleToPublicUsers: true,
        },
      },
      'files/a.txt': 'text',
    });
    expect(answer.body).toMatchObject({ result: [] });
    expect((await admin.get('/MyFile/all')).body.result).toMatchObject([{ id: id('2'), colour: 'red' }]);
    expect((await server.as().get('/MyFile')).body.result).toMatchObject([{ id: id('2') }]);
    expect((await admin.get('/Old')).status).toBe(404);
    const first = await exported();
    expect(JSON.parse(first['files.json'] ?? '')).toMatchObject({ '/a.txt': { colour: 'red' } });
    expect((await imported(first)).body).toMatchObject({ result: [] });
    expect(await exported()).toEqual(first);
  });

  it('has its scripts in files, or within the document, as the setting says', async () => {
    await imported({
      'schema/schema.json': { definitions: {}, methods: [{ name: 'twice', source: './_globalMethods/twice' }] },
      'schema/_globalMethods/twice': "${'a < b'}",
    });
    const tree = await exported();
    expect(tree['schema/_globalMethods/twice']).toBe("${'a < b'}");
    await server.reload({ 'deployment.schema.format': 'file' });
    const inline = await exported();
    expect([inline['schema/_globalMethods/twice'], inline['schema/schema.json']]).toEqual([
      undefined,
      expect.stringContaining('a \\u003c b'),
    ]);
    await server.reload({ 'deployment.schema.format': 'tree' });
  });

  it('adds to what is there with extendExistingApp', async () => {
    await imported(schemaWith('Kept', { a: { type: 'string' } }));
    await imported(schemaWith('Added', { b: { type: 'integer' } }), { extendExistingApp: 'true' });
    expect([(await admin.get('/Kept')).status, (await admin.get('/Added')).status]).toEqual([200, 200]);
    await imported(schemaWith('Only', {}));
    expect([(await admin.get('/Kept')).status, (await admin.get('/Only')).status]).toEqual([404, 200]);
  });

  it('changes nothing when it, or what comes behind it, is wrong', async () => {
    const before = await exported();
    for (const [files, message] of [
      [{ 'schema/schema.json': '{"definitions": {' }, 'schema/schema.json'],
      [{ 'schema/schema.json': {} }, 'definitions'],
      [schemaWith('Bad', { p: {} }), 'Bad'],
      [schemaWith('Fine', { p: { type: 'string', compound: true } }, { required: ['other'] }), 'other'],
      [{ ...schemaWith('Fine', {}), 'localizations.json': [{ id: 'x' }] }, 'localizations.json[0]'],
      [
        {
          ...schemaWith('Fine', {}),
          'files.json': { '/x': { id: id('9'), type: 'NoFile', isTemplate: false } },
          'files/x': '',
        },
        'NoFile',
      ],
    ] as const) {
      const answer = await imported(files);
      expect([message, answer.status, answer.body.message.includes(message), answer.body.message]).toEqual([
        message,
        422,
        true,
        answer.body.message,
      ]);
    }
    expect(await exported()).toEqual(before);
  });
});

describe('scripts of an export', () => {
  it('run before with the old types and after with the new ones; one that fails is a warning', async () => {
    await imported(schemaWith('Before', {}));
    const answer = await imported({
      ...schemaWith('After', { word: { type: 'string' } }),
      'pre-deploy.conf': "{ $.create('Before', { name: 'old' }) }",
      'post-deploy.conf': "{ $.create('After', { name: 'new', word: $.version ?? 'w' }) }",
    });
    expect(answer.body).toMatchObject({ result: [] });
    expect((await admin.get('/After')).body.result_count).toBe(1);
    expect(
      (await imported({ ...schemaWith('After', {}), 'post-deploy.conf': '{ throw new Error("late") }' })).body,
    ).toMatchObject({ result: [] });
    await server.untilLogged(/post-deploy.conf has failed: .*late/);
  });
});

describe('an import that is ended', () => {
  it('has changed nothing, and the next one is begun', async () => {
    const before = await exported();
    const answer = await imported(
      { ...schemaWith('Ended', {}), 'pre-deploy.conf': 'sleep(60000)' },
      { background: true },
    );
    const job = answer.body.result[0].jobId as number;
    await untilJob(admin, job, ({ phase }) => phase === 'pre-deploy.conf');
    expect((await imported(schemaWith('Other', {}))).body.message).toContain('Another deployment has not ended');
    expect((await admin.post(`/jobs/${String(job)}/abort`)).status).toBe(200);
    expect((await endedJob(admin, job)).status).toBe('ABORTED');
    expect(await exported()).toEqual(before);
    expect((await imported(before)).body).toMatchObject({ result: [] });
  });
});

describe('/svc/deploy', () => {
  const post = (parts: Parameters<typeof multipart>[0], client = admin): Promise<Answer> =>
    client.send('POST', '/svc/deploy', multipart(parts), {
      'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
    });
  async function archive(files: Readonly<Record<string, unknown>>): Promise<Buffer> {
    const at = newFolder();
    await writeTree(at, files);
    return zipOf(
      Object.entries(await treeOf(at)).map(([path, text]) => ({
        name: `top/${path}`,
        content: Buffer.from(text, 'latin1'),
      })),
    );
  }

  it('sends an export as an archive with one folder', async () => {
    await imported({ 'localizations.json': [{ id: id('3'), name: 'n', localizedName: 'l', locale: 'de' }] });
    const answer = await fetch(`${server.url}/svc/deploy?name=shop&mode=app`, {
      headers: { 'X-User': 'admin', 'X-Password': 'admin' },
    });
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
      200,
      'application/zip',
      'attachment; filename="shop.zip"',
    ]);
    const tree = Object.fromEntries(
      (await unzipped(Buffer.from(await answer.arrayBuffer())))
        .filter(({ name }) => !name.endsWith('/'))
        .map(({ name, bytes }) => [name, bytes.toString('latin1')]),
    );
    expect(tree['shop/localizations.json']).toContain(id('3'));
    expect(Object.fromEntries(Object.entries(tree).map(([at, text]) => [at.slice('shop/'.length), text]))).toEqual(
      await exported(),
    );
  });

  it('imports an archive, also a part of it, and from an address', async () => {
    const zip = await archive({
      'localizations.json': [{ id: id('4'), name: 'zip', locale: 'de' }],
      'inner/widgets.json': [{ id: id('5'), name: 'w' }],
    });
    expect(await post([...fields({ mode: 'app' }), file('a.zip', zip)])).toMatchObject({ status: 200, text: '' });
    expect((await admin.get('/Localization')).body.result).toMatchObject([{ id: id('4') }]);
    const moved = await post([
      ...fields({ mode: 'app', zipContentPath: 'top/inner', redirectUrl: '/here' }),
      file('a.zip', zip),
    ]);
    expect([moved.status, moved.headers['location']]).toEqual([302, '/here']);
    expect((await admin.get('/Widget')).body.result).toMatchObject([{ id: id('5') }]);
    await admin.delete('/Widget');
    const site: Server = createServer((_request, response) => response.end(zip));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const downloadUrl = `http://127.0.0.1:${String((site.address() as AddressInfo).port)}/a.zip`;
    expect(await post(fields({ mode: 'app', downloadUrl, zipContentPath: 'top/inner' }))).toMatchObject({
      status: 200,
    });
    expect((await admin.get('/Widget')).body.result_count).toBe(1);
    site.close();
    expect(await post(fields({ mode: 'app', downloadUrl }))).toMatchObject({ status: 400 });
  });

  it('refuses everybody but administrators, and what makes no sense', async () => {
    await admin.create('User', { name: 'eve', password: 'correct horse' });
    const get = (query: string, client = admin): Promise<Answer> => client.get(`/svc/deploy?${query}`);
    expect((await get('mode=test')).status).toBe(200);
    for (const client of [server.as(), server.as('eve', 'correct horse'), server.as('admin', 'wrong')]) {
      expect(await get('name=x', client)).toMatchObject({
        status: 401,
        text: expect.stringMatching(/^ERROR \(401\): /) as string,
      });
      expect((await post(fields({ mode: 'app' }), client)).status).toBe(401);
    }
    expect(await get('')).toMatchObject({ status: 400, text: 'ERROR (400): Empty name parameter.\n' });
    expect(await get('name=x&mode=y')).toMatchObject({ status: 400, text: 'ERROR (400): Unknown mode.\n' });
    expect((await get('name=..%2Fx')).status).toBe(403);
    expect((await admin.post('/svc/deploy', {})).status).toBe(400);
    const zip = await archive({ 'readme.txt': 'x' });
    const two = Buffer.concat([zip.subarray(0, 40)]);
    for (const [said, body, status] of [
      [{ mode: 'app' }, Buffer.alloc(0), 400],
      [{ mode: 'other' }, zip, 400],
      [{}, zip, 400],
      [{ mode: 'app' }, Buffer.from('no archive'), 400],
      [{ mode: 'app' }, two, 400],
      [{ mode: 'app', zipContentPath: '../..' }, zip, 400],
      [{ mode: 'app', zipContentPath: '/etc' }, zip, 400],
      [{ mode: 'app', zipContentPath: 'top/none' }, zip, 400],
      [{ mode: 'app' }, zip, 422],
    ] as const) {
      expect([said, (await post([...fields(said), file('a.zip', body)])).status]).toEqual([said, status]);
    }
  });
});
