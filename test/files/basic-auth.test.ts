/** Files that ask browsers for a name and password (docs/interface/files.md 5.9, RFC 7617). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';
import { ADMIN, change, fetchPath, makeFile, makeFolder, statusOf, type Headers } from '../support/serving.js';

let server: TestServer;
let user: string;

const basic = (name: string, password: string): Headers => ({
  Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});
const PROTECTED = { visibleToPublicUsers: false, enableBasicAuth: true };
const RIGHT = basic('reader', 'pass:wörd');

beforeAll(async () => {
  server = await TestServer.start({
    settings: {
      'httpservice.httpbasicauth.enabled': true,
      'security.passwordpolicy.maxfailedattempts': 4,
    },
  });
  user = await server.admin.create('User', { name: 'reader', password: 'pass:wörd' });
  await makeFile(server, { name: 'secret', content: 'secret', properties: { ...PROTECTED, owner: user } });
});
afterAll(() => server.stop());

describe('a file with enableBasicAuth', () => {
  it('asks strangers, and goes to those who may read it', async () => {
    const asked = await fetchPath(server, '/secret');
    expect(asked).toMatchObject({ status: 401 });
    expect(asked.headers['www-authenticate']).toBe('Basic realm="secret", charset="UTF-8"');
    expect(JSON.parse(asked.text)).toMatchObject({ code: 401 });
    expect(await fetchPath(server, '/secret', RIGHT)).toMatchObject({ status: 200, text: 'secret' });
    expect(await fetchPath(server, '/secret', RIGHT, 'HEAD')).toMatchObject({ status: 200, text: '' });
    expect(await statusOf(server, '/secret', basic('admin', 'admin'))).toBe(200);
    expect(await statusOf(server, '/secret?x=y', RIGHT)).toBe(200);
  });

  it('asks again when name or password are wrong, or the user may not read it', async () => {
    await server.admin.create('User', { name: 'other', password: 'secret-of-other' });
    for (const headers of [
      basic('reader', 'wrong'),
      basic('nobody', 'x'),
      basic('', ''),
      basic('other', 'secret-of-other'),
      { Authorization: 'Basic !!!' },
      { Authorization: 'Basic bm9jb2xvbg==' },
      { Authorization: 'Bearer abc' },
    ]) {
      const answer = await fetchPath(server, '/secret', headers);
      expect(answer.status, JSON.stringify(headers)).toBe(401);
      expect(answer.headers['www-authenticate']).toContain('Basic realm=');
    }
  });

  it('goes to users who are known by other means without asking', async () => {
    expect(await statusOf(server, '/secret', ADMIN)).toBe(200);
    expect(await statusOf(server, '/secret', { 'X-User': 'other', 'X-Password': 'secret-of-other' })).toBe(404);
  });

  it('asks even when everybody may see it', async () => {
    const properties = { enableBasicAuth: true, cacheForSeconds: 60, visibleToAuthenticatedUsers: true };
    await makeFile(server, { name: 'open', properties });
    await makeFile(server, { name: 'for-nobody', properties: { ...properties, visibleToAuthenticatedUsers: false } });
    for (const headers of [{}, RIGHT]) expect(await statusOf(server, '/for-nobody', headers)).toBe(401);
    expect(await statusOf(server, '/open')).toBe(401);
    const answer = await fetchPath(server, '/open', RIGHT);
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'private, max-age=60' } });
  });

  it('has its own realm when it is given one', async () => {
    const id = await makeFile(server, {
      name: 'realm',
      properties: { ...PROTECTED, basicAuthRealm: 'a "b" \\ c\r\nd' },
    });
    expect((await fetchPath(server, '/realm')).headers['www-authenticate']).toBe(
      'Basic realm="a \\"b\\" \\\\ c d", charset="UTF-8"',
    );
    await change(server.admin, `/File/${id}`, { basicAuthRealm: ' ' });
    expect((await fetchPath(server, `/${id}`)).headers['www-authenticate']).toContain('realm="realm"');
  });

  it('needs every folder above to be readable by the one who logs in', async () => {
    const folder = await makeFolder(server, 'closed', undefined, { visibleToPublicUsers: false });
    await makeFile(server, { name: 'f', parent: folder, properties: { ...PROTECTED, owner: user } });
    expect(await statusOf(server, '/closed/f', RIGHT)).toBe(401);
    expect(await statusOf(server, '/closed/f', basic('admin', 'admin'))).toBe(200);
  });
});

it('Basic counts nowhere else', async () => {
  await makeFile(server, { name: 'plain', properties: { visibleToPublicUsers: false, owner: user } });
  expect(await statusOf(server, '/plain', RIGHT)).toBe(404);
  expect((await server.as().get('/User', { ...RIGHT })).status).toBe(401);
});

it('wrong passwords lock the user as everywhere', async () => {
  await server.admin.create('User', { name: 'locked', password: 'secret-of-locked' });
  for (let i = 0; i < 4; i++) expect(await statusOf(server, '/secret', basic('locked', 'wrong'))).toBe(401);
  const node = await server.admin.get('/User?name=locked&_pageSize=1');
  const id = String(node.body.result[0].id);
  expect((await server.admin.get(`/User/${id}/all`)).body.result.passwordAttempts).toBeGreaterThanOrEqual(4);
  const answer = await server.as('locked', 'secret-of-locked').get('/User');
  expect(answer.status).toBe(401);
});

it('means nothing unless the setting is on', async () => {
  await server.reload({ 'httpservice.httpbasicauth.enabled': false });
  expect(await statusOf(server, '/secret')).toBe(404);
  expect(await statusOf(server, '/secret', RIGHT)).toBe(404);
  expect(await statusOf(server, '/open')).toBe(200);
});
