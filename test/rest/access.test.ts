import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

/** Access for now: administrators may do all, everyone else gets the contract's 401 (contract, Errors 1). */
describe('access', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const denied = { code: 401, message: 'Access denied', errors: [] };

  it('anonymous requests are refused, with a warning that names signature and method', async () => {
    const answer = await server.as().get('/User/ui');
    expect([answer.status, answer.body]).toEqual([401, denied]);
    expect(await server.untilLogged(/WARN .*anonymous users.*'User\/_Ui'.*'GET'/)).toHaveLength(1);
  });

  it('a refusal tells a missing permission from a wrong password, and the log how to permit it', async () => {
    const credentials = { name: 'admin', password: 'wrong' };
    const missing = await server.as().post('/login', credentials);
    expect([missing.status, missing.body, missing.headers['reason']]).toEqual([401, denied, 'permissionMissing']);
    const [line = ''] = await server.untilLogged(/WARN .*'_login'/);
    const body = /POST (\{.*\}) to \/svc\/rest\/ResourceAccess/.exec(line)?.[1] ?? '';
    expect((await server.admin.post('/ResourceAccess', body)).status).toBe(201);
    const wrong = await server.as().post('/login', credentials);
    expect(wrong.status).toBe(401);
    expect(wrong.body.message).not.toBe(denied.message);
    expect(wrong.headers['reason']).toBeUndefined();
    expect((await server.as().post('/login', { ...credentials, password: 'admin' })).status).toBe(200);
  });

  it('a user who is no administrator is refused', async () => {
    await server.admin.create('User', { name: 'ordinary', password: 'ordinary-password' });
    const answer = await server.as('ordinary', 'ordinary-password').post('/User', { name: 'x' });
    expect([answer.status, answer.body]).toEqual([401, denied]);
    expect(await server.untilLogged(/user 'ordinary'.*'User'.*'POST'/)).toHaveLength(1);
  });

  it.each([
    ['a wrong password', 'admin', 'wrong'],
    ['an unknown user', 'nobody', 'admin'],
    ['an empty password', 'admin', ''],
    ['a wrong superuser password', 'superadmin', 'wrong'],
  ])('%s is 401', async (_, name, password) => {
    const answer = await server.as(name, password).get('/User');
    expect(answer.status).toBe(401);
    expect(answer.body.errors).toEqual([]);
  });

  it('the superuser may do all', async () => {
    expect((await server.superuser.get('/User')).status).toBe(200);
  });

  it('a changed password holds at once, although the old pair was remembered', async () => {
    const id = await server.admin.create('User', { name: 'changing', password: 'first-password', isAdmin: true });
    const before = server.as('changing', 'first-password');
    expect((await before.get('/me')).body.result.name).toBe('changing');
    await server.admin.put(`/User/${id}`, { password: 'second-password' });
    expect((await before.get('/me')).status).toBe(401);
    expect((await server.as('changing', 'second-password').get('/me')).status).toBe(200);
  });

  it('a user who stops being an administrator is one no longer at once', async () => {
    const id = await server.admin.create('User', { name: 'demoted', password: 'demoted-password', isAdmin: true });
    const client = server.as('demoted', 'demoted-password');
    expect((await client.get('/User')).status).toBe(200);
    await server.admin.put(`/User/${id}`, { isAdmin: false });
    expect((await client.get('/User')).status).toBe(401);
  });

  it('a permission taken away along a relation of the schema is gone at once', async () => {
    const { admin } = server;
    const [users, permissions] = await Promise.all(
      ['User', 'ResourceAccess'].map((name) => admin.create('SchemaNode', { name })),
    );
    // Rights go by the type in the database, whichever relation uses it.
    const names = { sourceJsonName: 'holder', targetJsonName: 'held' };
    await admin.relate(users ?? '', 'OWNS', permissions ?? '', names);
    const holder = await admin.create('User', { name: 'holder', password: 'holders-password' });
    const held = await admin.create('ResourceAccess', { signature: 'Group', flags: 1 });
    await admin.put(`/ResourceAccess/${held}`, { owner: null, grantees: [], holder });
    const client = server.as('holder', 'holders-password');
    expect((await client.get('/Group')).status).toBe(200);
    await admin.put(`/ResourceAccess/${held}`, { holder: null });
    expect((await client.get('/Group')).status).toBe(401);
  });

  it('secrets are never readable', async () => {
    const all = await server.admin.get('/User/all?name=admin');
    expect(all.body.result[0].password).toBe('****** HIDDEN ******');
    expect(all.text).not.toContain('argon2');
    const only = await server.admin.get('/User?name=admin', { Accept: 'application/json; properties=password,salt' });
    expect(only.text).not.toContain('argon2');
  });

  it('writing the hidden text back changes no password', async () => {
    const id = await server.admin.create('User', { name: 'kept', password: 'kept-password', isAdmin: true });
    await server.admin.put(`/User/${id}`, { password: '****** HIDDEN ******' });
    expect((await server.as('kept', 'kept-password').get('/me')).status).toBe(200);
  });

  it('a ready-made hash is a password like any other', async () => {
    const hash = '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    await server.admin.create('User', { name: 'smuggler', password: hash, isAdmin: true });
    expect((await server.as('smuggler', hash).get('/me')).status).toBe(200);
  });
});
