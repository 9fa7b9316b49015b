import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookieOf, type Answer } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { bearer, claimsOf, hmac, makeToken, now, SECRET } from '../support/tokens.js';

const HS256 = { alg: 'HS256', typ: 'JWT' };
const ANNA = { name: 'anna', password: 'annas-password' };
const SETTINGS = {
  'security.jwt.secret': SECRET,
  'application.instance.name': 'one',
  'httpservice.trustedproxies': '127.0.0.1',
};

describe('tokens', () => {
  let server: TestServer;
  let anna: string;

  const token = (body: unknown, headers?: Record<string, string>): Promise<Answer> =>
    server.as().post('/token', body, headers);
  const me = (accessToken: string, headers: Record<string, string> = {}): Promise<Answer> =>
    server.as().get('/me', { ...bearer(accessToken), ...headers });
  const issue = async (body: unknown = ANNA): Promise<{ access: string; refresh: string; answer: Answer }> => {
    const answer = await token(body);
    expect([answer.status, answer.body.message]).toEqual([200, undefined]);
    return { access: answer.body.result.access_token, refresh: answer.body.result.refresh_token, answer };
  };
  const listed = async (id = anna): Promise<string[]> =>
    ((await server.admin.get(`/User/${id}/ui`)).body.result.refreshTokens ?? []) as string[];
  const lines = (answer: Answer): string[] => [answer.headers['set-cookie'] ?? []].flat();

  beforeAll(async () => {
    server = await TestServer.start({ settings: SETTINGS });
    await allow(server.admin, '_token', 'anonymous', ['POST']);
    await allow(server.admin, '_logout', 'user', ['POST']);
    await allow(server.admin, '_logout', 'anonymous', ['POST']);
    await allow(server.admin, 'User', 'user', ['GET', 'PUT']);
    anna = await server.admin.create('User', { ...ANNA, eMail: 'anna@example.com' });
  });
  afterAll(() => server.stop());

  it('are issued for credentials, in the answer and as cookies', async () => {
    const before = Date.now();
    const { access, refresh, answer } = await issue();
    expect(answer.body.result).toEqual({
      access_token: access,
      refresh_token: refresh,
      expiration_date: String((claimsOf(access)['exp'] as number) * 1000),
      token_type: 'Bearer',
    });
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(lines(answer)).toEqual([
      `access_token=${access}; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax`,
      `refresh_token=${refresh}; Path=/svc; Max-Age=86400; HttpOnly; SameSite=Lax`,
    ]);
    const { tokenId, exp, iat, ...claims } = claimsOf(access);
    expect(Math.abs((iat as number) - now())).toBeLessThan(60);
    expect(claims).toEqual({
      sub: 'anna',
      iss: 'svc',
      tokenType: 'access_token',
      instance: 'one',
      uuid: anna,
      eMail: 'anna@example.com',
      email_verified: true,
    });
    expect(Math.abs((exp as number) - now() - 3600)).toBeLessThan(60);
    const inRefresh = claimsOf(refresh);
    expect(inRefresh).toMatchObject({ sub: 'anna', iss: 'svc', tokenType: 'refresh_token', tokenId });
    expect(tokenId).toBe(`${String(tokenId).slice(0, 32)}_${String((inRefresh['exp'] as number) * 1000)}`);
    expect(await listed()).toContain(tokenId);
    const { lastLoginDate } = (await server.admin.get(`/User/${anna}/ui`)).body.result;
    expect(Date.parse(lastLoginDate as string)).toBeGreaterThanOrEqual(before - 1000);
  });

  it('are cookies for HTTPS alone when the client speaks it', async () => {
    const answer = await token(ANNA, { 'X-Forwarded-Proto': 'https' });
    expect(lines(answer).map((line) => line.includes('; HttpOnly; Secure;'))).toEqual([true, true]);
  });

  it('say who asks: in the header, in the cookie, and in the header when the cookie is out of date', async () => {
    const { access } = await issue();
    for (let i = 0; i < 3; i++) expect((await me(access)).body.result.id).toBe(anna);
    const cookie = (value: string, more: Record<string, string> = {}): Promise<Answer> =>
      server.as().get('/me', { Cookie: `access_token=${value}`, ...more });
    expect((await cookie(access)).body.result.id).toBe(anna);
    expect((await cookie('out.of.date', bearer(access))).body.result.id).toBe(anna);
    expect((await cookie('out.of.date')).status).toBe(401);
    expect((await server.as().get('/me', { Authorization: access })).status).toBe(401);
    expect((await server.as().get('/me', { Authorization: `Basic ${access}` })).status).toBe(401);
  });

  it('that are not valid leave the other means their turn', async () => {
    expect((await me('not.a.token', { 'X-User': 'anna', 'X-Password': ANNA.password })).body.result.id).toBe(anna);
    expect((await me('not.a.token')).body.message).toBe('Access denied');
  });

  it('are refused to wrong credentials, in one way, and to users who are blocked or not confirmed', async () => {
    await server.admin.create('User', { name: 'blocked', password: 'blockeds-password', blocked: true });
    await server.admin.create('User', { name: 'pending', password: 'pendings-password', confirmationKey: 'key' });
    const answers = [
      await token({ name: 'nobody', password: 'x' }),
      await token({ name: 'anna', password: 'wrong' }),
      await token({ name: 'blocked', password: 'blockeds-password' }),
      await token({ name: 'pending', password: 'pendings-password' }),
      await token({}),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.body]).toEqual([401, answers[0]?.body]);
      expect(lines(answer)).toEqual([]);
    }
    for (const body of [{ name: 7 }, { refresh_token: 7 }, { name: 'superadmin', password: 'superuser-secret' }])
      expect((await token(body)).status).toBe(401);
  });

  describe('made by others', () => {
    const claims = async (changes: object = {}): Promise<object> => ({
      ...claimsOf((await issue()).access),
      ...changes,
    });

    it('would be accepted if they were right (so that the refusals below mean something)', async () => {
      const right = makeToken(HS256, await claims(), hmac(SECRET));
      expect((await me(right)).status).toBe(200);
      expect((await me(makeToken(HS256, await claims({ tokenId: null }), hmac(SECRET)))).status).toBe(200);
    });

    it.each([
      ['no algorithm', { alg: 'none' }, () => ''],
      ['no algorithm, written another way', { alg: 'nOnE' }, () => ''],
      ['no algorithm but a signature', { alg: 'none' }, hmac(SECRET)],
      ['no signature', HS256, () => ''],
      ['another secret', HS256, hmac('another-secret-0123456789-0123456789')],
      ['an empty secret', HS256, hmac('')],
      ['another algorithm of the family', { alg: 'HS512' }, hmac(SECRET, 512)],
      ['RS256 in the header alone', { alg: 'RS256' }, hmac(SECRET)],
      ['a key of its own', { ...HS256, jwk: { kty: 'oct', k: 'QQ' }, kid: '../../dev/null' }, hmac('A')],
    ])('with %s are nobody’s', async (_, header, sign) => {
      expect((await me(makeToken(header, await claims(), sign))).status).toBe(401);
    });

    it.each([
      ['expired', { exp: now() - 1 }],
      ['without an end', { exp: undefined }],
      ['with a text for an end', { exp: '99999999999' }],
      ['not valid yet', { nbf: now() + 60 }],
      ['of another issuer', { iss: 'somebody' }],
      ['without an issuer', { iss: undefined }],
      ['of no type', { tokenType: undefined }],
      ['of another type', { tokenType: 'refresh_token' }],
      ['with an unknown id', { tokenId: `${'a'.repeat(32)}_99999999999999` }],
      ['with an id that is no text', { tokenId: 7 }],
      ['of nobody', { uuid: 'a'.repeat(32) }],
      ['without a user', { uuid: undefined }],
      ['of no user', { uuid: { id: 1 } }],
      ['of another instance without an address', { instance: 'two', eMail: null, tokenId: null }],
    ])('that are %s are refused', async (_, changes) => {
      expect((await me(makeToken(HS256, await claims(changes), hmac(SECRET)))).status).toBe(401);
    });

    it('by a changed signature, or changed claims, or a part too many, are refused', async () => {
      const { access } = await issue();
      const [head = '', body = '', signature = ''] = access.split('.');
      const changed = Buffer.from(JSON.stringify({ ...claimsOf(access), sub: 'admin' })).toString('base64url');
      for (const forged of [
        `${head}.${changed}.${signature}`,
        `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
        `${head}.${body}`,
        `${head}.${body}.`,
        `${access}.${signature}`,
        'x'.repeat(5000),
      ])
        expect((await me(forged)).status).toBe(401);
    });

    it('of an instance that shares the secret belong to the user of their address', async () => {
      const other = (changes: object): string =>
        makeToken(
          HS256,
          { iss: 'svc', exp: now() + 60, tokenType: 'access_token', instance: 'two', ...changes },
          hmac(SECRET),
        );
      expect((await me(other({ eMail: 'Anna@example.com' }))).body.result.id).toBe(anna);
      expect((await me(other({ email: 'anna@example.com' }))).body.result.id).toBe(anna);
      expect((await me(other({ eMail: 'nobody@example.com' }))).status).toBe(401);
      expect((await me(other({ eMail: 'anna@example.com', email_verified: false }))).status).toBe(401);
      // Here as there he may have written any address himself.
      await server.admin.create('User', { name: 'own', eMail: 'own@example.com', password: 'owns-password' });
      expect((await server.as('own', 'owns-password').put('/me', { eMail: 'foreign@example.com' })).status).toBe(200);
      expect((await me(other({ eMail: 'foreign@example.com' }))).status).toBe(401);
      const issued = await server.as().post('/token', { name: 'own', password: 'owns-password' });
      expect(claimsOf(issued.body.result.access_token as string)).toMatchObject({ email_verified: false });
      // Its own id of a pair is not listed here.
      expect((await me(other({ eMail: 'anna@example.com', tokenId: `${'b'.repeat(32)}_9` }))).status).toBe(401);
    });
  });

  it('for refreshing give no access, and those for access do not refresh', async () => {
    const { access, refresh } = await issue();
    expect((await me(refresh)).status).toBe(401);
    expect((await server.as().get('/me', { Cookie: `access_token=${refresh}` })).status).toBe(401);
    expect((await token({ refresh_token: access })).status).toBe(401);
  });

  it.each([
    ['the body', (value: string): [object, object] => [{ refresh_token: value }, {}]],
    ['a cookie', (value: string): [object, object] => [{}, { Cookie: `refresh_token=${value}` }]],
    // `refresh_token` as a header is read too, but the binary of uWebSockets.js drops requests with `_` in a header's name.
    ['the header Refresh-Token', (value: string): [object, object] => [{}, { 'Refresh-Token': value }]],
  ])('are renewed once, by %s; the old pair ends', async (_, make) => {
    const first = await issue();
    expect((await me(first.access)).status).toBe(200);
    const { lastLoginDate } = (await server.admin.get(`/User/${anna}/ui`)).body.result;
    const [body, headers] = make(first.refresh);
    const renewed = await token(body, headers as Record<string, string>);
    expect([renewed.status, cookieOf(renewed, 'access_token')]).toEqual([
      200,
      `access_token=${renewed.body.result.access_token as string}`,
    ]);
    expect((await me(renewed.body.result.access_token)).body.result.id).toBe(anna);
    expect((await me(first.access)).status).toBe(401);
    expect((await token(body, headers as Record<string, string>)).status).toBe(401);
    expect((await server.admin.get(`/User/${anna}/ui`)).body.result.lastLoginDate).toBe(lastLoginDate);
  });

  it('are renewed for one of many who try at once', async () => {
    const { refresh } = await issue();
    const answers = await Promise.all(Array.from({ length: 8 }, () => token({ refresh_token: refresh })));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(7);
  });

  it.each([
    ['signed with another secret', {}, 'another-secret-0123456789-0123456789'],
    ['expired', { exp: 1 }, SECRET],
    ['of another user', { uuid: 'a'.repeat(32) }, SECRET],
    ['without an id', { tokenId: null }, SECRET],
  ])('are not renewed by one that is %s', async (_, changes, secret) => {
    const { refresh } = await issue();
    const forged = makeToken(HS256, { ...claimsOf(refresh), ...changes }, hmac(secret));
    expect((await token({ refresh_token: forged })).status).toBe(401);
    expect((await token({ refresh_token: refresh })).status).toBe(200);
  });

  it('end when their id is taken from the user, and when he is blocked: for good, as for what he is blocked may be them', async () => {
    const ben = { name: 'ben', password: 'bens-password' };
    const id = await server.admin.create('User', ben);
    const [one, two] = [await issue(ben), await issue(ben)];
    expect([(await me(one.access)).status, (await me(two.access)).status]).toEqual([200, 200]);
    await server.admin.put(`/User/${id}`, { refreshTokens: [claimsOf(two.access)['tokenId']] });
    expect([(await me(one.access)).status, (await me(two.access)).status]).toEqual([401, 200]);
    expect((await token({ refresh_token: one.refresh })).status).toBe(401);
    await server.admin.put(`/User/${id}`, { blocked: true });
    expect([(await me(two.access)).status, (await token({ refresh_token: two.refresh })).status]).toEqual([401, 401]);
    await server.admin.put(`/User/${id}`, { blocked: false });
    expect([(await me(two.access)).status, (await token({ refresh_token: two.refresh })).status]).toEqual([401, 401]);
    const three = await issue(ben);
    expect((await me(three.access)).status).toBe(200);
    await server.admin.delete(`/User/${id}`);
    expect([(await me(three.access)).status, (await token({ refresh_token: three.refresh })).status]).toEqual([
      401, 401,
    ]);
  });

  it('see a change of the groups and rights of their user at once', async () => {
    const cleo = { name: 'cleo', password: 'cleos-password' };
    const id = await server.admin.create('User', cleo);
    const { access } = await issue(cleo);
    expect((await server.as().get('/_env', bearer(access))).status).toBe(401);
    await server.admin.put(`/User/${id}`, { isAdmin: true });
    expect((await server.as().get('/_env', bearer(access))).status).toBe(200);
    await server.admin.put(`/User/${id}`, { isAdmin: false });
    expect((await server.as().get('/_env', bearer(access))).status).toBe(401);
  });

  it('all end with a logout, by whichever means', async () => {
    for (const out of [
      ({ access }: { access: string }) => server.as().post('/logout', undefined, bearer(access)),
      ({ access }: { access: string }) => server.as().post('/logout', undefined, { Cookie: `access_token=${access}` }),
      // The access token has run out, the other one is still there.
      ({ refresh }: { refresh: string }) =>
        server.as().post('/logout', undefined, { Cookie: `refresh_token=${refresh}` }),
      () => server.as('anna', ANNA.password).post('/logout'),
    ]) {
      const pairs = [await issue(), await issue()];
      const answer = await out(pairs[0] ?? { access: '', refresh: '' });
      expect([answer.status, answer.body.result]).toEqual([200, []]);
      expect(lines(answer)).toEqual([
        'JSESSIONID=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
        'access_token=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
        'refresh_token=; Path=/svc; Max-Age=0; HttpOnly; SameSite=Lax',
      ]);
      for (const { access, refresh } of pairs) {
        expect((await me(access)).status).toBe(401);
        expect((await token({ refresh_token: refresh })).status).toBe(401);
      }
      expect(await listed()).toEqual([]);
    }
  });

  it('last over a restart; ids that have expired are forgotten; secrets are in no log', async () => {
    const { access } = await issue();
    await server.admin.put(`/User/${anna}`, { refreshTokens: [...(await listed()), `${'c'.repeat(32)}_1000`] });
    const log = server.lines.join('\n');
    expect(log).not.toContain(SECRET);
    expect(log).not.toContain(access.split('.')[2]);
    server = await server.restart({ settings: SETTINGS });
    expect((await me(access)).body.result.id).toBe(anna);
    await issue();
    expect((await listed()).filter((id) => id.endsWith('_1000'))).toEqual([]);
  });

  it('are limited in number; have an audience when one is set', async () => {
    await server.admin.put(`/User/${anna}`, { refreshTokens: null });
    const before = (await issue()).access;
    server = await server.restart({
      settings: { ...SETTINGS, 'application.session.max.number': 2, 'security.jwt.audience': 'ours' },
    });
    expect((await me(before)).status).toBe(401);
    const { access, refresh } = await issue();
    expect(claimsOf(access)['aud']).toBe('ours');
    expect((await me(access)).status).toBe(200);
    const forged = makeToken(HS256, { ...claimsOf(access), aud: 'theirs' }, hmac(SECRET));
    expect((await me(forged)).status).toBe(401);
    const beyond = await token(ANNA);
    expect([beyond.status, beyond.body.message]).toEqual([401, 'Max. number of sessions exceeded']);
    expect((await token({ refresh_token: refresh })).status).toBe(200);
  });

  it('are not issued with a short secret, which the log says at start; and are nobody’s then', async () => {
    const short = 'short-secret-of-the-test';
    server = await server.restart({ settings: { ...SETTINGS, 'security.jwt.secret': short } });
    expect(await server.untilLogged(/WARN .*security\.jwt\.secret must have at least 32/)).toHaveLength(1);
    const answer = await token(ANNA);
    expect([answer.status, answer.body.message]).toEqual([500, 'security.jwt.secret must have at least 32 characters']);
    const forged = makeToken(
      HS256,
      { iss: 'svc', exp: now() + 60, tokenType: 'access_token', instance: 'one', uuid: anna },
      hmac(short),
    );
    expect((await me(forged)).status).toBe(401);
    expect(server.lines.join('\n')).not.toContain(short);
    server = await server.restart({ settings: { 'application.instance.name': 'one' } });
    expect(server.logged(/tokens do not work/)).toEqual([]);
    expect((await token(ANNA)).status).toBe(500);
    expect((await me(makeToken(HS256, claimsOf(forged), hmac('')))).status).toBe(401);
  });

  it('take a changed secret at once', async () => {
    server = await server.restart({ settings: SETTINGS });
    await server.admin.put(`/User/${anna}`, { refreshTokens: null });
    const { access } = await issue();
    expect((await me(access)).status).toBe(200);
    const conf = `${server.folder}/svc.conf`;
    const { readFile, writeFile } = await import('node:fs/promises');
    await writeFile(conf, (await readFile(conf, 'utf8')).replace(SECRET, `another-${SECRET}`));
    server.child.kill('SIGHUP');
    await server.untilLogged(/read .* again/);
    await sleep(20);
    expect((await me(access)).status).toBe(401);
    expect((await me((await issue()).access)).status).toBe(200);
  });
});
