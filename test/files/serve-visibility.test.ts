/** Who sees which files: what may not be seen is not there (docs/interface/files.md 1.5, 5.2). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { ADMIN, change, fetchPath, makeFile, makeFolder, statusOf, type Headers } from '../support/serving.js';

let server: TestServer;
const users: Record<string, { id: string; headers: Headers }> = {};
const PRIVATE = { visibleToPublicUsers: false };

async function makeUser(name: string): Promise<void> {
  const password = `secret-of-${name}`;
  const id = await server.admin.create('User', { name, password });
  users[name] = { id, headers: { 'X-User': name, 'X-Password': password } };
}
const as = (name: string): Headers => users[name]?.headers ?? {};
const idOf = (name: string): string => users[name]?.id ?? '';

/** Lets users and groups read an object, and nobody else who has no other right. */
const grant = (id: string, ...principals: string[]): Promise<void> =>
  change(server.admin, `/AbstractFile/${id}`, {
    grantees: principals.map((principal) => ({ id: principal, allowed: ['read'] })),
  });

beforeAll(async () => {
  server = await TestServer.start();
  await allow(server.admin, '_login', 'anonymous', ['POST']);
  for (const name of ['owner', 'granted', 'member', 'stranger']) await makeUser(name);
});
afterAll(() => server.stop());

/** Status for everybody, in this order. */
const WHO = ['nobody', 'stranger', 'owner', 'granted', 'member', 'admin'] as const;
async function statuses(path: string): Promise<number[]> {
  const all: number[] = [];
  for (const who of WHO) all.push(await statusOf(server, path, who === 'admin' ? ADMIN : as(who)));
  return all;
}

describe('a file', () => {
  it('that is for the public is not for users, as a page is not, unless they may read it anyhow', async () => {
    const id = await makeFile(server, { name: 'public', properties: { owner: idOf('owner') } });
    await grant(id, idOf('granted'));
    for (const path of ['/public', `/${id}`]) expect(await statuses(path)).toEqual([200, 404, 200, 200, 404, 200]);
    await makeFile(server, { name: 'everybody', properties: { visibleToAuthenticatedUsers: true } });
    expect(await statuses('/everybody')).toEqual([200, 200, 200, 200, 200, 200]);
  });

  it('that is for users is not for strangers', async () => {
    await makeFile(server, { name: 'users', properties: { ...PRIVATE, visibleToAuthenticatedUsers: true } });
    expect(await statuses('/users')).toEqual([404, 200, 200, 200, 200, 200]);
  });

  it('that is private is its owner’s, his group’s, and theirs to whom it was granted; 404 for all others', async () => {
    const group = await server.admin.create('Group', { name: 'readers', members: [idOf('member')] });
    const id = await makeFile(server, { name: 'private', properties: { ...PRIVATE, owner: idOf('owner') } });
    await grant(id, idOf('granted'), group);
    for (const path of ['/private', `/${id}`]) expect(await statuses(path)).toEqual([404, 404, 200, 200, 200, 200]);
    const answer = await fetchPath(server, '/private');
    const unknown = await fetchPath(server, '/unknown');
    expect(answer.text.replaceAll('private', 'unknown')).toBe(unknown.text);
    expect(answer.headers['www-authenticate']).toBeUndefined();
  });

  it('that is hidden is nobody’s', async () => {
    const id = await makeFile(server, { name: 'hidden', properties: { hidden: true } });
    for (const path of ['/hidden', `/${id}`]) expect(await statuses(path)).toEqual([404, 404, 404, 404, 404, 404]);
  });

  it('with wrong credentials is an error, not a file for strangers', async () => {
    expect(await statusOf(server, '/public', { 'X-User': 'owner', 'X-Password': 'wrong' })).toBe(401);
  });

  it('goes to who is logged in with a session', async () => {
    const session = await server.as('owner', 'secret-of-owner').loggedIn();
    expect(await statusOf(server, '/private', session.headers)).toBe(200);
  });
});

describe('the folders above', () => {
  it('must all be readable for the path, and need not be for the UUID', async () => {
    const outer = await makeFolder(server, 'outer', undefined, PRIVATE);
    const inner = await makeFolder(server, 'inner', outer);
    const id = await makeFile(server, { name: 'f', parent: inner, properties: { visibleToAuthenticatedUsers: true } });
    expect(await statuses('/outer/inner/f')).toEqual([404, 404, 404, 404, 404, 200]);
    expect(await statuses(`/${id}`)).toEqual([200, 200, 200, 200, 200, 200]);
    await grant(outer, idOf('granted'));
    expect(await statuses('/outer/inner/f')).toEqual([404, 404, 404, 200, 404, 200]);
    await change(server.admin, `/Folder/${outer}`, { visibleToAuthenticatedUsers: true });
    expect(await statuses('/outer/inner/f')).toEqual([404, 200, 200, 200, 200, 200]);
    await change(server.admin, `/Folder/${outer}`, { visibleToPublicUsers: true });
    expect(await statuses('/outer/inner/f')).toEqual([200, 200, 200, 200, 200, 200]);
    await change(server.admin, `/Folder/${inner}`, { ...PRIVATE });
    expect(await statuses('/outer/inner/f')).toEqual([404, 404, 404, 404, 404, 200]);
  });
});

describe('changes of who may see it hold at once', () => {
  it('for files and content that were served before', async () => {
    const id = await makeFile(server, { name: 'turning' });
    const etag = String((await fetchPath(server, '/turning')).headers.etag);
    for (const path of ['/turning', `/${id}`]) {
      expect(await statusOf(server, path)).toBe(200);
      await change(server.admin, `/File/${id}`, PRIVATE);
      expect(await statusOf(server, path)).toBe(404);
      expect(await statusOf(server, path, { 'If-None-Match': etag })).toBe(404);
      expect(await statusOf(server, path, as('owner'))).toBe(404);
      await change(server.admin, `/File/${id}`, { owner: idOf('owner') });
      expect(await statusOf(server, path, as('owner'))).toBe(200);
      await change(server.admin, `/File/${id}`, { owner: null });
      expect(await statusOf(server, path, as('owner'))).toBe(404);
      await change(server.admin, `/File/${id}`, { visibleToPublicUsers: true });
      expect(await statusOf(server, path)).toBe(200);
    }
  });

  it('of a whole type', async () => {
    await makeFile(server, { name: 'typed', properties: PRIVATE });
    expect(await statusOf(server, '/typed')).toBe(404);
    const id = await server.admin.create('SchemaNode', {
      name: 'PublicFile',
      inheritedTraits: ['File'],
      defaultVisibleToPublic: true,
    });
    await server.admin.create('PublicFile', { name: 'of-type' });
    expect(await statusOf(server, '/of-type')).toBe(200);
    await change(server.admin, `/SchemaNode/${id}`, { defaultVisibleToPublic: false });
    expect(await statusOf(server, '/of-type')).toBe(404);
  });
});
