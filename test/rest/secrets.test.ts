import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { onNeo4j, TestServer } from '../support/server.js';

const PASSWORD = 'a-password';
/** Nobody compares by these; the others are for the user himself and for administrators. */
const HIDDEN = ['password', 'salt', 'twoFactorSecret', 'proxyPassword'];
const OWN = [
  'sessionIds',
  'refreshTokens',
  'twoFactorToken',
  'confirmationKey',
  'lastLoginDate',
  'passwordChangeDate',
  'passwordAttempts',
];

describe('what users log in with', () => {
  let server: TestServer;
  let reader: Client;
  let victim: Client;
  let id: string;

  beforeAll(async () => {
    server = await TestServer.start({ settings: { 'application.encryption.secret': 'a-secret-for-tests' } });
    for (const signature of ['User', 'User/_Ui', 'User/_All', 'User/_id/_Ui', 'User/_id/_All', 'Note', 'Note/_All'])
      await allow(server.admin, signature, 'user', ['GET', 'POST']);
    await allow(server.admin, '_login', 'anonymous', ['POST']);
    id = await server.admin.create('User', {
      name: 'victim',
      password: PASSWORD,
      proxyPassword: 'secret-of-the-proxy',
      visibleToAuthenticatedUsers: true,
    });
    await server.admin.create('User', { name: 'reader', password: PASSWORD });
    reader = server.as('reader', PASSWORD);
    victim = await server.as('victim', PASSWORD).loggedIn();
    const note = await server.admin.create('SchemaNode', { name: 'Note' });
    const [user] = [await server.admin.create('SchemaNode', { name: 'User' })];
    await server.admin.relate(user, 'WROTE', note, { sourceJsonName: 'author', targetJsonName: 'notes' });
    await server.admin.create('Note', { author: id, visibleToAuthenticatedUsers: true });
    for (const key of [...HIDDEN, ...OWN])
      for (const [how, source] of [
        ['sort', `{ return $.find('User', $.predicate.sort('${key}')).length; }`],
        ['remote', `{ return $.find('Note', $.predicate.sort('author.${key}')).length; }`],
        ['range', `{ return $.find('User', '${key}', $.predicate.range(null, 'z')).length; }`],
        ['empty', `{ return $.find('User', $.predicate.not($.predicate.empty('${key}'))).length; }`],
        ['equals', `{ return $.find('User', '${key}', 'x').length; }`],
      ] as const) {
        await server.admin.create('SchemaMethod', { name: `${how}_${key}`, source });
        await allow(server.admin, `${how}_${key}`, 'user', ['POST']);
      }
  });
  afterAll(() => server.stop());

  it('is kept encrypted where it is a password of a proxy, and shown to nobody', async () => {
    for (const client of [server.admin, victim, reader])
      for (const view of ['ui', 'all']) {
        const { text, status } = await client.get(`/User/${id}/${view}`);
        expect(status).toBe(200);
        expect(text).not.toContain('secret-of-the-proxy');
      }
    const folder = join(server.folder, 'db');
    for (const name of onNeo4j ? [] : await readdir(folder))
      expect((await readFile(join(folder, name))).includes('secret-of-the-proxy')).toBe(false);
    // Sent back as it was read it stays.
    expect((await server.admin.put(`/User/${id}`, { proxyPassword: '****** HIDDEN ******' })).status).toBe(200);
  });

  it('is in views of the user himself and of administrators, not of others', async () => {
    for (const path of [`/User/${id}/ui`, `/User/${id}/all`]) {
      for (const client of [server.admin, victim]) {
        const { result } = (await client.get(path)).body;
        expect(result.sessionIds).toHaveLength(1);
        expect(result.lastLoginDate).not.toBeNull();
      }
      const { result } = (await reader.get(path)).body;
      expect(result.name).toBe('victim');
      for (const key of OWN) expect([path, key, key in result]).toEqual([path, key, false]);
    }
    // In lists, and through related objects.
    const list = (await victim.get('/User/all?_sort=name')).body.result as Record<string, unknown>[];
    expect(list.filter((one) => 'sessionIds' in one).map((one) => one['id'])).toEqual([id]);
    const notes = await reader.get('/Note/all?_outputReductionDepth=5');
    expect(notes.text).toContain('victim');
    expect(notes.text).not.toContain('sessionIds');
  });

  it.each([...HIDDEN, ...OWN])('is nothing that others compare by: %s', async (key) => {
    for (const query of [
      `_sort=${key}`,
      `${key}=x`,
      `${key}=[a TO z]`,
      `${key}=[]`,
      `${key}=`,
      `${key}=x&_inexact=1`,
    ]) {
      const answer = await reader.get(`/User?${encodeURI(query)}`);
      expect([query, answer.status]).toEqual([query, 400]);
    }
    for (const how of ['sort', 'remote', 'range', 'empty', 'equals'])
      expect([how, (await reader.post(`/${how}_${key}`, {})).status]).toEqual([how, 422]);
    // A related object's: it has no effect.
    const seen = (await reader.get(`/Note?author.${key}=x`)).body.result_count;
    expect(seen).toBe(1);
  });

  it.each(HIDDEN)('is nothing that administrators compare by either, where it is hidden: %s', async (key) => {
    for (const query of [`_sort=${key}`, `${key}=x`])
      expect((await server.admin.get(`/User?${query}`)).status).toBe(400);
    expect((await server.admin.post(`/sort_${key}`, {})).status).toBe(422);
  });

  it('can be searched by administrators where it is not hidden', async () => {
    expect((await server.admin.get('/User?_sort=lastLoginDate')).status).toBe(200);
    expect((await server.admin.get('/User?confirmationKey=x')).body.result).toEqual([]);
  });
});

