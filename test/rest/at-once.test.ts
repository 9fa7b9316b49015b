/**
 * Objects and pages that are answered at once, of texts that are kept: what changes shows with the next request, and what is answered at once is
 * what is answered otherwise.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, type Answer } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const PASSWORD = 'a-password';
const PAGE = '/Thing?_sort=rank&_pageSize=3&_page=1';
/** Nobody asks for this slice, but who names one is answered in the usual way. */
const USUAL = { Range: 'nothing=0-1' };
let server: TestServer;
let admin: Client;
let anonymous: Client;
let user: Client;
let userId: string;
let type: string;
let count = 0;

async function make(values: Record<string, unknown> = {}): Promise<string> {
  return admin.create('Thing', {
    name: `thing ${String(++count)}`,
    rank: count,
    visibleToPublicUsers: true,
    ...values,
  });
}

/** As often as it takes until what is asked for is kept. */
async function often(client: Client, path: string): Promise<Answer> {
  let last = await client.get(path);
  for (let i = 0; i < 3; i++) last = await client.get(path);
  return last;
}

/** Without what differs from request to request. */
function timeless({ status, text, headers }: Answer): unknown {
  const { date: _, 'content-length': __, ...others } = headers;
  return { status, text: text.replace(/"(\w+_time)": "[\d.]+"/g, '"$1": ""'), others };
}

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  anonymous = new Client(server.url);
  userId = await admin.create('User', { name: 'reader', password: PASSWORD });
  user = new Client(server.url, 'reader', PASSWORD);
  type = await admin.create('SchemaNode', {
    name: 'Thing',
    schemaProperties: [
      { name: 'rank', propertyType: 'Long', indexed: true },
      { name: 'note', propertyType: 'String' },
      { name: 'cipher', propertyType: 'Encrypted' },
    ],
    schemaViews: [{ name: 'public', nonGraphProperties: 'name, rank, note' }],
  });
  for (const who of ['user', 'anonymous'] as const)
    for (const signature of ['Thing', 'Thing/_id']) await allow(admin, signature, who, ['GET']);
});

afterAll(() => server.stop());

describe('what is answered at once', () => {
  it('is what is answered otherwise, for everybody', async () => {
    const ids = [await make(), await make({ note: 'Grüße, "😀"\n' }), await make({ note: null }), await make()];
    const paths = [...ids.map((id) => `/Thing/${id}`), `/${ids[0] ?? ''}`, PAGE, `${PAGE}&_order=desc`];
    await allow(admin, '_id', 'user', ['GET']);
    for (const client of [admin, user, anonymous]) {
      for (const path of [...paths, '/Thing?_pageSize=2&_page=50', '/Thing?_pageSize=1000', '/Thing?_pageSize=0']) {
        const own = client === user ? { ...client.credentials } : {};
        if (client === user && !path.startsWith('/Thing/')) continue;
        const usual = await client.send('GET', path, undefined, { ...own, ...USUAL });
        expect(timeless(await often(client, path)), path).toEqual(timeless(usual));
      }
    }
  });

  it('is refused and missed as otherwise', async () => {
    const id = await make({ visibleToPublicUsers: false });
    for (const path of [
      `/Thing/${id}`,
      '/Thing/0123456789abcdef0123456789abcdef',
      `/User/${id}`,
      '/Thing?_sort=rank&_page=%',
    ]) {
      const usual = await anonymous.send('GET', path, undefined, USUAL);
      expect(usual.status).toBeGreaterThanOrEqual(400);
      expect(timeless(await often(anonymous, path)), path).toEqual(timeless(usual));
    }
  });

  it('is a page of HTML, a few properties, or anything else that is asked for', async () => {
    const path = `/Thing/${await make({ note: 'a note' })}`;
    await often(admin, path);
    const html = await admin.send('GET', path, undefined, { Accept: 'text/html' });
    expect(html.headers['content-type']).toContain('text/html');
    const some = await admin.send('GET', path, undefined, { Accept: 'application/json; properties=note' });
    expect(some.body.result).toEqual({ note: 'a note' });
    const bare = await make({ note: null });
    await often(admin, `/Thing/${bare}`);
    const nulls = await admin.get(`/Thing/${bare}?_serializeNulls=false`);
    expect(nulls.body.result).not.toHaveProperty('note');
    expect((await admin.get(`/Thing/${bare}`)).body.result).toHaveProperty('note', null);
    expect((await admin.get(`${PAGE}&name=nobody`)).body.result).toEqual([]);
  });
});

