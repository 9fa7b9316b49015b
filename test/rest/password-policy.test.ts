import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allow } from '../support/permissions.js';
import type { Answer, Client } from '../support/client.js';
import { TestServer } from '../support/server.js';

const COMPLEX = {
  'security.passwordpolicy.complexity.enforce': true,
  'security.passwordpolicy.complexity.minlength': 10,
  'security.passwordpolicy.complexity.requireuppercase': true,
  'security.passwordpolicy.complexity.requirelowercase': true,
  'security.passwordpolicy.complexity.requiredigits': true,
  'security.passwordpolicy.complexity.requirenonalphanumeric': true,
};
const GOOD = 'Long-enough-1';

/** `password` tokens of a refusal, with their detail. */
const tokens = (answer: Answer): unknown[] =>
  (answer.body as { errors: { token: string; detail?: unknown }[] }).errors.map(({ token, detail }) =>
    detail === undefined ? token : [token, detail],
  );

let server: TestServer;
let admin: Client;

describe('complexity of passwords', () => {
  let anna: string;

  beforeAll(async () => {
    server = await TestServer.start({ settings: COMPLEX });
    ({ admin } = server);
    await allow(admin, 'User', 'user', ['GET', 'PUT']);
    anna = await admin.create('User', { name: 'anna', password: GOOD });
    await admin.defineType('Clerk', [], { inheritedTraits: ['User'] });
  });

  it('does not keep the initial user out, whose password is shorter', async () => {
    expect((await admin.get('/me')).status).toBe(200);
  });

  it.each([
    ['short', 'Sh0rt-pw', [['must_be_longer_than', 10]]],
    ['without upper case', 'long-enough-1', ['must_contain_uppercase']],
    ['without lower case', 'LONG-ENOUGH-1', ['must_contain_lowercase']],
    ['without digit', 'Long-enough-x', ['must_contain_digits']],
    ['of letters and digits only', 'LongEnough12', ['must_contain_non_alpha_numeric']],
  ])('refuses a password that is %s', async (_, password, expected) => {
    const answer = await admin.post('/User', { name: 'nobody', password });
    expect([answer.status, tokens(answer)]).toEqual([422, expected]);
  });

  it('names type and property of everything that is wrong, and repeats no password', async () => {
    const answer = await admin.post('/User', { name: 'nobody', password: 'xyz' });
    expect(answer.body.errors).toEqual([
      { type: 'User', property: 'password', token: 'must_be_longer_than', detail: 10 },
      { type: 'User', property: 'password', token: 'must_contain_uppercase' },
      { type: 'User', property: 'password', token: 'must_contain_digits' },
      { type: 'User', property: 'password', token: 'must_contain_non_alpha_numeric' },
    ]);
    expect(answer.text).not.toContain('xyz');
  });

  it.each([
    ['without password', {}],
    ['with null', { password: null }],
    ['with empty text', { password: '' }],
    ['with what passwords read as', { password: '****** HIDDEN ******' }],
  ])('counts a new user %s as one with an empty password', async (_, body) => {
    const answer = await admin.post('/User', { name: 'nobody', ...body });
    expect([answer.status, (answer.body as { errors: unknown[] }).errors.length]).toEqual([422, 5]);
  });

  it.each(['put', 'patch'] as const)('holds for %s', async (method) => {
    expect((await admin[method](`/User/${anna}`, { password: 'xyz' })).status).toBe(422);
  });

  it('holds for a password that is taken away', async () => {
    expect((await admin.put(`/User/${anna}`, { password: null })).status).toBe(422);
  });

  it.each([
    ['the own user', () => server.as('anna', GOOD).put('/me', { password: 'xyz' })],
    ['many at once', () => admin.patch('/User', [{ id: anna, password: 'xyz' }])],
    ['a subtype', () => admin.post('/Clerk', { name: 'clerk', password: 'xyz' })],
    ['a subtype by its base', () => admin.post('/Principal', { type: 'Clerk', name: 'clerk', password: 'xyz' })],
    ['any object by its id', () => admin.put(`/${anna}`, { password: 'xyz' })],
    [
      'a nested object',
      () => admin.post('/Group', { name: 'g1', members: [{ type: 'User', name: 'n', password: 'xyz' }] }),
    ],
    ['a nested object with id', () => admin.post('/Group', { name: 'g2', members: [{ id: anna, password: 'xyz' }] })],
    [
      'a nested user without password',
      () => admin.post('/Group', { name: 'g3', members: [{ type: 'User', name: 'fresh' }] }),
    ],
  ])('holds for %s', async (_, write) => {
    expect((await write()).status).toBe(422);
    expect((await server.as('anna', GOOD).get('/me')).status).toBe(200);
  });

  it('leaves users alone who are named only', async () => {
    const answer = await admin.post('/Group', { name: 'g4', members: [{ type: 'User', name: 'anna' }] });
    expect(answer.status).toBe(201);
  });

  it('lets a whole object be sent back as it was read', async () => {
    const { password, isAdmin } = (await admin.get(`/User/${anna}/ui`)).body.result as Record<string, unknown>;
    expect((await admin.put(`/User/${anna}`, { password, isAdmin })).status).toBe(200);
    expect((await server.as('anna', GOOD).get('/me')).status).toBe(200);
  });
});

