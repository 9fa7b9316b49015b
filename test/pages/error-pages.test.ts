/** Pages that are shown for errors (docs/interface/pages.md 2.9). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { getPage, makePage, type Tree } from '../support/pages.js';
import { fetchPath, makeFile } from '../support/serving.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let nobody: Client;

const shows = (content: string): readonly Tree[] => [['Template', { content, contentType: 'text/html' }]];
/** A page that is too long to be made in one piece. */
const endless = (name: string, fields: object = {}): Promise<string> =>
  makePage(
    admin,
    name,
    [
      [
        'html',
        {},
        [
          'p',
          { dataKey: 'one', functionQuery: '{ Array.from({ length: 80 }, (_, i) => ({ i })) }' },
          "${{ 'x'.repeat(900000) }}",
        ],
      ],
    ],
    { pageCreatesRawData: true, ...fields },
  );

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'httpservice.httpbasicauth.enabled': true } });
  ({ admin } = server);
  nobody = server.as();
  await makePage(admin, 'unknown', shows('who are you, ${me.name}? ${statusCode}'), {
    showOnErrorCodes: '401',
    cacheForSeconds: 60,
  });
  await makePage(admin, 'for-users', shows('a page for users'), {
    ...{ showOnErrorCodes: '413', visibleToPublicUsers: false, position: 1 },
  });
});
afterAll(() => server.stop());

test('a page that asks for a password shows the page for 401, with that status and the question', async () => {
  const flags = { enableBasicAuth: true, basicAuthRealm: 'here' };
  await makePage(admin, 'asking', shows('asked'), flags);
  await makeFile(server, { name: 'asking.txt', properties: flags });
  for (const path of ['/asking', '/asking.txt']) {
    for (const headers of [{}, { Authorization: `Basic ${Buffer.from('x:y').toString('base64')}` }]) {
      const answer = await fetchPath(server, path, headers);
      expect([path, answer.status, answer.text]).toEqual([path, 401, expect.stringMatching(/^who are you, \?/)]);
      expect(answer.headers['www-authenticate']).toBe('Basic realm="here", charset="UTF-8"');
      expect(answer.headers['content-type']).toBe('text/html;charset=utf-8');
      expect(answer.headers['cache-control']).toContain('no-store');
    }
  }
  const head = await fetchPath(server, '/asking', {}, 'HEAD');
  expect([head.status, head.text, head.headers['www-authenticate'] === undefined]).toEqual([401, '', false]);
});

test('wrong credentials of a header, and what is none of pages and files, get no page', async () => {
  const wrong = await fetchPath(server, '/unknown', { 'X-User': 'x', 'X-Password': 'y' });
  expect([wrong.status, JSON.parse(wrong.text).code]).toEqual([401, 401]);
  const rest = await fetchPath(server, '/svc/rest/User');
  expect([rest.status, JSON.parse(rest.text).code]).toEqual([401, 401]);
});

test('a page that cannot be made shows the page for the status, once', async () => {
  await endless('endless');
  const plain = await getPage(nobody, '/endless');
  expect([plain.status, JSON.parse(plain.text).code]).toEqual([500, 500]);
  const code = String(plain.status);
  const page = await makePage(admin, 'broken', shows('sorry: ${request.x}'), { showOnErrorCodes: code });
  expect(await getPage(nobody, '/endless?x=1')).toMatchObject({ status: plain.status, text: 'sorry: 1' });
  await admin.put(`/Page/${page}`, { hidden: true });
  expect((await getPage(nobody, '/endless')).text).toBe(plain.text);
  await endless('also-endless', { showOnErrorCodes: code });
  const again = await getPage(nobody, '/endless');
  expect([again.status, again.text]).toEqual([plain.status, plain.text]);
});

test('a page for 404 that fails itself leaves the plain answer', async () => {
  await endless('failing-404', { showOnErrorCodes: '404' });
  const answer = await getPage(nobody, '/nothing/here');
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([404, 404]);
});

test('a login with a provider that is not there shows the page for 501', async () => {
  const plain = await fetchPath(server, '/oauth/nobody/login');
  expect([plain.status, JSON.parse(plain.text).code]).toEqual([501, 501]);
  await makePage(admin, 'no-provider', shows('not by ${request.from}'), { showOnErrorCodes: '501' });
  const shown = await fetchPath(server, '/oauth/nobody/login?from=nobody');
  expect([shown.status, shown.text, shown.headers['cache-control']?.includes('no-store')]).toEqual([
    501,
    'not by nobody',
    true,
  ]);
  const wrong = await fetchPath(server, '/oauth/nobody/login', { 'X-User': 'x', 'X-Password': 'y' });
  expect([wrong.status, JSON.parse(wrong.text).code]).toEqual([501, 501]);
});

test('nobody is shown a page for an error that is not for him, nor that of another site', async () => {
  const refused = { method: 'POST', 'Content-Type': 'application/x-www-form-urlencoded' };
  await makePage(admin, 'formed', shows('formed'));
  const body = 'x'.repeat(2_000_000);
  const send = (headers: Record<string, string>): ReturnType<typeof fetchPath> =>
    fetchPath(server, '/formed', { ...headers, 'Content-Type': refused['Content-Type'] }, 'POST', body);
  const stranger = await send({});
  expect([stranger.status, stranger.text.includes('for users')]).toEqual([413, false]);
  await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
  const anna = { 'X-User': 'anna', 'X-Password': 'Anna-pass-1' };
  expect(await send(anna)).toMatchObject({ status: 413, text: 'a page for users' });
  const [{ id: page }] = (await admin.get('/Page?name=for-users')).body.result;
  await admin.create('Site', { name: 'one', hostname: 'one.example', pages: [page] });
  expect((await send(anna)).text).not.toContain('for users');
});