describe('a change shows with the next request', () => {
  it('of an object, and of what is on a page', async () => {
    const id = await make({ rank: -5 });
    const path = `/Thing/${id}`;
    await often(anonymous, path);
    const before = await often(anonymous, PAGE);
    expect(before.body.result[0].id).toBe(id);
    await admin.put(path, { note: 'changed' });
    expect((await anonymous.get(path)).body.result.note).toBe('changed');
    expect((await anonymous.get(PAGE)).body.result[0].note).toBe('changed');
    await often(anonymous, PAGE);
    const first = await make({ rank: -6 });
    const now = await anonymous.get(PAGE);
    expect(now.body.result.map((one: { id: string }) => one.id).slice(0, 2)).toEqual([first, id]);
    expect(now.body.result_count).toBe(before.body.result_count + 1);
    await often(anonymous, PAGE);
    await admin.delete(`/Thing/${first}`);
    expect((await anonymous.get(`/Thing/${first}`)).status).toBe(404);
    expect((await anonymous.get(PAGE)).body.result[0].id).toBe(id);
    expect((await anonymous.get(PAGE)).body.result_count).toBe(before.body.result_count);
  });

  it('of rights: a flag, a grant, a permission', async () => {
    const id = await make({ rank: -10 });
    const path = `/Thing/${id}`;
    await often(anonymous, path);
    await often(anonymous, PAGE);
    await admin.put(path, { visibleToPublicUsers: false });
    expect((await anonymous.get(path)).status).toBe(404);
    expect((await anonymous.get(PAGE)).body.result[0].id).not.toBe(id);
    expect((await user.get(path)).status).toBe(404);
    await often(user, PAGE);
    const grant = await admin.post('/Security', { sourceId: userId, targetId: id, allowed: ['read'] });
    expect((await often(user, path)).body.result.id).toBe(id);
    expect((await often(user, PAGE)).body.result[0].id).toBe(id);
    expect((await anonymous.get(path)).status).toBe(404);
    await admin.delete(`/Security/${String(grant.body.result[0])}`);
    expect((await user.get(path)).status).toBe(404);
    expect((await user.get(PAGE)).body.result[0].id).not.toBe(id);
    const permission = await allow(admin, 'Thing/_Ui', 'anonymous', ['GET']);
    expect((await often(anonymous, '/Thing/ui?_pageSize=1')).status).toBe(200);
    await admin.delete(`/ResourceAccess/${permission}`);
    expect((await anonymous.get('/Thing/ui?_pageSize=1')).status).toBe(401);
  });

  it('of the user: blocked, and an administrator who is none any more', async () => {
    const other = await admin.create('User', { name: 'other', password: PASSWORD, isAdmin: true });
    const own = new Client(server.url, 'other', PASSWORD);
    const path = `/Thing/${await make({ visibleToPublicUsers: false })}`;
    expect((await often(own, path)).status).toBe(200);
    await admin.put(`/User/${other}`, { isAdmin: false });
    expect((await own.get(path)).status).toBe(404);
    expect((await often(own, PAGE)).status).toBe(200);
    await admin.put(`/User/${other}`, { blocked: true });
    expect((await own.get(PAGE)).status).toBe(401);
  });

  it('of the settings, the views and the schema', async () => {
    const id = await make({ rank: -20 });
    const path = `/Thing/${id}`;
    await often(anonymous, path);
    await often(anonymous, PAGE);
    await server.reload({ 'json.indentation': false });
    expect((await anonymous.get(path)).text).toMatch(/^\{"result":\{"id":/);
    expect((await anonymous.get(PAGE)).text).toMatch(/^\{"result":\[\{"id":/);
    await often(anonymous, path);
    await server.reload({ 'json.indentation': true });
    expect((await anonymous.get(path)).text).toMatch(/^\{\n\t"result": \{\n\t\t"id":/);
    const [view] = (await admin.get(`/SchemaView?name=public&schemaNode=${type}`)).body.result as { id: string }[];
    await admin.put(`/SchemaView/${view?.id ?? ''}`, { nonGraphProperties: 'note, name' });
    expect((await anonymous.get(path)).body.result).not.toHaveProperty('rank');
    await often(anonymous, path);
    await often(anonymous, PAGE);
    await admin.create('SchemaProperty', {
      schemaNode: type,
      name: 'added',
      propertyType: 'Integer',
      defaultValue: '7',
    });
    await admin.put(`/SchemaView/${view?.id ?? ''}`, { nonGraphProperties: 'note, added, cipher' });
    expect((await anonymous.get(path)).body.result).toMatchObject({ added: 7, note: null, cipher: null });
    expect((await anonymous.get(PAGE)).body.result[0]).toMatchObject({ added: 7 });
  });
});