describe('the age of passwords', () => {
  const dateOf = async (id: string): Promise<string | null> =>
    ((await admin.get(`/User/${id}/ui`)).body as { result: { passwordChangeDate: string | null } }).result
      .passwordChangeDate;
  const OLD = '2020-01-02T03:04:05+0000';

  beforeAll(async () => {
    await server.reload({
      'security.passwordpolicy.complexity.enforce': false,
      'security.passwordpolicy.onchange.clearsessions': true,
    });
    await allow(admin, '_login', 'anonymous', ['POST']);
  });
  afterAll(() => server.stop());

  it('does not begin at creation, so that the user has to change it', async () => {
    expect(await dateOf(await admin.create('User', { name: 'new', password: 'first' }))).toBeNull();
  });

  it('begins when a user that is there gets his first password', async () => {
    const id = await admin.create('User', { name: 'none' });
    await admin.put(`/User/${id}`, { password: 'first' });
    expect(await dateOf(id)).not.toBeNull();
  });

  it('begins anew with another password', async () => {
    const id = await admin.create('User', { name: 'changes', password: 'first', passwordChangeDate: OLD });
    await admin.put(`/User/${id}`, { password: 'second' });
    expect(await dateOf(id)).not.toBe(OLD);
  });

  it('stays with the same password, however it is written', async () => {
    const id = await admin.create('User', { name: 'stays', password: 'same', passwordChangeDate: OLD });
    await admin.put(`/User/${id}`, { password: 'same' });
    await server.as('stays', 'same').put('/me', { password: 'same' });
    await admin.patch('/User', [{ id, password: 'same' }]);
    await admin.post('/Group', { name: 'by id', members: [{ id, password: 'same' }] });
    await admin.post('/Group', { name: 'by name', members: [{ type: 'User', name: 'stays', password: 'same' }] });
    expect(await dateOf(id)).toBe(OLD);
    expect((await server.as('stays', 'same').get('/me')).status).toBe(200);
  });

  it('ends all sessions and refresh tokens where the setting says so, those of others not', async () => {
    const id = await admin.create('User', { name: 'busy', password: 'first', refreshTokens: ['abc_1'] });
    await admin.create('User', { name: 'other', password: 'first' });
    const [one, two] = [await server.as('busy', 'first').loggedIn(), await server.as('busy', 'first').loggedIn()];
    const other = await server.as('other', 'first').loggedIn();
    await one.put('/me', { password: 'second' });
    expect([(await one.get('/me')).status, (await two.get('/me')).status]).toEqual([401, 401]);
    expect((await other.get('/me')).status).toBe(200);
    const user = (await admin.get(`/User/${id}/ui`)).body.result as Record<string, unknown>;
    expect([user['sessionIds'], user['refreshTokens']]).toEqual([[], []]);
    const left = (await admin.get('/SessionDataNode')).body.result_count as number;
    expect(left).toBe(1);
  });

  it('keeps sessions when the password stays the same', async () => {
    await admin.create('User', { name: 'same', password: 'first' });
    const session = await server.as('same', 'first').loggedIn();
    await session.put('/me', { password: 'first' });
    expect((await session.get('/me')).status).toBe(200);
  });

  it('forgives no failures: only a login, a reset or an administrator does', async () => {
    const id = await admin.create('User', { name: 'locked', password: 'first', passwordAttempts: 4 });
    await admin.put(`/User/${id}`, { password: 'second' });
    expect((await server.as('locked', 'second').get('/me')).body.message).toBe('Too many failed login attempts');
  });

  it('does not end sessions where the setting does not say so', async () => {
    await server.reload({ 'security.passwordpolicy.onchange.clearsessions': false });
    await admin.create('User', { name: 'goes on', password: 'first' });
    const session = await server.as('goes on', 'first').loggedIn();
    await session.put('/me', { password: 'second' });
    expect((await session.get('/me')).status).toBe(200);
  });

  it('is a reason to refuse it where the setting says so, until it is changed', async () => {
    await server.reload({ 'security.passwordpolicy.forcechange': true, 'security.passwordpolicy.maxage': 3 });
    const id = await server.superuser.create('User', { name: 'too old', password: 'first' });
    const before = await server.as('too old', 'first').get('/me');
    expect([before.status, before.headers['reason']]).toEqual([401, 'passwordChangeRequired']);
    await server.superuser.put(`/User/${id}`, { password: 'second' });
    expect((await server.as('too old', 'second').get('/me')).status).toBe(200);
    await server.reload({ 'security.passwordpolicy.forcechange': false, 'security.passwordpolicy.maxage': 90 });
  });

  it('tells applications when to remind users', async () => {
    expect((await admin.get('/_env')).body.result.passwordPolicy).toEqual({
      forceChange: false,
      maxAge: 90,
      remindTime: 14,
    });
  });
});

describe('the documented initial password', async () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
    await allow(server.admin, '_login', 'anonymous', ['POST']);
  });
  afterAll(() => server.stop());

  it('is complained about in the log at start', async () => {
    expect(await server.untilLogged(/WARN.*still has the documented/)).toHaveLength(1);
  });

  it('is complained about in answers to who has it, and to nobody else', async () => {
    const session = await server.admin.loggedIn();
    const login = await server.as().post('/login', { name: 'admin', password: 'admin' });
    const answers = [await server.admin.get('/me'), await session.get('/me'), login];
    for (const answer of answers) expect(answer.headers['x-svc-notice']).toMatch(/documented initial password/);
    for (const client of [server.superuser, server.as()])
      expect((await client.get('/User')).headers['x-svc-notice']).toBeUndefined();
  });

  it('is forgotten when it is changed, and the change is remembered', async () => {
    expect((await server.admin.put('/me', { password: 'something-else' })).status).toBe(200);
    await expect
      .poll(async () => (await server.as('admin', 'something-else').get('/me')).headers['x-svc-notice'])
      .toBeUndefined();
    server = await server.restart();
    expect(server.logged(/still has the documented/)).toEqual([]);
  });
});