describe('passwords of types of the schema', () => {
  const MASK = '****** HIDDEN ******';
  let server: TestServer;
  let reader: Client;
  let safe: string;
  let empty: string;
  let link: string;

  beforeAll(async () => {
    server = await TestServer.start();
    const { admin } = server;
    await admin.create('User', { name: 'reader', password: PASSWORD });
    reader = server.as('reader', PASSWORD);
    const safes = await admin.defineType(
      'Safe',
      [
        { name: 'code', propertyType: 'Password' },
        { name: 'seal', propertyType: 'Password', readOnly: true },
      ],
      {
        schemaMethods: [
          { name: 'readIt', source: '{ return [$.this.code, $.get($.this, "code")]; }' },
          { name: 'asJson', source: '{ return $.toJson($.this, "all"); }' },
          { name: 'asCsv', source: '{ return $.toCsv([$.this], ["id", "code"]); }' },
        ],
      },
    );
    const rooms = await admin.defineType('Room');
    const relation = await admin.relate(rooms, 'HAS', safes, {
      sourceJsonName: 'room',
      targetJsonName: 'safes',
      schemaProperties: [{ name: 'pin', propertyType: 'Password' }],
    });
    await admin.put(`/SchemaRelationshipNode/${relation}`, {
      schemaViews: [{ name: 'public', nonGraphProperties: 'pin' }],
    });
    await admin.create('SchemaProperty', {
      schemaNode: rooms,
      name: 'codes',
      propertyType: 'Notion',
      format: 'safes, code',
    });
    const shown = { visibleToAuthenticatedUsers: true };
    safe = await admin.create('Safe', { ...shown, name: 'full', code: 'sesame', seal: 'wax' });
    empty = await admin.create('Safe', { ...shown, name: 'empty' });
    const room = await admin.create('Room', { ...shown, name: 'cellar' });
    link = await admin.create('RoomHASSafe', { sourceId: room, targetId: safe, pin: '1234' });
    for (const signature of ['Safe', 'Safe/_id', 'Safe/_id/code', 'Safe/_All', 'Safe/_id/_All', 'Room/_All'])
      await allow(admin, signature, 'user', ['GET', 'PUT', 'PATCH']);
  });
  afterAll(() => server.stop());

  const everywhere = (): string[] => [
    ...['', '/ui', '/all', '/custom'].flatMap((view) => [`/Safe/${safe}${view}`, `/Safe${view}`]),
    `/Safe/${safe}/code`,
    `/${safe}/all`,
    '/Room/all?_outputReductionDepth=5',
    '/Room/custom?_outputReductionDepth=5',
    `/RoomHASSafe/${link}/all`,
    `/RoomHASSafe/${link}`,
    '/_schema/Safe',
  ];

  it('are in no answer', async () => {
    for (const client of [server.admin, reader])
      for (const path of everywhere())
        for (const headers of [{}, { Accept: 'text/html' }])
          expect([path, (await client.get(path, headers)).text.includes('argon2')]).toEqual([path, false]);
    const { result } = (await server.admin.get(`/Safe/${safe}`)).body;
    expect(result).toMatchObject({ code: MASK, seal: MASK });
    expect((await server.admin.get(`/RoomHASSafe/${link}`)).body.result.pin).toBe(MASK);
    expect((await server.admin.get('/Room/all')).body.result[0].codes).toEqual([MASK]);
  });

  it('read the same whether there is one or not', async () => {
    for (const id of [safe, empty])
      for (const [path, value] of [
        [`/Safe/${id}`, { code: MASK }],
        [`/Safe/${id}/code`, { code: MASK }],
      ] as const)
        expect((await reader.get(path)).body.result).toMatchObject(value);
  });

  it('are nothing for scripts', async () => {
    const call = async (name: string): Promise<unknown> =>
      (await server.admin.post(`/Safe/${safe}/${name}`)).body.result;
    expect(await call('readIt')).toEqual([null, null]);
    expect(await call('asJson')).toContain(MASK);
    expect(await call('asCsv')).toContain(safe);
    for (const name of ['asJson', 'asCsv']) expect(await call(name)).not.toContain('argon2');
  });

  it('cannot be searched or sorted by', async () => {
    for (const query of ['code=sesame', '_sort=code', 'code=', 'code=[]', 'code=a&_inexact=1'])
      expect([query, (await server.admin.get(`/Safe?${query}`)).status]).toEqual([query, 400]);
  });

  it('stay when the text that stands for them is sent back, and are written otherwise', async () => {
    const before = (await server.admin.get(`/Safe/${safe}/all`)).body.result;
    const { code, seal, name } = before;
    expect((await server.admin.put(`/Safe/${safe}`, { code, seal, name })).status).toBe(200);
    const after = (await server.admin.get(`/Safe/${safe}/all`)).body.result;
    expect(after).toEqual(before);
    expect((await server.admin.put(`/Safe/${safe}`, { code: 'other' })).status).toBe(200);
  });

  it('that are read-only are refused, not passed over', async () => {
    const owned = await server.admin.create('Safe', { name: 'owned', seal: 'wax' });
    await server.admin.create('SchemaGrant', {
      principal: (await server.admin.get('/User?name=reader')).body.result[0].id,
      schemaNode: { name: 'Safe' },
      allowRead: true,
      allowWrite: true,
    });
    const refused = await reader.put(`/Safe/${owned}`, { seal: 'lead' });
    expect([refused.status, refused.body.errors[0]?.token]).toEqual([422, 'is_read_only_property']);
    expect((await reader.put(`/Safe/${owned}`, { seal: MASK })).status).toBe(200);
  });
});
