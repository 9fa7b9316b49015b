/** What front-end threads answer themselves (docs/threads.md): they hand over what needs the main thread, and nothing else. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { uploaded } from '../support/files.js';
import { connectionsTo, statusOf, type Connection } from '../support/many-connections.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const CONNECTIONS = 16;
const SERVLETS = 'JsonRestServlet HtmlServlet UploadServlet MetricsServlet';
const SHOWN = { visibleToPublicUsers: 'true', visibleToAuthenticatedUsers: 'true' };
const FOR_ALL = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };

let server: TestServer;
let all: readonly Connection[] = [];
/** Of the page, a file, and a file of a type that hears of its downloads. */
const paths = { page: '/open', file: '', told: '' };
let thing: string;

beforeAll(async () => {
  server = await TestServer.start({
    settings: {
      'application.http.threads': 3,
      'httpservice.servlets': SERVLETS,
      'metricsservlet.whitelist': '127.0.0.1',
    },
  });
  const { admin } = server;
  await admin.post('/SchemaNode', { name: 'Thing', schemaProperties: [{ name: 'size', propertyType: 'Integer' }] });
  await admin.post('/SchemaNode', {
    name: 'Told',
    inheritedTraits: ['File'],
    schemaMethods: [{ name: 'onDownload', source: "{ $.doPrivileged(() => $.create('Thing', { name: 'told' })) }" }],
  });
  thing = await admin.create('Thing', { name: 'seen', ...FOR_ALL });
  const parent = await admin.create('Page', { name: 'open', ...FOR_ALL });
  const html = await admin.create('Html', { tag: 'html', parent, ...FOR_ALL });
  await admin.create('Content', { parent: html, content: 'Open', ...FOR_ALL });
  paths.file = await styles('a.css', 'File');
  paths.told = await styles('told.css', 'Told');
  all = connectionsTo(server.url, CONNECTIONS, {});
});
afterAll(async () => {
  for (const one of all) one.close();
  await server.stop();
});

/** A file of this type that everybody may see; its path. */
async function styles(filename: string, type: string): Promise<string> {
  const part = { name: 'file', filename, content: 'body { margin: 0 }', type: 'text/css' };
  return `/${await uploaded(server.admin, part, { type, ...SHOWN })}`;
}

async function handedOver(): Promise<number> {
  const text = await (await fetch(`${server.url}/svc/metrics`)).text();
  const found = /^svc_http_requests_handed_over_total (\d+)$/m.exec(text)?.[1];
  if (found === undefined) throw new Error(`no count in ${text}`);
  return Number(found);
}

/** How many of as many requests as there are connections are handed over. */
async function handedOverOf(path: string): Promise<number> {
  const before = await handedOver();
  const statuses = await Promise.all(all.map(async (one) => statusOf(await one.send('GET', path))));
  expect(new Set(statuses)).toEqual(new Set([200]));
  // The looks at the count may be handed over themselves.
  return Math.max(0, (await handedOver()) - before - 1);
}

it('answer files that everybody may see', async () => {
  expect(await handedOverOf(paths.file)).toBe(0);
});

it('answer pages that only read', async () => {
  expect(await handedOverOf(paths.page)).toBe(0);
});

it('answer objects and lists', async () => {
  const { admin } = server;
  for (const signature of ['Thing', 'Thing/_id']) await allow(admin, signature, 'anonymous', ['GET']);
  expect(await handedOverOf(`/svc/rest/Thing/${thing}`)).toBe(0);
  expect(await handedOverOf('/svc/rest/Thing?_sort=name&_pageSize=5')).toBe(0);
});

it('hand over files whose type hears of downloads, and each is told of', async () => {
  const told = async (): Promise<number> => (await server.admin.get('/Thing?name=told')).body.result_count ?? 0;
  expect(await told()).toBe(0);
  // The main thread has connections of its own.
  expect(await handedOverOf(paths.told)).toBeGreaterThan(0);
  await expect.poll(told).toBe(CONNECTIONS);
});
