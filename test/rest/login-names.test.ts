import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** Nobody keeps others from logging in by taking their name or address (docs/interface/security.md 1.2, 3.1). */
describe('names that users log in with', () => {
  let server: TestServer;
  let admin: Client;
  let mallory: Client;
  let malloryId: string;
  let count = 0;
  const PASSWORD = 'the-password';
  const login = (name: string): Promise<Answer> => server.as().post('/login', { name, password: PASSWORD });
  const newName = (): string => `user${String(++count)}`;

  beforeAll(async () => {
    server = await TestServer.start({
      settings: { 'jsonrestservlet.user.autocreate': true, 'registration.customuserattributes': 'name,password' },
    });
    admin = server.admin;
    for (const signature of ['_login', '_registration']) await allow(admin, signature, 'anonymous', ['POST']);
    for (const signature of ['User', 'User/_id'])
      await allow(admin, signature, 'user', ['GET', 'POST', 'PUT', 'PATCH']);
    await admin.create('User', { name: 'victim', eMail: 'victim@example.com', password: PASSWORD });
    await admin.create('User', { name: 'boss@example.com', password: PASSWORD });
    malloryId = await admin.create('User', { name: 'mallory', password: PASSWORD });
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    mallory = server.as('mallory', PASSWORD);
  });

  it.each([
    ['PUT /me', { name: 'victim' }, () => mallory.put('/me', { name: 'victim' })],
    ['PATCH', { name: 'victim' }, () => mallory.patch(`/User/${malloryId}`, { name: 'victim' })],
    ['a bulk PATCH', { name: 'victim' }, () => mallory.patch('/User', [{ id: malloryId, name: 'victim' }])],
    ['a new user', { name: 'victim' }, () => mallory.post('/User', { name: 'victim', password: PASSWORD })],
    [
      'a nested user',
      { name: 'victim' },
      () => mallory.post('/User', { name: 'x', owner: { id: malloryId, name: 'victim' } }),
    ],
    ['an address for a name', { name: 'victim@example.com' }, () => mallory.put('/me', { name: 'victim@example.com' })],
    [
      'an address in other letters',
      { name: ' Victim@Example.com ' },
      () => mallory.put('/me', { name: ' Victim@Example.com ' }),
    ],
    ['a name for an address', { eMail: 'boss@example.com' }, () => mallory.put('/me', { eMail: 'boss@example.com' })],
  ])('are not taken from others by %s', async (_, taken, send) => {
    const answer = await send();
    const [[property, value] = []] = Object.entries(taken);
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      [expect.objectContaining({ type: 'User', property, token: 'already_taken', value })],
    ]);
    // Whose it is is not his to know.
    expect(answer.body.errors[0]).not.toHaveProperty('existingNodeUuid');
    for (const name of ['victim', 'victim@example.com', 'boss@example.com'])
      expect((await login(name)).status).toBe(200);
  });

  it('may be any others, also the own address', async () => {
    const name = newName();
    const eMail = `${name}@example.com`;
    await admin.create('User', { name, eMail, password: PASSWORD });
    const user = server.as(name, PASSWORD);
    const whole = (await user.get('/me')).body.result as object;
    for (const body of [whole, { name: `${name} the second`, locale: 'de_DE' }, { name: eMail }, { name: null }])
      expect((await server.as(eMail, PASSWORD).put('/me', body)).status).toBe(200);
    expect((await login(eMail)).status).toBe(200);
  });

  it('are taken by one of several who ask at the same time', async () => {
    const names = Array.from({ length: 6 }, newName);
    for (const name of names) await admin.create('User', { name, password: PASSWORD });
    const wanted = newName();
    const answers = await Promise.all(names.map((name) => server.as(name, PASSWORD).put('/me', { name: wanted })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422, 422]);
    expect((await login(wanted)).status).toBe(200);
  });

  it('are taken once in one request', async () => {
    const name = newName();
    const answer = await mallory.post('/User', [{ name }, { name }]);
    expect([answer.status, (await admin.get(`/User?name=${name}`)).body.result_count]).toEqual([422, 0]);
  });

  it('may be shared where an administrator says so: then nobody gets in by them, but by their addresses', async () => {
    const name = newName();
    for (const eMail of [`one.${name}@example.com`, `two.${name}@example.com`])
      await admin.create('User', { name, eMail, password: PASSWORD });
    expect((await login(name)).status).toBe(401);
    const one = server.as(`one.${name}@example.com`, PASSWORD);
    // What was so before is no matter of theirs.
    expect((await one.put('/me', { name, locale: 'de_DE' })).status).toBe(200);
    expect((await one.put('/me', { name: 'victim' })).status).toBe(422);
  });

  it('with an @ are addresses first and names then', async () => {
    const name = newName();
    const eMail = `${name}@example.com`;
    const id = await admin.create('User', { eMail, password: PASSWORD });
    const other = await admin.create('User', { name: eMail, password: 'another-password' });
    expect((await login(eMail)).body.result.id).toBe(id);
    expect((await server.as(eMail, PASSWORD).get('/me')).body.result.id).toBe(id);
    await admin.patch(`/User/${id}`, { eMail: `new.${eMail}` });
    const answer = await server.as().post('/login', { name: eMail, password: 'another-password' });
    expect(answer.body.result.id).toBe(other);
  });

  describe('in a registration', () => {
    const register = (body: object): Promise<Answer> => server.as().post('/registration', body);
    const nameOf = async (eMail: string): Promise<unknown> =>
      (await admin.get(`/User/ui?eMail=${eMail}`)).body.result[0]?.name;

    it('that are taken, or look like foreign addresses, are left out without a word', async () => {
      const names = ['victim', 'victim@example.com', 'VICTIM@example.com', 'nobody@example.com', newName()];
      const answers: unknown[] = [];
      for (const name of names) {
        const eMail = `${newName()}@example.com`;
        const { status, body } = await register({ eMail, name, password: PASSWORD });
        answers.push([status, body.result, await nameOf(eMail)]);
      }
      expect(answers).toEqual([...Array.from({ length: 4 }, () => [201, [], null]), [201, [], names[4]]]);
      for (const name of ['victim', 'victim@example.com']) expect((await login(name)).status).toBe(200);
    });

    it('may be the own address, and are kept when somebody asks twice', async () => {
      const eMail = `${newName()}@example.com`;
      for (let i = 0; i < 2; i++)
        expect((await register({ eMail, name: eMail.toUpperCase(), password: PASSWORD })).status).toBe(201);
      expect(await nameOf(eMail)).toBe(eMail.toUpperCase());
    });
  });
});
