/** What there is and what it is called: properties of types, objects that become visible, files, pages, settings of the site. */
import { file, upload } from '../../support/files.js';
import type { Client } from '../../support/client.js';
import { resultOf, type Got } from '../../support/many-connections.js';
import { makePage } from '../../support/pages.js';
import { SUPERUSER_PASSWORD, type TestServer } from '../../support/server.js';
import { made, must, status, type Subject } from './subject.js';

const ANONYMOUS = {};
const text = (got: Got): string => got.text;

/** A property that comes with a value for all objects, and goes. */
async function property(admin: Client, type: string): Promise<Subject> {
  const thing = await admin.create('Seen', { name: 'with properties' });
  let id = '';
  let count = 0;
  const has = (got: Got): unknown => (resultOf(got) as Record<string, unknown>)[`p${String(count)}`];
  return {
    name: 'a property',
    change: async (by) => {
      if (id === '') {
        const name = `p${String(++count)}`;
        id = await made(by, 'SchemaProperty', {
          schemaNode: type,
          name,
          propertyType: 'String',
          defaultValue: 'red',
        });
      } else {
        await must(by, 'DELETE', `/svc/rest/SchemaProperty/${id}`);
        id = '';
      }
    },
    looks: () => [{ path: `/svc/rest/Seen/${thing}/all`, see: has, expected: id === '' ? undefined : 'red' }],
  };
}

/** A type that comes and goes. */
function type(): Subject {
  let id = '';
  let count = 0;
  return {
    name: 'a type',
    change: async (by) => {
      if (id === '') id = await made(by, 'SchemaNode', { name: `Type${String(++count)}` });
      else {
        await must(by, 'DELETE', `/svc/rest/SchemaNode/${id}`);
        id = '';
      }
    },
    looks: () => [{ path: `/svc/rest/Type${String(count)}`, see: status, expected: id === '' ? 404 : 200 }],
  };
}

/** An object in lists and counts, created, changed and deleted. */
function object(): Subject {
  let id = '';
  let count = 0;
  const names = (got: Got): string[] => (resultOf(got) as { name: string }[]).map(({ name }) => name);
  return {
    name: 'an object',
    change: async (by) => {
      count++;
      if (count % 3 === 1) id = await made(by, 'Listed', { name: `n${String(count)}` });
      else if (count % 3 === 2) await must(by, 'PUT', `/svc/rest/Listed/${id}`, { name: `n${String(count)}` });
      else await must(by, 'DELETE', `/svc/rest/Listed/${id}`);
    },
    looks: () => {
      const isThere = count % 3 !== 0;
      const expected = isThere ? [`n${String(count)}`] : [];
      return [
        { path: '/svc/rest/Listed?_sort=name', see: names, expected },
        { path: `/svc/rest/Listed?name=n${String(count)}`, see: names, expected },
        { path: `/svc/rest/Listed/${id}`, see: status, expected: isThere ? 200 : 404 },
      ];
    },
  };
}

/** A file whose name and folder become others. */
async function renamed(admin: Client): Promise<Subject> {
  const uploaded = await upload(admin, [file('f0.txt', 'content')]);
  const id = uploaded.text.trim();
  const folder = await admin.create('Folder', { name: 'd0', visibleToPublicUsers: true });
  await admin.put(`/File/${id}`, { visibleToPublicUsers: true, parent: folder });
  let count = 0;
  let names = ['d0', 'f0.txt'];
  let before = '/nowhere';
  const path = (): string => `/${names.join('/')}`;
  return {
    name: 'a path',
    change: async (by) => {
      before = path();
      const n = String(++count);
      if (count % 2 === 0) {
        names = [`d${n}`, names[1] ?? ''];
        await must(by, 'PUT', `/svc/rest/Folder/${folder}`, { name: names[0] });
      } else {
        names = [names[0] ?? '', `f${n}.txt`];
        await must(by, 'PUT', `/svc/rest/File/${id}`, { name: names[1] });
      }
    },
    looks: () => [
      { path: path(), headers: ANONYMOUS, see: text, expected: 'content' },
      { path: before, headers: ANONYMOUS, see: status, expected: 404 },
    ],
  };
}

