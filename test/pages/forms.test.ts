/** Forms that are sent to pages (docs/interface/pages.md 2.7). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { makePage, nodeNamed, type Tree } from '../support/pages.js';
import { allow } from '../support/permissions.js';
import { fetchPath, makeFile, type Served } from '../support/serving.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;

const ENCODED = { 'Content-Type': 'application/x-www-form-urlencoded' };
const shows = (content: string): readonly Tree[] => [['Template', { content, contentType: 'text/html' }]];
const post = (path: string, body: string, headers: Record<string, string> = ENCODED): Promise<Served> =>
  fetchPath(server, path, headers, 'POST', body);
const PARTS = { 'Content-Type': 'multipart/form-data; boundary=b' };
const part = (head: string, value: string): string =>
  `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
const SHOWN = '${escapeHtml(request.a)}|${escapeHtml(request.b)}|${join(request.c, ",")}';

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  await allow(admin, '_login', 'anonymous', ['POST']);
  await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
  await makePage(admin, 'form', [['Template', { name: 'Shown', content: SHOWN, contentType: 'text/html' }]]);
  await makePage(admin, 'saves', shows('${create("Folder", "name", request.name)}saved'));
});
afterAll(() => server.stop());

test('fields are parameters of the request, behind those of the query', async () => {
  const body = 'a=x%20y+z&b=%3Cb%3E&c=2&c=3';
  expect(await post('/form?c=1', body)).toMatchObject({ status: 200, text: 'x y z|&lt;b&gt;|1,2,3' });
  const parts = `${part('name="a"', 'ä\r\nb')}${part('name="b"', '')}${part('name="c"', '1')}${part('name="c"', '2')}--b--\r\n`;
  expect(await post('/form', parts, PARTS)).toMatchObject({ status: 200, text: 'ä\r\nb||1,2' });
  for (const path of ['/svc/html/form', '/form/', '/form/details']) {
    expect([path, (await post(path, 'a=1&b=2&c=3&c=4')).text]).toEqual([path, '1|2|3,4']);
  }
  expect((await post(`/${await nodeNamed(admin, 'Shown')}`, 'a=1&b=2&c=3&c=4')).text).toBe('1|2|3,4');
});

test('what is no form is not read', async () => {
  const json = await post('/form?b=2&c=1&c=2', '{"a":1}', { 'Content-Type': 'application/json' });
  expect(json).toMatchObject({ status: 200, text: '|2|1,2' });
});

test('forms are of limited size, and bring no files', async () => {
  const refused = async (body: string, headers?: Record<string, string>): Promise<unknown> => {
    const { status, text } = await post('/form', body, headers);
    return [status, (JSON.parse(text) as { code: number }).code];
  };
  expect(await refused(`a=${'x'.repeat(1024 * 1024)}`)).toEqual([413, 413]);
  expect(await refused('a=1&'.repeat(1001))).toEqual([413, 413]);
  expect(await refused(`${part('name="a"', 'x').repeat(1001)}--b--`, PARTS)).toEqual([413, 413]);
  expect(await refused(`${part('name="a"', 'x'.repeat(1024 * 1024 + 1))}--b--`, PARTS)).toEqual([413, 413]);
  expect(await refused(`${part('name="a"; filename="f.txt"', 'x')}--b--`, PARTS)).toEqual([415, 415]);
  expect(await refused(part('name="a"', 'x'), PARTS)).toEqual([400, 400]);
  expect(await refused('x', { 'Content-Type': 'multipart/form-data' })).toEqual([400, 400]);
});

test('a form acts with the rights of its sender, and that of another site without them', async () => {
  const session = await server.as('anna', 'Anna-pass-1').loggedIn();
  const send = async (name: string, headers: Record<string, string>): Promise<number> => {
    await post('/saves', `name=${name}`, { ...ENCODED, ...headers });
    return (await admin.get(`/Folder?name=${name}`)).body.result.length as number;
  };
  expect(await send('of-anna', session.headers)).toBe(1);
  expect(await send('of-another-site', { ...session.headers, Origin: 'https://evil.example' })).toBe(
    await send('of-nobody', {}),
  );
  const [folder] = (await admin.get('/Folder?name=of-another-site')).body.result as { owner?: unknown }[];
  expect(folder?.owner ?? null).toBeNull();
});

test('files that are templates get them as well', async () => {
  const file = await makeFile(server, { name: 'form.txt', content: SHOWN });
  await admin.put(`/File/${file}`, { isTemplate: true });
  const body = 'a=x%20y+z&b=%3Cb%3E&c=2&c=3';
  for (const path of ['/form.txt?c=1', `/${file}?c=1`])
    expect(await post(path, body)).toMatchObject({ status: 200, text: 'x y z|&lt;b&gt;|1,2,3' });
  expect(await post('/form.txt', `${part('name="a"', '1')}--b--\r\n`, PARTS)).toMatchObject({
    status: 200,
    text: '1||',
  });
  expect((await post('/form.txt', 'a=1&'.repeat(1001))).status).toBe(413);
  expect((await post('/form.txt', `${part('name="a"; filename="f.txt"', 'x')}--b--`, PARTS)).status).toBe(415);
  // Other files take none.
  await admin.put(`/File/${file}`, { isTemplate: false });
  expect(await post('/form.txt', body)).toMatchObject({ status: 200, text: SHOWN });
  // Who may not see it sends nothing to it.
  await admin.put(`/File/${file}`, { isTemplate: true, visibleToPublicUsers: false });
  expect((await post('/form.txt', body)).status).toBe(404);
});
