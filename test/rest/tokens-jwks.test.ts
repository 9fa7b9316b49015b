import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { bearer, hmac, makeToken, now } from '../support/tokens.js';

const ISSUER = 'https://issuer.example/';

/** The other issuer: a server of keys, which counts how often they are fetched. */
class Issuer {
  fetches: string[] = [];
  keys: JWK[] = [];
  answer: { status: number; body?: string; location?: string } = { status: 200 };
  readonly #server: Server = createServer((request, response) => {
    this.fetches.push(request.url ?? '');
    const { status, body, location } = this.answer;
    response.writeHead(status, { 'Content-Type': 'application/json', ...(location === undefined ? {} : { location }) });
    response.end(body ?? JSON.stringify({ keys: this.keys }));
  });
  start(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }
  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
  get url(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }
}

describe('tokens of another issuer', () => {
  const issuer = new Issuer();
  let server: TestServer;
  let key: CryptoKey;
  let otherKey: CryptoKey;
  let spki: string;
  let settings: Record<string, string | number>;
  const groups = new Map<string, string>();

  const make = (claims: Record<string, unknown> = {}, header: object = {}, signer: CryptoKey = key): Promise<string> =>
    new SignJWT({ iss: ISSUER, exp: now() + 300, oid: 'caller-1', aud: 'ours', ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
      .sign(signer);
  const get = async (token: string | Promise<string>, path = '/Thing'): Promise<Answer> =>
    server.as().get(path, bearer(await token));

  /** Another place of the keys, taken while the server runs: what was fetched before is forgotten. */
  const reload = async (path: string): Promise<void> => {
    const conf = `${server.folder}/svc.conf`;
    const lines = (await readFile(conf, 'utf8'))
      .split('\n')
      .filter((line) => !line.startsWith('security.jwks.provider'));
    await writeFile(conf, [`security.jwks.provider = ${issuer.url}${path}`, ...lines].join('\n'));
    const before = server.logged(/read .* again/).length;
    server.child.kill('SIGHUP');
    while (server.logged(/read .* again/).length === before) await sleep(5);
  };

  beforeAll(async () => {
    await issuer.start();
    const pair = await generateKeyPair('RS256');
    key = pair.privateKey;
    otherKey = (await generateKeyPair('RS256')).privateKey;
    spki = await exportSPKI(pair.publicKey);
    issuer.keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }];
    settings = {
      'security.jwt.secrettype': 'jwks',
      'security.jwt.secret': 'a-secret-that-does-not-count-here-0123456789',
      'security.jwt.jwtissuer': ISSUER,
      'security.jwt.audience': 'ours',
      'security.jwks.provider': `${issuer.url}/keys`,
      'security.jwks.name.claim.key': 'name',
      'security.jwks.group.claim.key': 'groups',
      'security.jwks.admin.claim.key': 'roles',
      'security.jwks.admin.claim.value': 'svc-admin',
    };
    server = await TestServer.start({ settings });
    const { admin } = server;
    await admin.defineType('Thing', [{ name: 'label', propertyType: 'String' }]);
    await allow(admin, 'Thing', 'user', ['GET', 'POST']);
    await allow(admin, 'User', 'user', ['GET', 'PUT']);
    await allow(admin, '_token', 'anonymous', ['POST']);
    const create = async (name: string, more: object): Promise<void> => {
      groups.set(name, await admin.create('Group', { name, ...more }));
    };
    await create('readers', { jwksReferenceId: 'ext-readers' });
    await create('above', { members: [groups.get('readers')] });
    await create('admins', { isAdmin: true });
    await create('below', { jwksReferenceId: 'ext-below' });
    await admin.put(`/Group/${groups.get('admins') ?? ''}`, { members: [groups.get('below')] });
    await admin.create('Thing', { label: 'shared', grantees: [{ id: groups.get('above'), allowed: ['read'] }] });
    await admin.create('Thing', { label: 'secret' });
  });
  afterAll(async () => {
    await server.stop();
    issuer.stop();
  });

  it('make a caller who is no user: nobody in particular, but not anonymous', async () => {
    const answer = await get(make());
    expect([answer.status, answer.body.result]).toEqual([200, []]);
    expect((await get(make(), '/_env')).status).toBe(401);
    expect((await get(make(), '/me')).status).toBe(404);
    expect(issuer.fetches).toEqual(['/keys']);
    // What he creates has no owner.
    const created = await server.as().post('/Thing', { label: 'his' }, bearer(await make()));
    expect(created.status).toBe(201);
    const { owner } = (await server.admin.get(`/Thing/${created.body.result[0] as string}/all`)).body.result;
    expect(owner ?? null).toBeNull();
  });

  it('put him into groups, with those above, for this token only', async () => {
    const labels = (answer: Answer): unknown[] => (answer.body.result as { label: string }[]).map((one) => one.label);
    expect(labels(await get(make({ groups: ['ext-readers', 'unknown'] })))).toEqual(['shared']);
    expect(labels(await get(make({ groups: 'ext-readers' })))).toEqual(['shared']);
    expect(labels(await get(make({ groups: ['above'] })))).toEqual([]);
    expect(labels(await get(make()))).toEqual([]);
    await server.admin.create('ResourceAccess', {
      signature: '_env',
      flags: 1,
      grantees: [{ id: groups.get('above'), allowed: ['read'] }],
    });
    // The permission of one token is not remembered for the next one of the same caller.
    const with_ = await make({ groups: ['ext-readers'] });
    expect([(await get(with_, '/_env')).status, (await get(make(), '/_env')).status]).toEqual([200, 401]);
    await server.admin.put(`/Group/${groups.get('readers') ?? ''}`, { jwksReferenceId: 'renamed' });
    expect((await get(with_, '/_env')).status).toBe(401);
  });

  it('make him an administrator by a claim or by a group above', async () => {
    for (const claims of [{ roles: ['x', 'svc-admin'] }, { roles: 'svc-admin' }, { roles: 'a svc-admin' }])
      expect((await get(make(claims), '/_env')).status).toBe(200);
    expect((await get(make({ groups: ['ext-below'] }), '/_env')).status).toBe(200);
    for (const claims of [{ roles: ['svc-administrator'] }, { roles: '' }, { roles: { 'svc-admin': true } }])
      expect((await get(make(claims), '/_env')).status).toBe(401);
  });

  it('belong to the user of their address, unless he is blocked or the address is not verified', async () => {
    const id = await server.admin.create('User', { name: 'anna', eMail: 'anna@example.com' });
    for (const claims of [{ email: 'Anna@Example.com' }, { eMail: 'anna@example.com', oid: undefined }])
      expect((await get(make(claims), '/me')).body.result.id).toBe(id);
    const unverified = await get(make({ email: 'anna@example.com', email_verified: false }), '/me');
    expect(unverified.body.result).toBeUndefined();
    // An address that he has written himself may be anybody's.
    await server.admin.create('User', { name: 'ben', eMail: 'ben@example.com', password: 'bens-password' });
    expect((await get(make({ email: 'ben@example.com' }), '/me')).body.result.name).toBe('ben');
    await server.as('ben', 'bens-password').put('/me', { eMail: 'boss@example.com' });
    expect((await get(make({ email: 'boss@example.com' }), '/me')).status).toBe(404);
    const token = await make({ email: 'anna@example.com' });
    await server.admin.put(`/User/${id}`, { blocked: true });
    expect((await get(token)).status).toBe(401);
  });

  it('are not taken for an object of the database', async () => {
    const [{ id }] = (await server.admin.get('/User?name=admin')).body.result as [{ id: string }];
    for (const oid of [id, groups.get('above'), '0'.repeat(32), '', 'a/b', 'a b', undefined, 7]) {
      const answer = await get(make({ oid }));
      expect([oid, answer.status]).toEqual([oid, 422]);
    }
  });

  it.each([
    ['expired', { exp: now() - 60 }, {}, /expired/],
    ['without an end', { exp: undefined }, {}, /claim exp/],
    ['not valid yet', { nbf: now() + 60 }, {}, /claim nbf/],
    ['of another issuer', { iss: 'https://other.example/' }, {}, /claim iss/],
    ['for another audience', { aud: 'theirs' }, {}, /claim aud/],
    ['of an unknown key', {}, { kid: 'two' }, /does not have/],
    ['of a key that is a path', {}, { kid: '../../keys' }, /does not have/],
  ])('that are %s are answered with 422', async (_, claims, header, message) => {
    const answer = await get(make(claims, header));
    expect([answer.status, answer.body.code, answer.body.errors]).toEqual([422, 422, []]);
    expect(answer.body.message).toMatch(message);
  });

  it('that are forged are refused, whatever their header says', async () => {
    const claims = { iss: ISSUER, exp: now() + 300, oid: 'caller-1', aud: 'ours', roles: ['svc-admin'] };
    const jwk = await exportJWK((await generateKeyPair('RS256', { extractable: true })).privateKey);
    const forged = [
      await make(claims, {}, otherKey),
      await make(claims, { jwk, jku: `${issuer.url}/mine`, x5u: `${issuer.url}/mine` }, otherKey),
      makeToken({ alg: 'none', kid: 'one' }, claims, () => ''),
      makeToken({ alg: 'HS256', kid: 'one' }, claims, hmac(spki)),
      makeToken({ alg: 'HS256', kid: 'one' }, claims, hmac('a-secret-that-does-not-count-here-0123456789')),
      makeToken({ alg: 'RS256', kid: 'one' }, claims, () => ''),
    ];
    const before = issuer.fetches.length;
    for (const token of forged) {
      const answer = await get(token, '/_env');
      expect([answer.status, answer.text.includes(token.slice(-20))]).toEqual([422, false]);
    }
    // Unknown keys make nobody knock at the issuer's door again and again.
    for (let i = 0; i < 20; i++) await get(make({}, { kid: `unknown-${String(i)}` }));
    expect(issuer.fetches.length).toBe(before);
    expect(issuer.fetches).not.toContain('/mine');
  });

  it('without the name of a key are nobody’s', async () => {
    for (const token of [await make({}, { kid: undefined }), 'no-token', 'a.b.c', `${await make()}x.`.slice(5)])
      expect((await get(token)).status).toBe(401);
  });

  it('are not issued here', async () => {
    const answer = await server.as().post('/token', { name: 'admin', password: 'admin' });
    expect([answer.status, (await server.as().post('/token', { refresh_token: 'x' })).status]).toEqual([400, 400]);
  });

  it.each([
    ['an error', { status: 500 }],
    ['no JSON', { status: 200, body: '<html>' }],
    ['no key set', { status: 200, body: '{"keys": 7}' }],
    ['too much', { status: 200, body: JSON.stringify({ keys: [], more: 'x'.repeat(400_000) }) }],
    ['a way to another place', { status: 302, location: '/elsewhere' }],
  ])('are 422 while the issuer answers with %s', async (_, answer) => {
    issuer.answer = answer;
    issuer.fetches = [];
    await reload(`/keys?${String(issuer.answer.status)}${String(issuer.answer.body?.length)}`);
    for (let i = 0; i < 3; i++) expect((await get(make())).status).toBe(422);
    // Once, in all of these few moments.
    expect(issuer.fetches).toEqual([expect.stringMatching(/^\/keys\?/)]);
    expect((await server.as().get('/Thing')).status).toBe(401);
  });

  it('are checked by the keys below the base URL while the issuer’s name is the default', async () => {
    issuer.answer = { status: 200 };
    issuer.fetches = [];
    server = await server.restart({
      settings: { ...settings, 'security.jwt.jwtissuer': 'svc', 'security.jwks.provider': `${issuer.url}/realm/` },
    });
    expect((await get(make({ iss: 'svc' }))).status).toBe(200);
    expect((await get(make())).status).toBe(422);
    expect(issuer.fetches).toEqual(['/realm/.well-known/jwks.json']);
  });
});
