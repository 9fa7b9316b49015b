/**
 * The walk over the list of caches: for each, a change of what it rests on, by every door that can make it, is seen by the next
 * request. The list comes from the server, which says in its log what is kept: a cache without a case fails.
 */
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookieOf, Client } from '../support/client.js';
import { endedJob, fileWith } from '../support/jobs.js';
import { allow } from '../support/permissions.js';
import { onNeo4j, TestServer } from '../support/server.js';
import { until, uploaded } from '../support/storage.js';

const PASSWORD = 'a-password';
const GOOD = 'https://good.example';
let server: TestServer;
let admin: Client;
let thing: string;
let roots: string;
let count = 0;

/** Values that text says as well, for cells of a table. */
type Values = Readonly<Record<string, string | number | boolean>>;
type Change =
  | { readonly verb: 'create'; readonly type: string; readonly values: Values }
  | { readonly verb: 'set'; readonly type: string; readonly id: string; readonly values: Values }
  | { readonly verb: 'delete'; readonly type: string; readonly id: string }
  /** `type`: of the relationship in the schema; `relType`: in the database. */
  | {
      readonly verb: 'link';
      readonly type: string;
      readonly relType: string;
      readonly ends: readonly [string, string];
    };

/** Something in a state of its own. */
interface Made {
  /** What a request sees. */
  readonly see: () => Promise<unknown>;
  readonly before: unknown;
  readonly after: unknown;
  readonly change: Change;
}

interface Case {
  readonly caches: readonly string[];
  readonly what: string;
  readonly verb: Change['verb'];
  readonly make: () => Promise<Made>;
}

async function must(sent: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await sent;
  if (status >= 300) throw new Error(`${String(status)}: ${text}`);
}

async function imported(targetType: string, values: Values): Promise<void> {
  const keys = Object.keys(values);
  const rows = `${keys.join(';')}\n${Object.values(values).map(String).join(';')}\n`;
  const file = await fileWith(admin, `rows${String(++count)}.csv`, rows);
  const mappings = Object.fromEntries(keys.map((key) => [key, key]));
  const answer = await admin.post(`/File/${file}/doCSVImport`, { targetType, mappings });
  if (answer.status !== 200) throw new Error(answer.text);
  expect(await endedJob(admin, answer.body.result as number)).toMatchObject({ status: 'FINISHED', objectsCreated: 1 });
}

/** The doors for each kind of change. */
const WAYS = {
  create: ['REST', 'script', 'import'],
  set: ['REST', 'any entity', 'script'],
  delete: ['REST', 'any entity', 'script'],
  link: ['REST', 'script', 'import'],
} as const;
const DOORS: Readonly<Record<(typeof WAYS)[Change['verb']][number], (change: Change) => Promise<void>>> = {
  REST: (change) => {
    switch (change.verb) {
      case 'create':
        return must(admin.post(`/${change.type}`, change.values));
      case 'set':
        return must(admin.put(`/${change.type}/${change.id}`, change.values));
      case 'delete':
        return must(admin.delete(`/${change.type}/${change.id}`));
      case 'link':
        return must(admin.post(`/${change.type}`, { sourceId: change.ends[0], targetId: change.ends[1] }));
    }
  },
  'any entity': (change) => {
    if (change.verb === 'set') return must(admin.put(`/${change.id}`, change.values));
    if (change.verb === 'delete') return must(admin.delete(`/${change.id}`));
    throw new Error(`no way to ${change.verb}`);
  },
  script: (change) => must(admin.post('/change', change)),
  import: (change) => {
    if (change.verb === 'create') return imported(change.type, change.values);
    if (change.verb !== 'link') throw new Error(`no way to ${change.verb}`);
    return imported(change.type, { sourceId: change.ends[0], targetId: change.ends[1] });
  },
};

const SCRIPT = `{
  const { verb, type, id, values, relType, ends } = $.args;
  if (verb === 'create') $.create(type, values);
  if (verb === 'delete') $.delete($.find(type, id));
  if (verb === 'link') $.createRelationship($.find('NodeInterface', ends[0]), $.find('NodeInterface', ends[1]), relType);
  if (verb === 'set') for (const key in values) $.set($.find(type, id), key, values[key]);
}`;

