import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentsOnDisk, fields, file, objectOf, sendForm, served, upload, uploaded } from '../support/files.js';
import { TestServer } from '../support/server.js';

/** `POST /svc/upload` (contract, Upload; docs/interface/files.md 3): parts, properties, answers. */
describe('upload', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
    const { admin } = server;
    const document = await admin.create('SchemaNode', {
      name: 'Document',
      inheritedTraits: ['File'],
      schemaProperties: [
        { name: 'pages', propertyType: 'Integer' },
        { name: 'price', propertyType: 'Double' },
        { name: 'final', propertyType: 'Boolean' },
        { name: 'note', propertyType: 'String' },
        { name: 'words', propertyType: 'StringArray' },
      ],
    });
    const project = await admin.create('SchemaNode', { name: 'Project' });
    await admin.relate(project, 'HAS', document, {
      sourceJsonName: 'project',
      targetJsonName: 'documents',
    });
    const tag = await admin.create('SchemaNode', { name: 'Tag' });
    await admin.relate(tag, 'MARKS', document, {
      sourceMultiplicity: '*',
      sourceJsonName: 'tags',
      targetJsonName: 'documents',
    });
  });
  afterAll(() => server.stop());

  it('answers with the bare uuid of the file, which is in the folder for uploads and owned by who sent it', async () => {
    const answer = await upload(server.admin, [file('report.txt', 'hello')]);
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/^[0-9a-f]{32}$/);
    expect(answer.headers['content-type']).toBe('text/html;charset=utf-8');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    const found = await objectOf(server.admin, answer.text);
    expect(found).toMatchObject({
      type: 'File',
      name: 'report.txt',
      path: '/._svc_uploads/report.txt',
      contentType: 'text/plain',
      size: 5,
      version: 1,
      hasParent: true,
      isFile: true,
      isTemplate: false,
      visibleToPublicUsers: false,
      visibleToAuthenticatedUsers: false,
    });
    expect(found['owner']).toMatchObject({ name: 'admin' });
    expect((await served(server.admin, `/${answer.text}`)).bytes.toString()).toBe('hello');
    expect((await served(server.admin, '/._svc_uploads/report.txt')).bytes.toString()).toBe('hello');
  });

  it('parts may come in any order: fields after the file count', async () => {
    const answer = await upload(server.admin, [
      ...fields({ note: 'before', type: 'Nothing' }),
      file('order.bin', Buffer.alloc(300_000, 1)),
      ...fields({ type: 'Document', note: 'after', name: 'renamed.bin', visibleToPublicUsers: 'true' }),
    ]);
    const found = await objectOf(server.admin, answer.text, 'Document');
    expect(found).toMatchObject({ name: 'renamed.bin', note: 'after', visibleToPublicUsers: true, size: 300_000 });
  });

  it('sets properties from text and JSON alike', async () => {
    const values = { pages: '12', price: '1.5', final: 'true', note: 'two  words, {not: json', words: '["a","b"]' };
    const answer = await upload(server.admin, [file('typed.txt'), ...fields({ type: 'Document', ...values })]);
    const found = await objectOf(server.admin, answer.text, 'Document');
    expect(found).toMatchObject({ ...values, pages: 12, price: 1.5, final: true, words: ['a', 'b'] });
    const more = { note: '"quoted"', pages: 'null', cacheForSeconds: '60', dontCache: 'true', position: '3' };
    const second = await upload(server.admin, [file('more.txt'), ...fields({ type: 'Document', ...more })]);
    expect(await objectOf(server.admin, second.text, 'Document')).toMatchObject({
      note: 'quoted',
      pages: null,
      cacheForSeconds: 60,
      dontCache: true,
      position: 3,
    });
    const numbers = await upload(server.admin, [file('numbers.txt'), ...fields({ type: 'Document', note: '12' })]);
    expect((await objectOf(server.admin, numbers.text, 'Document'))['note']).toBe('12');
  });

  it('links to objects by uuid in every notation', async () => {
    const project = await server.admin.create('Project', { name: 'P' });
    const [a, b] = [await server.admin.create('Tag', { name: 'a' }), await server.admin.create('Tag', { name: 'b' })];
    const one = async (name: string, values: Record<string, string>): Promise<Record<string, unknown>> => {
      const answer = await upload(server.admin, [file(name), ...fields({ type: 'Document', ...values })]);
      expect(answer.text).toMatch(/^[0-9a-f]{32}$/);
      return objectOf(server.admin, answer.text, 'Document');
    };
    for (const [i, text] of [project, `"${project}"`, `{"id":"${project}"}`, `{id: ${project}}`].entries()) {
      expect((await one(`to-one-${String(i)}`, { project: text }))['project'], text).toMatchObject({ id: project });
    }
    for (const [i, text] of [`["${a}","${b}"]`, `[{"id":"${a}"},{"id":"${b}"}]`, `[${a}, {id: ${b}}]`].entries()) {
      const tags = (await one(`to-many-${String(i)}`, { tags: text }))['tags'] as { id: string }[];
      expect(tags.map(({ id }) => id).sort(), text).toEqual([a, b].sort());
    }
    expect(await one('single', { tags: a })).toMatchObject({ tags: [{ id: a }] });
  });

  it('refuses properties and links that make no sense with 422, in the contract’s error body, and leaves nothing', async () => {
    const before = await contentsOnDisk(server);
    const id = '0'.repeat(31) + '1';
    for (const values of [
      { project: id },
      { pages: 'many' },
      { tags: '{"id":"x"}' },
      { isFile: 'false' },
      { owner: id },
    ]) {
      const answer = await upload(server.admin, [file('refused.txt'), ...fields({ type: 'Document', ...values })]);
      expect(answer.status, JSON.stringify(values)).toBe(422);
      expect(answer.headers['content-type']).toBe('application/json;charset=utf-8');
      expect(answer.body).toMatchObject({
        code: 422,
        message: expect.any(String) as string,
        errors: expect.any(Array) as [],
      });
    }
    expect(await contentsOnDisk(server)).toEqual(before);
  });

  it('what only the service knows cannot be claimed', async () => {
    const values = { md5: 'claimed', checksum: '1', size: '99', version: '7', hasParent: 'false', crc32: '5' };
    const id = await uploaded(server.admin, file('claims.txt', 'abc'), values);
    expect(await objectOf(server.admin, id)).toMatchObject({
      md5: null,
      crc32: null,
      size: 3,
      version: 1,
      hasParent: true,
    });
    for (const name of ['contentKey', 'sandboxed', 'place']) {
      expect((await upload(server.admin, [file('x'), ...fields({ [name]: '1' })])).status).toBe(422);
    }
  });

  it('several files become several objects; the answer is the last one’s uuid, and the fields hold for all', async () => {
    const parts = Array.from({ length: 20 }, (_, i) => file(`many-${String(i)}.txt`, 'x'.repeat((20 - i) * 1000)));
    const answer = await upload(server.admin, [...parts, ...fields({ note: 'all', type: 'Document' })]);
    expect((await objectOf(server.admin, answer.text))['name']).toBe('many-19.txt');
    const found = (await server.admin.get('/Document/all?note=all&_sort=size')).body.result as Record<
      string,
      unknown
    >[];
    expect(found.map(({ name, size }) => [name, size])).toEqual(
      parts.map(({ filename, content }) => [filename, content.length]).reverse(),
    );
  });

  it('takes the type from the part, else from the path, else from the content', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
    const typeOf = async (...args: Parameters<typeof upload>): Promise<unknown> => {
      const { status, text } = await upload(...args);
      expect(status, text).toBe(200);
      return (await objectOf(server.admin, text))['type'];
    };
    const { admin } = server;
    expect(await typeOf(admin, [file('a.txt')], { path: '/svc/upload/Document' })).toBe('Document');
    expect(await typeOf(admin, [file('b.txt'), ...fields({ type: 'File' })], { path: '/svc/upload/Document' })).toBe(
      'File',
    );
    expect(await typeOf(admin, [file('c.txt')], { path: '/svc/upload/Nothing' })).toBe('File');
    expect(await typeOf(admin, [file('d.txt'), ...fields({ type: 'User' })])).toBe('File');
    expect(await typeOf(admin, [file('d2.txt'), ...fields({ type: 'Folder' })])).toBe('File');
    expect(await typeOf(admin, [file('e.png', png, 'image/png')])).toBe('Image');
    expect(await typeOf(admin, [file('f', png)])).toBe('Image');
    expect(
      await typeOf(admin, [
        file('g.mp4', Buffer.from('0000001c6674797069736f6d0000020069736f6d69736f326d703431', 'hex')),
      ]),
    ).toBe('VideoFile');
    // Each file of a request has its own type.
    const both = await upload(admin, [file('h.png', png), file('i.txt')]);
    expect((await objectOf(admin, both.text))['type']).toBe('File');
    expect(await typeOf(admin, [file('j.png', png), ...fields({ type: 'Document' })])).toBe('Document');
    expect((await upload(admin, [file('k')], { path: '/svc/upload/%zz' })).status).toBe(400);
  });

  it('keeps names as they are, and refuses what cannot be one', async () => {
    const { admin } = server;
    const names = [
      'ä ö ü 文件 🎈.txt',
      'e\u0301.txt',
      '\u00e9.txt',
      "it's (1) [2] {3} & 100%.txt",
      '...',
      ' lead',
      'CON',
      'a:b*c?.txt',
    ];
    for (const name of names) {
      expect((await objectOf(admin, await uploaded(admin, file(name))))['name'], name).toBe(name);
      expect((await served(admin, `/._svc_uploads/${encodeURIComponent(name)}`)).status, name).toBe(200);
    }
    // Within the head of a part that character is no part of a name, but a broken body.
    expect((await upload(admin, [file('a\0b')])).status).toBe(400);
    expect((await upload(admin, [file('fine'), ...fields({ name: 'a\0b' })])).status).toBe(422);
    for (const name of ['a/b.txt', '..\\..\\x', 'C:\\dir\\x.txt', '../../etc/passwd', '.', '..', '']) {
      const answer = await upload(admin, [
        { name: 'file', filename: name, content: 'x', type: 'application/octet-stream' },
      ]);
      expect(answer.status, JSON.stringify(name)).toBe(422);
      expect(answer.body.errors[0]).toMatchObject({ property: 'name' });
      expect(
        (await upload(admin, [file('fine'), ...fields({ name: name.replaceAll('\\', '/') || '..' })])).status,
      ).toBe(422);
    }
  });

  it('answers 302 where it is asked to, never to another host', async () => {
    const to = async (values: Record<string, string>): Promise<unknown> => {
      const answer = await upload(server.admin, [file('r'), ...fields(values)]);
      expect([answer.status, answer.text]).toEqual([302, '']);
      return answer.headers['location'];
    };
    expect(await to({ redirectOnSuccess: '/done' })).toBe('/done');
    expect(await to({ redirectOnSuccess: 'done?a=1' })).toBe('/done?a=1');
    expect(await to({ redirectOnSuccess: '/done', appendUuidOnRedirect: 'TRUE' })).toMatch(/^\/done\/[0-9a-f]{32}$/);
    expect(await to({ redirectOnSuccess: '/done/', appendUuidOnRedirect: 'true' })).toMatch(/^\/done\/[0-9a-f]{32}$/);
    expect(await to({ redirectOnSuccess: '/done', appendUuidOnRedirect: 'no' })).toBe('/done');
    for (const evil of [
      'https://evil.example/x',
      '//evil.example/x',
      '/\\evil.example/x',
      'javascript:alert(1)',
      '/\t/evil.example',
    ]) {
      expect(new URL(String(await to({ redirectOnSuccess: evil })), server.url).origin, evil).toBe(server.url);
    }
    expect(await to({ redirectOnSuccess: '/a\r\nSet-Cookie: x=1' })).not.toMatch(/[\r\n]/);
    // A failure is no success.
    expect((await upload(server.admin, [file('..'), ...fields({ redirectOnSuccess: '/done' })])).status).toBe(422);
  });

  it('says what is wrong with a request that is no upload', async () => {
    const { admin } = server;
    expect((await sendForm(admin, Buffer.from('{}'), 'application/json')).status).toBe(400);
    expect((await sendForm(admin, Buffer.from('a=1'), 'application/x-www-form-urlencoded')).status).toBe(400);
    expect((await sendForm(admin, Buffer.from('x'), 'multipart/form-data')).status).toBe(400);
    expect((await upload(admin, [])).body).toMatchObject({ code: 400, errors: [] });
    expect((await upload(admin, fields({ name: 'x' }))).status).toBe(400);
    // The part of a form in which nobody chose a file.
    const nothing = { name: 'file', filename: '', content: '', type: 'application/octet-stream' };
    expect((await upload(admin, [nothing])).status).toBe(400);
    expect((await upload(admin, [nothing, file('one.txt')])).status).toBe(200);
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const answer = await admin.send(method, '/svc/upload');
      expect([answer.status, answer.headers['allow']]).toEqual([405, 'OPTIONS,POST,PUT']);
    }
    expect((await admin.send('OPTIONS', '/svc/upload')).status).toBe(200);
    expect((await upload(server.as('admin', 'wrong'), [file('x')])).status).toBe(401);
    expect((await upload(admin, [file('x')], { headers: { 'Content-Encoding': 'gzip' } })).status).toBe(415);
  });

  it('a file without bytes is one, too', async () => {
    const id = await uploaded(server.admin, file('empty.txt', ''));
    expect(await objectOf(server.admin, id)).toMatchObject({ size: 0, version: 1, contentType: 'text/plain' });
    expect((await served(server.admin, `/${id}`)).bytes.length).toBe(0);
  });
});
