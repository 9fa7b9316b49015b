import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { BOUNDARY, file, multipart, served } from '../support/files.js';
import { fileWith } from '../support/jobs.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** Content that is evaluated with the rights of whoever reads it is written by administrators, by whatever door (docs/interface/files.md 5.8). */
describe('the content of a template', () => {
  let server: TestServer;
  let admin: Client;
  let anna: Client;
  let annaId: string;
  const EVIL = "${doPrivileged(delete(find('User')))}";
  const ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

  const base64Data = Buffer.from(EVIL).toString('base64');
  const scripts = {
    put: '{ $.setContent($.find("File", $.methodParameters.id), $.methodParameters.text); }',
    add: '{ $.appendContent($.find("File", $.methodParameters.id), $.methodParameters.text); }',
    copy: '{ $.copyFileContents($.find("File", $.methodParameters.from), $.find("File", $.methodParameters.id)); }',
    mark: '{ $.set($.find("File", $.methodParameters.id), "isTemplate", true); }',
  };

  beforeAll(async () => {
    server = await TestServer.start();
    ({ admin } = server);
    annaId = await admin.create('User', { name: 'anna', password: 'annas-password' });
    anna = server.as('anna', 'annas-password');
    for (const signature of ['File', 'File/_id', 'Folder', 'Folder/_id']) await allow(admin, signature, 'user', ALL);
    for (const method of ['setContent', 'appendContent', 'copyFileContents'])
      await allow(admin, `File/_id/${method}`, 'user', ['POST']);
    for (const [name, source] of Object.entries(scripts)) {
      await admin.create('SchemaMethod', { name, source });
      await allow(admin, name, 'user', ['POST']);
    }
  });
  afterAll(() => server.stop());

  const writable = { allowed: ['read', 'write', 'delete', 'accessControl'] };
  const template = (isTemplate = true): Promise<string> =>
    fileWith(admin, 'page.txt', 'Hello ${me.name}', { isTemplate, grantees: [{ id: annaId, ...writable }] });
  const own = (): Promise<string> => fileWith(anna, 'own.txt', EVIL);

  const DOORS: readonly (readonly [string, (id: string) => Promise<{ readonly status: number }>])[] = [
    [
      'an upload',
      (id) =>
        anna.send('PUT', `/svc/upload/${id}`, multipart([file('x', EVIL)]), {
          'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
        }),
    ],
    ['base64Data', (id) => anna.put(`/File/${id}`, { base64Data })],
    ['base64Data in bulk', (id) => anna.patch('/File', [{ id, base64Data }])],
    ['base64Data of a nested object', (id) => anna.post('/Folder', { name: 'f', files: [{ id, base64Data }] })],
    ['the method setContent', (id) => anna.post(`/File/${id}/setContent`, { content: EVIL })],
    ['the method appendContent', (id) => anna.post(`/File/${id}/appendContent`, { content: EVIL })],
    ['the method copyFileContents', async (id) => anna.post(`/File/${await own()}/copyFileContents`, { target: id })],
    ['setContent', (id) => anna.post('/put', { id, text: EVIL })],
    ['appendContent', (id) => anna.post('/add', { id, text: EVIL })],
    ['copyFileContents', async (id) => anna.post('/copy', { id, from: await own() })],
  ];

  it.each(DOORS)('is not written by %s of a user, whatever he was granted', async (_, send) => {
    const id = await template();
    const before = (await admin.get(`/File/${id}/all`)).body.result as unknown;
    const { status } = await send(id);
    expect([403, 422]).toContain(status);
    expect((await admin.get(`/File/${id}/all`)).body.result).toEqual(before);
    expect((await served(admin, `/${id}`)).bytes.toString()).toBe('Hello admin');
    // The same on a file that is none is permitted.
    const plain = await template(false);
    expect((await send(plain)).status).toBeLessThan(300);
  });

  it('is that of an administrator, and no user makes a file one', async () => {
    for (const answer of [
      await anna.put(`/File/${await own()}`, { isTemplate: true }),
      await anna.post('/File', { name: 'x', isTemplate: true, base64Data }),
      await anna.post('/mark', { id: await own() }),
    ])
      expect([answer.status, answer.body.errors[0].token]).toEqual([422, 'is_read_only_property']);
  });
});