const status = (client: Client, path: string): (() => Promise<number>) => {
  return async () => (await client.get(path)).status;
};
const unique = (what: string): string => `${what}${String(++count)}`;

async function user(properties: Record<string, unknown> = {}): Promise<{ id: string; name: string; client: Client }> {
  const name = unique('user');
  const id = await admin.create('User', { name, password: PASSWORD, ...properties });
  return { id, name, client: server.as(name, PASSWORD) };
}

/** An object that its user sees by one right only. */
const mine = (values: Record<string, unknown> = {}): Promise<string> =>
  admin.create('Thing', { name: unique('thing'), ...values });

/** Things of which there are so many that their texts are packed when a part is asked for, which is not done on Neo4j. */
let areMany = onNeo4j;
async function manyThings(): Promise<void> {
  for (let i = 0; i < 20 && !areMany; i++)
    await admin.post(
      '/svc/rest/Thing',
      Array.from({ length: 1000 }, () => ({ title: 'x' })),
    );
  areMany = true;
}

const CASES: readonly Case[] = [
  {
    caches: ['schema', 'graph.names', 'rest.documents'],
    what: 'a new type',
    verb: 'create',
    make: async () => {
      const name = unique('Type');
      const see = async (): Promise<unknown> => [
        await status(admin, `/${name}`)(),
        (await admin.get('/svc/openapi/schema.json')).text.includes(`"/${name}"`),
      ];
      const change = { verb: 'create', type: 'SchemaNode', values: { name, includeInOpenAPI: true } } as const;
      return { see, before: [404, false], after: [200, true], change };
    },
  },
  {
    caches: ['security.principals', 'graph.keys'],
    what: 'a member of a group that may',
    verb: 'link',
    make: async () => {
      const { id, client } = await user();
      const group = await admin.create('Group', { name: unique('group') });
      const type = unique('Secret');
      await admin.defineType(type);
      await admin.create('ResourceAccess', { signature: type, flags: 1, grantees: [{ id: group, allowed: ['read'] }] });
      const change = { verb: 'link', type: 'GroupCONTAINSPrincipal', relType: 'CONTAINS', ends: [group, id] } as const;
      return { see: status(client, `/${type}`), before: 401, after: 200, change };
    },
  },
  {
    caches: ['security.principals', 'security.credentials'],
    what: 'a user who is blocked, and sends his password',
    verb: 'set',
    make: async () => {
      const { id, client } = await user();
      const change = { verb: 'set', type: 'User', id, values: { blocked: true } } as const;
      return { see: status(client, '/me'), before: 200, after: 401, change };
    },
  },
  {
    caches: ['security.sessions'],
    what: 'a session that is gone',
    verb: 'delete',
    make: async () => {
      const { id, name } = await user();
      const login = await server.as().post('/login', { name, password: PASSWORD });
      const client = new Client(server.url, undefined, undefined, { Cookie: cookieOf(login, 'JSESSIONID') });
      const [session] = (await admin.get(`/SessionDataNode?userId=${id}`)).body.result as { id: string }[];
      const change = { verb: 'delete', type: 'SessionDataNode', id: session?.id ?? '' } as const;
      return { see: status(client, '/me'), before: 200, after: 401, change };
    },
  },
  {
    caches: ['security.tokens'],
    what: 'a token of a user who is blocked',
    verb: 'set',
    make: async () => {
      const { id, name } = await user();
      const pair = (await server.as().post('/token', { name, password: PASSWORD })).body.result;
      const bearer = `Bearer ${String(pair.access_token)}`;
      const client = new Client(server.url, undefined, undefined, { Authorization: bearer });
      const change = { verb: 'set', type: 'User', id, values: { blocked: true } } as const;
      return { see: status(client, '/me'), before: 200, after: 401, change };
    },
  },
  {
    caches: ['security.permissions'],
    what: 'a permission without flags',
    verb: 'set',
    make: async () => {
      const { client } = await user();
      const type = unique('Open');
      await admin.defineType(type);
      const id = await allow(admin, type, 'user', ['GET']);
      const change = { verb: 'set', type: 'ResourceAccess', id, values: { flags: 0 } } as const;
      return { see: status(client, `/${type}`), before: 200, after: 401, change };
    },
  },
  {
    caches: ['security.permissions'],
    what: 'a new permission',
    verb: 'create',
    make: async () => {
      const { client } = await user();
      const type = unique('Closed');
      await admin.defineType(type);
      const values = { signature: type, flags: 1, visibleToAuthenticatedUsers: true };
      return {
        see: status(client, `/${type}`),
        before: 401,
        after: 200,
        change: { verb: 'create', type: 'ResourceAccess', values },
      };
    },
  },
  {
    caches: ['security.grants', 'security.rules'],
    what: 'a right on all objects of a type',
    verb: 'set',
    make: async () => {
      const { id: principal, client } = await user();
      const id = await admin.create('SchemaGrant', { principal, staticSchemaNodeName: 'Thing', allowRead: false });
      const change = { verb: 'set', type: 'SchemaGrant', id, values: { allowRead: true } } as const;
      return { see: status(client, `/Thing/${await mine()}`), before: 404, after: 200, change };
    },
  },
  {
    caches: ['graph.decisions', 'graph.keys'],
    what: 'an owner',
    verb: 'link',
    make: async () => {
      const { id, client } = await user();
      const node = await mine({ owner: null });
      const change = { verb: 'link', type: 'PrincipalOwnsNode', relType: 'OWNS', ends: [id, node] } as const;
      return { see: status(client, `/Thing/${node}`), before: 404, after: 200, change };
    },
  },
  {
    caches: ['security.cors'],
    what: 'an entry for another origin',
    verb: 'create',
    make: async () => {
      const path = `/User/${unique('cors')}`;
      const see = async (): Promise<unknown> =>
        (await server.as().get(path, { Origin: GOOD })).headers['access-control-allow-origin'];
      const values = { requestUri: `/svc/rest${path}`, acceptedOrigins: GOOD };
      return { see, before: undefined, after: GOOD, change: { verb: 'create', type: 'CorsSetting', values } };
    },
  },
  {
    caches: ['pages.directory'],
    what: 'a page where there was none',
    verb: 'create',
    make: () => {
      const name = unique('page');
      const values = { name, visibleToAuthenticatedUsers: true };
      const change = { verb: 'create', type: 'Page', values } as const;
      return Promise.resolve({ see: status(admin, `/svc/html/${name}`), before: 404, after: 200, change });
    },
  },
  {
    caches: ['pages.rendered'],
    what: 'what a page shows that is kept for a time',
    verb: 'set',
    make: async () => {
      const [name, shown] = [unique('page'), { visibleToPublicUsers: true }];
      const id = await mine({ name: 'one', ...shown });
      const page = await admin.create('Page', { name, cacheForSeconds: 600, ...shown });
      const content = `\${find('Thing', '${id}').name}`;
      await admin.create('Template', { content, parent: page, ownerDocument: page, ...shown });
      const see = async (): Promise<unknown> => (await server.as().get(`/svc/html/${name}`)).text;
      const change = { verb: 'set', type: 'Thing', id, values: { name: 'two' } } as const;
      return { see, before: 'one', after: 'two', change };
    },
  },
  {
    caches: ['pages.trees'],
    what: 'a text in a page',
    verb: 'set',
    make: async () => {
      const name = unique('page');
      const page = await admin.create('Page', { name });
      const template = await admin.create('Template', { content: 'one', parent: page, ownerDocument: page });
      const see = async (): Promise<unknown> => (await admin.get(`/svc/html/${name}`)).text;
      const change = { verb: 'set', type: 'Template', id: template, values: { content: 'two' } } as const;
      return { see, before: 'one', after: 'two', change };
    },
  },
  {
    caches: ['pages.trees'],
    what: 'an action of an element',
    verb: 'set',
    make: async () => {
      const name = unique('page');
      const page = await admin.create('Page', { name });
      const template = await admin.create('Template', {
        content: '${render(children)}',
        contentType: 'text/html',
        parent: page,
        ownerDocument: page,
      });
      const button = await admin.create('Button', { tag: 'button', parent: template, ownerDocument: page });
      const mapping = await admin.create('ActionMapping', { event: 'click', method: 'one', triggerElements: [button] });
      const see = async (): Promise<unknown> =>
        /data-svc-method="(.*?)"/.exec((await admin.get(`/svc/html/${name}`)).text)?.[1];
      const change = { verb: 'set', type: 'ActionMapping', id: mapping, values: { method: 'two' } } as const;
      return { see, before: 'one', after: 'two', change };
    },
  },
  {
    caches: ['files.tree'],
    what: 'a file where there was none',
    verb: 'create',
    make: async () => {
      const name = `${unique('file')}.txt`;
      const change = { verb: 'create', type: 'File', values: { name } } as const;
      return { see: status(admin, `/svc/../${name}`), before: 404, after: 200, change };
    },
  },
  {
    caches: ['files.tree'],
    what: 'a file with another name',
    verb: 'set',
    make: async () => {
      const name = `${unique('file')}.txt`;
      const id = await fileWith(admin, name, 'text');
      const change = { verb: 'set', type: 'File', id, values: { name: `new-${name}` } } as const;
      return { see: status(admin, `/svc/../${name}`), before: 200, after: 404, change };
    },
  },
  {
    caches: ['files.tree'],
    what: 'a file in another folder',
    verb: 'link',
    make: async () => {
      const name = `${unique('file')}.txt`;
      const folder = await admin.create('Folder', { name: unique('folder') });
      const id = await fileWith(admin, name, 'text');
      const change = {
        verb: 'link',
        type: 'FolderCONTAINSAbstractFile',
        relType: 'CONTAINS',
        ends: [folder, id],
      } as const;
      return { see: status(admin, `/svc/../${name}`), before: 200, after: 404, change };
    },
  },
  {
    caches: ['files.storages'],
    what: 'another directory of a storage',
    verb: 'set',
    make: async () => {
      const disks = [join(roots, unique('disk')), join(roots, unique('disk'))] as const;
      for (const disk of disks) await mkdir(disk);
      const entries = [{ name: 'mountTarget', value: disks[0] }];
      const provider = 'org.svc.storage.providers.local.LocalFSStorageProvider';
      const configuration = await admin.create('StorageConfiguration', { name: unique('storage'), provider, entries });
      const parent = await admin.create('Folder', { name: unique('mounted'), storageConfiguration: configuration });
      const [entry] = (await admin.get(`/StorageConfiguration/${configuration}/ui`)).body.result.entries as {
        id: string;
      }[];
      /** Into which of the directories new content goes; it gets its name there a moment later. */
      const see = async (): Promise<unknown> => {
        const text = unique('content of a file ');
        await uploaded(admin, { parentId: parent }, `${unique('file')}.txt`, Buffer.from(text));
        const has = async (disk: string): Promise<boolean> => {
          for (const path of await readdir(disk, { recursive: true }))
            if ((await readFile(join(disk, path), 'utf8').catch(() => '')) === text) return true;
          return false;
        };
        return until(
          async () => (await Promise.all(disks.map(has))).indexOf(true),
          (at) => at >= 0,
        );
      };
      const change = {
        verb: 'set',
        type: 'StorageConfigurationEntry',
        id: entry?.id ?? '',
        values: { value: disks[1] },
      } as const;
      return { see, before: 0, after: 1, change };
    },
  },
  {
    caches: ['scripting.localizations'],
    what: 'a text in a language',
    verb: 'create',
    make: async () => {
      const name = unique('text');
      const see = async (): Promise<unknown> => (await admin.post('/say?_locale=de', { name })).body.result;
      const values = { name, locale: 'de', localizedName: 'ja' };
      return { see, before: name, after: 'ja', change: { verb: 'create', type: 'Localization', values } };
    },
  },
  {
    caches: ['graph.nodes'],
    what: 'an object with another name',
    verb: 'set',
    make: async () => {
      const id = await mine({ title: 'old' });
      const see = async (): Promise<unknown> => (await admin.get(`/Thing/${id}`)).body.result.title;
      const change = { verb: 'set', type: 'Thing', id, values: { title: 'new' } } as const;
      return { see, before: 'old', after: 'new', change };
    },
  },
  {
    caches: ['graph.walks', 'graph.counters'],
    what: 'another object in a list',
    verb: 'create',
    make: async () => {
      const title = unique('title');
      await mine({ title });
      const total = (await admin.get('/Thing?_pageSize=1')).body.result_count as number;
      const see = async (): Promise<unknown> => [
        (await admin.get(`/Thing?title=${title}&_sort=title`)).body.result.length,
        (await admin.get('/Thing?_pageSize=1')).body.result_count - total,
      ];
      return { see, before: [1, 0], after: [2, 1], change: { verb: 'create', type: 'Thing', values: { title } } };
    },
  },
  {
    caches: ['graph.parts'],
    what: 'an object with a part of a text, of a type of which there are many',
    verb: 'create',
    make: async () => {
      const part = unique('part');
      await manyThings();
      const see = async (): Promise<unknown> =>
        (await admin.get(`/Thing?title=${part}&_inexact=1&_sort=title`)).body.result.length;
      return { see, before: 0, after: 1, change: { verb: 'create', type: 'Thing', values: { title: `some ${part}` } } };
    },
  },
];
/** What Neo4j's engine keeps compares itself with the database at each use. */
const COMPARED: readonly string[] = ['graph.catalog', 'graph.gaps', 'graph.lists'];

