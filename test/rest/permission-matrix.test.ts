import { format } from 'prettier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { allow, type Method } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/**
 * Who may do what with an object, every cell asked of the running server. The table is the documentation of the rules:
 * test/rest/permission-matrix.md. All endpoints are permitted to everybody, so that only the object decides.
 */
const ACTORS = [
  'anonymous',
  'user',
  'reader',
  'grantee',
  'group member',
  'nested group member',
  'schema-granted',
  'propagated',
  'owner',
  'member of the owning group',
  'member of an admin group',
  'admin',
] as const;
type Actor = (typeof ACTORS)[number];

const FLAGS = {
  'no flag': {},
  visibleToPublicUsers: { visibleToPublicUsers: true },
  visibleToAuthenticatedUsers: { visibleToAuthenticatedUsers: true },
} as const;
type Flag = keyof typeof FLAGS;

const ALL = ['read', 'write', 'delete'];
const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const SIGNATURES = ['Thing', 'Thing/_id', 'Thing/_id/touch', 'Thing/_id/friends', 'Box/_id', 'Box/_id/things', '_id'];

describe('permission matrix', () => {
  let server: TestServer;
  let clients: Record<Actor, Client>;
  let ids: Record<Actor, string>;
  const groups: Record<string, string> = {};
  /** A thing that everybody sees. */
  let other: string;

  beforeAll(async () => {
    server = await TestServer.start();
    const { admin } = server;
    const thing = await admin.defineType('Thing', [{ name: 'title', propertyType: 'String', indexed: true }], {
      schemaMethods: [{ name: 'touch', source: 'this', httpVerb: 'POST' }],
    });
    const box = await admin.defineType('Box');
    await admin.relate(box, 'HOLDS', thing, {
      sourceMultiplicity: '*',
      sourceJsonName: 'boxes',
      targetJsonName: 'things',
      permissionPropagation: 'Out',
      readPropagation: 'Add',
      writePropagation: 'Add',
      deletePropagation: 'Add',
    });
    await admin.relate(thing, 'KNOWS', thing, {
      sourceMultiplicity: '*',
      sourceJsonName: 'friendOf',
      targetJsonName: 'friends',
    });
    const view = (await admin.get('/SchemaView/ui?name=public')).body.result as {
      id: string;
      schemaNode: { id: string };
    }[];
    const ofBox = view.find((one) => one.schemaNode.id === box)?.id ?? '';
    await admin.patch(`/SchemaView/${ofBox}`, { nonGraphProperties: 'things' });
    for (const signature of SIGNATURES) {
      await allow(admin, signature, 'user', METHODS);
      await allow(admin, signature, 'anonymous', METHODS);
    }

    ids = {} as Record<Actor, string>;
    clients = {} as Record<Actor, Client>;
    for (const actor of ACTORS) {
      if (actor === 'anonymous') clients[actor] = server.as();
      else if (actor === 'admin') clients[actor] = admin;
      else {
        ids[actor] = await admin.create('User', { name: actor, password: 'a-password' });
        clients[actor] = server.as(actor, 'a-password');
      }
    }
    const group = async (name: string, members: readonly string[], more = {}): Promise<string> =>
      (groups[name] = await admin.create('Group', { name, members, ...more }));
    await group('team', [ids['group member']]);
    await group('division', [await group('squad', [ids['nested group member']])]);
    await group('owners', [ids['member of the owning group']]);
    await group('admins', [ids['member of an admin group']], { isAdmin: true });
    await admin.create('SchemaGrant', {
      principal: ids['schema-granted'],
      schemaNode: thing,
      allowRead: true,
      allowWrite: true,
      allowDelete: true,
    });
    other = await admin.create('Thing', { title: 'other', visibleToPublicUsers: true });
  });
  afterAll(() => server.stop());

  /** A thing with a flag, in a box that everybody sees, with whatever `actor` needs to be what he is. */
  async function make(actor: Actor, flag: Flag, title: string): Promise<{ thing: string; box: string }> {
    const { admin } = server;
    const owner = { owner: ids.owner, 'member of the owning group': groups['owners'] } as Partial<
      Record<Actor, string>
    >;
    const grantee = {
      reader: ids.reader,
      grantee: ids.grantee,
      'group member': groups['team'],
      'nested group member': groups['division'],
    } as Partial<Record<Actor, string>>;
    const allowed = actor === 'reader' ? ['read'] : ALL;
    const grantees = (id: string | undefined) => (id === undefined ? [] : [{ id, allowed }]);
    const thing = await admin.create('Thing', { title, ...FLAGS[flag] });
    await must(admin.put(`/Thing/${thing}`, { owner: owner[actor] ?? null, grantees: grantees(grantee[actor]) }));
    const box = await admin.create('Box', { visibleToPublicUsers: true, things: [thing] });
    const propagated = grantees(actor === 'propagated' ? ids.propagated : undefined);
    await must(admin.put(`/Box/${box}`, { owner: null, grantees: propagated }));
    return { thing, box };
  }

  async function must(answer: Promise<Answer>): Promise<Answer> {
    const got = await answer;
    if (got.status >= 300) throw new Error(`${String(got.status)}: ${got.text}`);
    return got;
  }

  let count = 0;
  /** What `actor` gets for each operation: statuses, or whether the object is among what is shown. */
  async function row(actor: Actor, flag: Flag): Promise<Record<string, string>> {
    const client = clients[actor];
    const title = `thing ${String(count++)}`;
    const { thing, box } = await make(actor, flag, title);
    const status = async (answer: Promise<Answer>): Promise<string> => String((await answer).status);
    const shows = (list: unknown): string =>
      Array.isArray(list) && list.some((one: { id: string }) => one.id === thing) ? 'yes' : 'no';
    const query = `/Thing?title=${encodeURIComponent(title)}`;
    const list = await must(client.get(query));
    const sorted = await must(client.get(`${query}&_sort=title&_pageSize=1`));
    const cells: Record<string, string> = {
      'GET one': await status(client.get(`/Thing/${thing}`)),
      'GET list': shows(list.body.result),
      'GET sorted page': shows(sorted.body.result),
      count: String(list.body.result_count),
      'count of a page': String(sorted.body.result_count),
      'GET nested': shows((await must(client.get(`/Box/${box}`))).body.result.things),
      'GET subcollection': shows((await must(client.get(`/Box/${box}/things`))).body.result),
      POST: await status(client.post('/Thing', { title: 'new' })),
      PATCH: await status(client.patch(`/Thing/${thing}`, { title })),
    };
    cells['link from it'] = await status(client.put(`/Thing/${thing}`, { friends: [other] }));
    if (actor === 'anonymous') cells['link to it'] = '-';
    else {
      const own = (await must(client.post('/Thing', { title: 'own' }))).body.result[0] as string;
      cells['link to it'] = await status(client.put(`/Thing/${own}`, { friends: [thing] }));
    }
    cells['method'] = await status(client.post(`/Thing/${thing}/touch`, {}));
    cells['DELETE'] = await status(client.delete(`/Thing/${thing}`));
    cells['is gone'] = (await server.admin.get(`/Thing/${thing}`)).status === 404 ? 'yes' : 'no';
    return cells;
  }

  it('is as documented', async () => {
    const lines: string[] = [];
    for (const flag of Object.keys(FLAGS) as Flag[]) {
      // Some side by side: what one does must not change what another sees.
      const rows: Record<string, string>[] = [];
      for (let at = 0; at < ACTORS.length; at += 4)
        rows.push(...(await Promise.all(ACTORS.slice(at, at + 4).map((actor) => row(actor, flag)))));
      for (const [i, cells] of rows.entries()) {
        const columns = ['flag', 'who', ...Object.keys(cells)];
        if (lines.length === 0) lines.push(line(columns), line(columns.map(() => '---')));
        lines.push(line([flag, ACTORS[i] ?? '', ...Object.values(cells)]));
      }
    }
    await expect(await format(lines.join('\n'), { parser: 'markdown' })).toMatchFileSnapshot('permission-matrix.md');
  }, 240_000);

  it('without a permission for the endpoint every cell is 401, for all but administrators', async () => {
    const permissions = (await server.admin.get('/ResourceAccess?_pageSize=100')).body.result as { id: string }[];
    for (const { id } of permissions) await must(server.admin.delete(`/ResourceAccess/${id}`));
    const { thing, box } = await make('owner', 'visibleToPublicUsers', 'refused');
    for (const actor of ACTORS) {
      const client = clients[actor];
      const answers = [
        await client.get(`/Thing/${thing}`),
        await client.get('/Thing'),
        await client.get(`/Box/${box}`),
        await client.get(`/Box/${box}/things`),
        await client.get(`/${thing}`),
        await client.post('/Thing', {}),
        await client.patch(`/Thing/${thing}`, {}),
        await client.put(`/Thing/${thing}`, {}),
        await client.post(`/Thing/${thing}/touch`, {}),
        await client.delete('/Thing?title=nothing'),
      ];
      const refused = answers.filter((a) => a.status === 401 && a.body.message === 'Access denied');
      expect([actor, refused.length]).toEqual([actor, actor === 'admin' ? 0 : answers.length]);
    }
  });
});

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
