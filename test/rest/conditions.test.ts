/** Writes on the condition that the object is as it was read (docs/interface/rest.md 4.6). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, type Answer } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const GZIP = { 'Accept-Encoding': 'gzip' };
let server: TestServer;
let admin: Client;

const tagOf = (answer: Answer): string => String(answer.headers['etag']);
const onState = (tag: string): Record<string, string> => ({ 'If-Match': tag });

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  const note = await admin.defineType('Note', [
    { name: 'text', propertyType: 'String' },
    { name: 'count', propertyType: 'Integer' },
  ]);
  const label = await admin.defineType('Label');
  await admin.relate(note, 'HAS', label, {
    sourceMultiplicity: '*',
    sourceJsonName: 'notes',
    targetJsonName: 'labels',
    schemaProperties: [{ name: 'weight', propertyType: 'Integer' }],
  });
  // Methods of users run with it, so that it is written beside other transactions.
  await admin.defineType('Watched', [{ name: 'count', propertyType: 'Integer' }], {
    schemaMethods: [{ name: 'onSave', source: "{ if ($.this.count > 1e6) $.error('count', 'too_large'); }" }],
  });
});

afterAll(() => server.stop());

describe('the tag of an object', () => {
  it('is the same at every address, for GET and HEAD, compressed or not, until a value changes', async () => {
    const id = await admin.create('Note', { text: 'x'.repeat(5000) });
    const tag = tagOf(await admin.get(`/Note/${id}`));
    expect(tag).toMatch(/^"[0-9a-z]+"$/);
    for (const path of [`/Note/${id}/ui`, `/NodeInterface/${id}`, `/${id}`, `/Note/${id}?_outputNestingDepth=1`])
      expect(tagOf(await admin.get(path)), path).toBe(tag);
    expect(tagOf(await admin.send('HEAD', `/Note/${id}`))).toBe(tag);
    expect(tagOf(await admin.get(`/Note/${id}`, GZIP))).toBe(`W/${tag}`);
    await admin.put(`/Note/${id}`, { text: 'x'.repeat(5000) });
    expect(tagOf(await admin.get(`/Note/${id}`))).toBe(tag);
    const seen = new Set([tag]);
    for (let i = 0; i < 20; i++) {
      await admin.put(`/Note/${id}`, { count: i });
      seen.add(tagOf(await admin.get(`/Note/${id}`)));
    }
    expect(seen.size).toBe(21);
  });

  it('is not there for lists', async () => {
    expect((await admin.get('/Note')).headers['etag']).toBeUndefined();
  });
});

describe('a write with If-Match', () => {
  it('is done when the object is as it was read, at every door that writes one object', async () => {
    const id = await admin.create('Note', { text: 'a' });
    const label = await admin.create('Label', {});
    const state = async (): Promise<Record<string, string>> => onState(tagOf(await admin.get(`/${id}`, GZIP)));
    expect((await admin.put(`/Note/${id}`, { text: 'b' }, await state())).status).toBe(200);
    expect((await admin.patch(`/Note/${id}`, { text: 'c' }, await state())).status).toBe(200);
    expect((await admin.put(`/${id}`, { text: 'd' }, await state())).status).toBe(200);
    expect((await admin.patch(`/${id}`, { text: 'e' }, await state())).status).toBe(200);
    expect((await admin.put(`/Note/${id}/labels`, { a: label }, await state())).status).toBe(200);
    expect((await admin.put(`/Note/${id}`, { count: 1 }, { 'If-Match': '*' })).status).toBe(200);
    const both = { 'If-Match': `"other", ${tagOf(await admin.get(`/Note/${id}`))}` };
    expect((await admin.put(`/Note/${id}`, { count: 2 }, both)).status).toBe(200);
    expect((await admin.get(`/Note/${id}`)).body.result).toMatchObject({ text: 'e', count: 2 });
    expect((await admin.delete(`/Note/${id}`, await state())).status).toBe(200);
    expect((await admin.get(`/Note/${id}`)).status).toBe(404);
  });

  it('is 412 when it has changed since, and nothing is written', async () => {
    const id = await admin.create('Note', { text: 'first' });
    const old = onState(tagOf(await admin.get(`/Note/${id}`)));
    await admin.put(`/Note/${id}`, { text: 'second' });
    for (const path of [`/Note/${id}`, `/NodeInterface/${id}`, `/${id}`]) {
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        for (const headers of [old, onState('"unknown"'), onState('no tag')]) {
          const body = method === 'DELETE' ? undefined : { text: 'mine' };
          const answer = await admin.send(method, path, body, headers);
          expect(answer.status, `${method} ${path}`).toBe(412);
          expect(answer.headers['content-type']).toBe('application/json;charset=utf-8');
          expect(answer.body).toEqual({
            code: 412,
            message: `The object ${id} has changed since it was read: nothing was written. Read it again.`,
            errors: [],
          });
        }
      }
    }
    expect((await admin.put(`/Note/${id}/labels`, {}, old)).status).toBe(412);
    expect((await admin.get(`/Note/${id}`)).body.result.text).toBe('second');
    // Without the header everything is written, as ever.
    expect((await admin.put(`/Note/${id}`, { text: 'mine' })).status).toBe(200);
    expect((await admin.delete(`/Note/${id}`)).status).toBe(200);
    expect((await admin.put(`/Note/${id}`, { text: 'mine' }, old)).status).toBe(404);
  });

  it('holds for relationships and for /me', async () => {
    const [id, label] = [await admin.create('Note', {}), await admin.create('Label', {})];
    const link = await admin.create('NoteHASLabel', { sourceId: id, targetId: label, weight: 1 });
    const old = onState(tagOf(await admin.get(`/NoteHASLabel/${link}`)));
    expect((await admin.put(`/${link}`, { weight: 2 }, old)).status).toBe(200);
    expect((await admin.put(`/NoteHASLabel/${link}`, { weight: 3 }, old)).status).toBe(412);
    expect((await admin.delete(`/${link}`, old)).status).toBe(412);
    expect((await admin.get(`/NoteHASLabel/${link}/all`)).body.result.weight).toBe(2);

    await admin.create('User', { name: 'somebody', password: 'a-password' });
    await allow(admin, 'User', 'user', ['GET', 'PUT', 'DELETE']);
    const user = new Client(server.url, 'somebody', 'a-password');
    const me = onState(tagOf(await user.get('/me')));
    expect((await user.put('/me', { locale: 'de' }, me)).status).toBe(200);
    expect((await user.put('/me', { locale: 'en' }, me)).status).toBe(412);
    expect((await user.delete('/me', me)).status).toBe(412);
  });

  it.each(['Note', 'Watched'])('lets one of many through at the same time: %s', async (type) => {
    const id = await admin.create(type, { count: 0 });
    for (let round = 1; round <= 10; round++) {
      const state = onState(tagOf(await admin.get(`/${type}/${id}`)));
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) => {
          const path = i % 2 === 0 ? `/${type}/${id}` : `/${id}`;
          const body = { count: round * 100 + i };
          return i % 3 === 0 ? admin.patch(path, body, state) : admin.put(path, body, state);
        }),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 412)).toHaveLength(11);
      const { count } = (await admin.get(`/${type}/${id}`)).body.result;
      expect(count).toBe(round * 100 + statuses.indexOf(200));
    }
    const state = onState(tagOf(await admin.get(`/${type}/${id}`)));
    const [put, gone] = await Promise.all([
      admin.put(`/${type}/${id}`, { count: 1 }, state),
      admin.delete(`/${type}/${id}`, state),
    ]);
    // Whoever comes second finds another state, or nothing.
    expect([
      [200, 412],
      [404, 200],
    ]).toContainEqual([put.status, gone.status]);
  });

  it('loses no addition of those who read, add and write again when they are told', async () => {
    const id = await admin.create('Watched', { count: 0 });
    const add = async (): Promise<void> => {
      for (;;) {
        const seen = await admin.get(`/Watched/${id}`);
        const next = { count: seen.body.result.count + 1 };
        const { status } = await admin.put(`/Watched/${id}`, next, onState(tagOf(seen)));
        if (status === 200) return;
        expect(status).toBe(412);
      }
    };
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let i = 0; i < 5; i++) await add();
      }),
    );
    expect((await admin.get(`/Watched/${id}`)).body.result.count).toBe(30);
  });
});