beforeAll(async () => {
  roots = await mkdtemp(join(tmpdir(), 'svc-caches-'));
  server = await TestServer.start({
    settings: {
      'log.level': 'DEBUG',
      'application.encryption.secret': 'secret of the tests',
      'application.filesystem.mount.roots': roots,
      'security.jwt.secret': 'a-secret-of-more-than-32-characters-for-tests',
      'security.credentialcache.seconds': 600,
    },
  });
  ({ admin } = server);
  for (const signature of ['_login', '_token']) await allow(admin, signature, 'anonymous', ['POST']);
  for (const signature of ['User', 'Thing', 'Thing/_id']) await allow(admin, signature, 'user', ['GET']);
  await admin.create('SchemaMethod', { name: 'change', source: SCRIPT });
  await admin.create('SchemaMethod', { name: 'say', source: "localize(retrieve('name'))" });
  thing = await admin.defineType('Thing', [{ name: 'title', propertyType: 'String', indexed: true }]);
});
afterAll(async () => {
  await server.stop();
  await rm(roots, { recursive: true, force: true });
});

describe.each(CASES.map((one) => ({ ...one, names: one.caches.join(', ') })))('$names: $what', ({ verb, make }) => {
  it.each(WAYS[verb])('is seen at once when it comes by %s', async (door) => {
    const { see, before, after, change } = await make();
    expect(await see()).toEqual(before);
    // What was seen is in memory now.
    expect(await see()).toEqual(before);
    expect(change.verb).toBe(verb);
    await DOORS[door](change);
    expect(await see()).toEqual(after);
  });
});

