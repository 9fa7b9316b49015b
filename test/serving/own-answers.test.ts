/** What front-end threads answer themselves (docs/threads.md): they hand over what needs the main thread, and nothing else. And what they count together. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uploaded } from '../support/files.js';
import {
  answers,
  connectionsTo,
  resultOf,
  statusOf,
  type Connection,
  type Headers,
} from '../support/many-connections.js';
import { allow } from '../support/permissions.js';
import { SUPERUSER_PASSWORD, TestServer } from '../support/server.js';

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

/** A figure by its name and labels; 0 as long as there is none. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/svc/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}
const handedOver = (): Promise<number> => metric('svc_http_requests_handed_over_total');

/** How many of as many requests as there are connections are handed over. */
async function handedOverOf(path: string): Promise<number> {
  const before = await handedOver();
  const statuses = await Promise.all(all.map(async (one) => statusOf(await one.send('GET', path))));
  expect(new Set(statuses)).toEqual(new Set([200]));
  // The looks at the count may be handed over themselves.
  return Math.max(0, (await handedOver()) - before - 1);
}

describe('front-end threads', () => {
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
});

describe('what counts for the process', () => {
  const asJane = (password: string): Headers => ({ 'X-User': 'jane', 'X-Password': password });

  it('locks a user after four wrong passwords, whichever thread got them', async () => {
    await server.admin.create('User', { name: 'jane', password: 'janes-password' });
    await allow(server.admin, 'User', 'user', ['GET']);
    const me = async (one: Connection, password: string): Promise<number> =>
      statusOf(await one.send('GET', '/svc/rest/me', undefined, asJane(password)));
    expect(await Promise.all(all.map((one) => me(one, 'janes-password')))).toEqual(all.map(() => 200));
    for (const one of all.slice(0, 4)) expect(await me(one, `wrong ${String(all.indexOf(one))}`)).toBe(401);
    expect(await Promise.all(all.map((one) => me(one, 'janes-password')))).toEqual(all.map(() => 401));
  });

  it('counts requests of all threads', async () => {
    const path = '/svc/rest/Thing/all';
    await allow(server.admin, 'Thing/_All', 'anonymous', ['GET']);
    const count = (): Promise<number> =>
      metric('svc_http_requests_total{method="GET",path="/svc/rest/Thing/all",status="200"}');
    const before = await count();
    expect(await answers(all, path, statusOf)).toEqual([200]);
    await expect.poll(count).toBe(before + CONNECTIONS);
  });

  it('lists a job that was begun over one connection over all', async () => {
    const { admin } = server;
    const begun = await admin.post('/maintenance/rebuildIndex', { type: 'Thing' });
    expect(begun.status).toBe(200);
    const asked = connectionsTo(server.url, CONNECTIONS, { 'X-User': 'superadmin', 'X-Password': SUPERUSER_PASSWORD });
    const listed = await answers(asked, '/svc/rest/jobs', (got) =>
      (resultOf(got) as { jobId: number }[]).map(({ jobId }) => jobId),
    );
    for (const one of asked) one.close();
    expect(listed).toEqual([[expect.any(Number)]]);
  });
});