/** A page whose text and name become others. */
async function page(admin: Client): Promise<Subject> {
  const template = { content: 'text 0' };
  const id = await makePage(admin, 'page0', [['Template', template]]);
  const found = await admin.get('/Template?_sort=createdDate&_order=desc');
  const element = (found.body.result as { id: string; content: string }[]).find(({ content }) => content === 'text 0');
  let count = 0;
  let [content, name, before] = ['text 0', 'page0', 'nowhere'];
  return {
    name: 'a page',
    change: async (by) => {
      count++;
      if (count % 3 === 0) {
        before = name;
        name = `page${String(count)}`;
        await must(by, 'PUT', `/svc/rest/Page/${id}`, { name });
      } else {
        content = `text ${String(count)}`;
        await must(by, 'PUT', `/svc/rest/Template/${element?.id ?? ''}`, { content });
      }
    },
    looks: () => [
      { path: `/${name}`, headers: ANONYMOUS, see: text, expected: content },
      { path: `/${before}`, headers: ANONYMOUS, see: status, expected: 404 },
    ],
  };
}

/** A site, whose page is shown under no other name, as a page of no site is not under this one. */
async function site(admin: Client): Promise<Subject> {
  const shown = await makePage(admin, 'of-a-site', [['Template', { content: 'here' }]]);
  const id = await admin.create('Site', { name: 'site', hostname: 'site.example', pages: [] });
  let isOf = false;
  const at = (host: string, expected: number) =>
    ({ path: '/of-a-site', headers: { Host: host }, see: status, expected }) as const;
  return {
    name: 'a site',
    change: async (by) => {
      isOf = !isOf;
      await must(by, 'PUT', `/svc/rest/Site/${id}`, { pages: isOf ? [shown] : [] });
    },
    looks: () => [at('site.example', isOf ? 200 : 404), at('other.example', isOf ? 404 : 200)],
  };
}

/** What other origins may read. */
function cors(): Subject {
  const origin = 'https://good.example';
  let id = '';
  return {
    name: 'an origin',
    change: async (by) => {
      if (id === '') id = await made(by, 'CorsSetting', { requestUri: '/svc/rest', acceptedOrigins: origin });
      else {
        await must(by, 'DELETE', `/svc/rest/CorsSetting/${id}`);
        id = '';
      }
    },
    looks: () => [
      {
        path: '/svc/rest/Listed',
        headers: { 'X-User': 'superadmin', 'X-Password': SUPERUSER_PASSWORD, Origin: origin },
        see: (got) => got.headers['access-control-allow-origin'] ?? '',
        expected: id === '' ? '' : origin,
      },
    ],
  };
}

/** Settings, by the Configuration Interface: one of the transport, one of REST. */
async function setting(server: TestServer): Promise<Subject> {
  const login = await fetch(`${server.url}/svc/config/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ password: SUPERUSER_PASSWORD }),
  });
  const Cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  let count = 0;
  return {
    name: 'a setting',
    change: async (by) => {
      count++;
      const changes = {
        'htmlservlet.customresponseheaders': `X-Round:${String(count)}`,
        'json.indentation': String(count % 2 === 0),
      };
      await must(by, 'POST', '/svc/config/api/settings', { changes }, { Cookie });
    },
    looks: () => [
      {
        path: '/svc/rest/Listed',
        see: (got) => [got.headers['x-round'], /^\{\s/.test(got.text)],
        expected: count === 0 ? [undefined, true] : [String(count), count % 2 === 0],
      },
    ],
  };
}

export async function things(server: TestServer): Promise<Subject[]> {
  const { admin } = server;
  const seen = await admin.create('SchemaNode', { name: 'Seen' });
  await admin.create('SchemaNode', { name: 'Listed' });
  return [
    await property(admin, seen),
    type(),
    object(),
    await renamed(admin),
    await page(admin),
    await site(admin),
    cors(),
    await setting(server),
  ];
}