describe('files.tree, security.rules: what other doors do', () => {
  it('an upload is seen at once', async () => {
    const name = `${unique('upload')}.txt`;
    const see = status(admin, `/svc/../._svc_uploads/${name}`);
    expect([await see(), await see()]).toEqual([404, 404]);
    await uploaded(admin, {}, name, Buffer.from('text'));
    expect(await see()).toBe(200);
  });

  it('what the schema says of rights is seen at once', async () => {
    const { client } = await user();
    const see = status(client, `/Thing/${await mine()}`);
    expect([await see(), await see()]).toEqual([404, 404]);
    await must(admin.put(`/SchemaNode/${thing}`, { defaultVisibleToAuth: true }));
    expect(await see()).toBe(200);
    await must(admin.put(`/SchemaNode/${thing}`, { defaultVisibleToAuth: false }));
    expect(await see()).toBe(404);
  });
});

it('every cache that the server keeps has a case', () => {
  const kept = server.logged(/org\.svc\.graph\.caches - \S+ is kept/).map((line) => / - (\S+) is kept/.exec(line)?.[1]);
  const walked = new Set([...CASES.flatMap(({ caches }) => caches), ...COMPARED]);
  expect(kept.length).toBeGreaterThan(10);
  expect(kept.filter((name) => name === undefined || !walked.has(name))).toEqual([]);
  // And the other way round: a case whose cache is no more proves nothing.
  const engine = onNeo4j ? /^(?!graph\.)/ : /./;
  expect(CASES.flatMap(({ caches }) => caches).filter((name) => engine.test(name) && !kept.includes(name))).toEqual([]);
});
