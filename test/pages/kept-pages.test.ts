/** Pages with `cacheForSeconds` that the server keeps (docs/interface/pages.md 2.10). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { makePage, type Tree } from '../support/pages.js';
import { allow } from '../support/permissions.js';
import { fetchPath, unpacked, type Served } from '../support/serving.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;

/** Another one each time that the page is made. */
const ONCE = '${{ Math.random() }}';
const shows = (content: string): readonly Tree[] => [['Template', { content, contentType: 'text/html' }]];
const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Served> =>
  fetchPath(server, path, headers, method);
const text = async (path: string, headers: Record<string, string> = {}): Promise<string> =>
  (await get(path, headers)).text;
const as = (name: string): Record<string, string> => ({ 'X-User': name, 'X-Password': `Pass-of-${name}-1` });

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  await allow(admin, '_login', 'anonymous', ['POST']);
  for (const name of ['anna', 'bert']) await admin.create('User', { name, password: `Pass-of-${name}-1` });
  await makePage(admin, 'kept', shows(`\${me.name}|\${locale}|\${request.q}|\${host}|${ONCE}`), {
    cacheForSeconds: 600,
  });
  await makePage(admin, 'not-kept', shows(ONCE));
});
afterAll(() => server.stop());

test('the same is answered from memory, with its age, compressed, and by its head', async () => {
  const first = await get('/kept');
  const again = await get('/kept');
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(Number(again.headers['age'])).toBeGreaterThanOrEqual(0);
  expect(again.headers['cache-control']).toBe('max-age=600, s-maxage=600');
  const head = await get('/kept', {}, 'HEAD');
  expect([head.status, head.text, head.headers['age'] === undefined]).toEqual([200, '', false]);
  await makePage(admin, 'long', shows(`${'long '.repeat(200)}${ONCE}`), { cacheForSeconds: 600 });
  const plain = await text('/long');
  expect(unpacked(await get('/long', { 'Accept-Encoding': 'gzip' }))).toBe(plain);
  expect(await text('/not-kept')).not.toBe(await text('/not-kept'));
});

test('never for another user, audience, locale, host or query', async () => {
  const shown = new Set<string>();
  const session = await server.as('bert', 'Pass-of-bert-1').loggedIn();
  const asked: readonly [string, Record<string, string>, string][] = [
    ['/kept', {}, '|'],
    ['/kept', as('anna'), 'anna|'],
    ['/kept', as('bert'), 'bert|'],
    ['/kept', session.headers, 'bert|'],
    ['/kept', { 'X-User': 'admin', 'X-Password': 'admin' }, 'admin|'],
    ['/kept', { 'Accept-Language': 'fr-CH' }, '|fr_CH|'],
    ['/kept?_locale=it_IT', {}, '|it_IT|'],
    ['/kept', { Host: 'other.example' }, '|'],
    ['/kept?q=1', {}, '|'],
    ['/kept?q=2', {}, '|'],
  ];
  for (const [path, headers, begins] of asked) {
    const answer = await text(path, headers);
    expect([path, headers, answer.startsWith(begins)]).toEqual([path, headers, true]);
    shown.add(answer);
  }
  expect(shown.size).toBe(asked.length);
  // Users get theirs anew.
  expect(await text('/kept', as('anna'))).not.toBe(await text('/kept', as('anna')));
  expect(await text('/kept')).toBe(await text('/kept'));
});

test('nor where scripts look at who asks, write, or say something of the answer', async () => {
  const contents = {
    cookie: "${getCookie('x')}",
    header: "${getRequestHeader('user-agent')}",
    address: '${remoteAddress}',
    sets: "${setResponseHeader('X-Own', 'x')}",
    status: '${setResponseCode(201)}',
    writes: "${create('Folder', 'name', 'written')}",
    form: '${request.a}',
  };
  for (const [name, content] of Object.entries(contents)) {
    await makePage(admin, `own-${name}`, shows(`${content}|${ONCE}`), { cacheForSeconds: 600 });
    const send = async (cookie: string): Promise<Served> =>
      name === 'form'
        ? fetchPath(server, '/own-form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'POST', `a=${cookie}`)
        : get(`/own-${name}`, { Cookie: `x=${cookie}` });
    const [one, two] = [await send('1'), await send('2')];
    expect([name, one.text === two.text, one.headers['age'], two.headers['age']]).toEqual([
      ...[name, false, undefined, undefined],
    ]);
  }
});

test('a commit, whatever it changes, is seen by the next request', async () => {
  const thing = await admin.create('Folder', { name: 'before', visibleToPublicUsers: true });
  await makePage(admin, 'of-data', shows(`\${find('Folder', '${thing}').name}`), { cacheForSeconds: 600 });
  expect([await text('/of-data'), await text('/of-data')]).toEqual(['before', 'before']);
  await admin.put(`/Folder/${thing}`, { name: 'after' });
  expect(await text('/of-data')).toBe('after');
  const [{ id }] = (await admin.get('/Page?name=of-data')).body.result;
  await admin.put(`/Page/${String(id)}`, { visibleToPublicUsers: false });
  expect((await get('/of-data')).status).toBe(404);
});

test('those who ask at once get one rendering, and one that is gone does not hold up the others', async () => {
  const slow = `\${{ const end = Date.now() + 300; while (Date.now() < end); Math.random() }}`;
  await makePage(admin, 'slow', shows(slow), { cacheForSeconds: 600 });
  const leaving = new AbortController();
  const gone = fetch(`${server.url}/slow`, { signal: leaving.signal }).catch(() => 'gone');
  const all = Array.from({ length: 8 }, () => text('/slow'));
  leaving.abort();
  expect(await gone).toBe('gone');
  const texts = new Set(await Promise.all(all));
  expect([texts.size, [...texts][0]?.startsWith('0.')]).toEqual([1, true]);
});

test('what failed in part is not kept, and does not wait for the time to be over', async () => {
  await makePage(admin, 'failing', [...shows("${{ throw new Error('x') }}"), ...shows(ONCE)], { cacheForSeconds: 600 });
  expect(await text('/failing')).not.toBe(await text('/failing'));
  await makePage(admin, 'brief', shows(ONCE), { cacheForSeconds: 1 });
  const first = await text('/brief');
  await expect.poll(() => text('/brief')).not.toBe(first);
});
