/** Grants and groups by functions (contract, Generic object; docs/interface/script-runtime.md 1.3), and whose rights scripts have (docs/interface/script-runtime.md 1.1). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let jane: Client;
let janeId: string;
let thing: string;
let team: string;

/** Runs an expression, or JavaScript, as a user. */
async function run(source: string, client = admin): Promise<{ status: number; result: unknown }> {
  const name = `run${String(++count)}`;
  await admin.create('SchemaMethod', { name, source });
  await allow(admin, name, 'user', ['POST']);
  const answer = await client.post(`/${name}`, {});
  return { status: answer.status, result: (answer.body as { result?: unknown }).result };
}
let count = 0;

const value = async (source: string): Promise<unknown> => {
  const { status, result } = await run(source);
  expect(status, source).toBe(200);
  return result;
};

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  await admin.create('SchemaNode', { name: 'Thing', schemaProperties: [{ name: 'title', propertyType: 'String' }] });
  janeId = await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
  jane = server.as('jane', 'secret-of-jane');
  thing = await admin.create('Thing', { name: 'thing', title: 'x' });
  team = await admin.create('Group', { name: 'team' });
  await admin.create('Group', { name: 'parents' });
  for (const signature of ['Thing', 'Thing/_id']) await allow(admin, signature, 'user', ['GET', 'PUT', 'DELETE']);
});
afterAll(() => server.stop());

const THING = "first(find('Thing', 'name', 'thing'))";
const JANE = "first(find('User', 'name', 'jane'))";
const TEAM = "first(find('Group', 'name', 'team'))";
const PARENTS = "first(find('Group', 'name', 'parents'))";

describe('grants', () => {
  it('grant gives rights at once, revoke takes them', async () => {
    expect((await jane.get(`/Thing/${thing}`)).status).toBe(404);
    expect(await value(`grant(${JANE}, ${THING}, 'read')`)).toBe('');
    expect((await jane.get(`/Thing/${thing}`)).status).toBe(200);
    expect((await jane.put(`/Thing/${thing}`, { title: 'y' })).status).toBe(403);
    await value(`grant(${JANE}, ${THING}, 'write, delete')`);
    expect((await jane.put(`/Thing/${thing}`, { title: 'y' })).status).toBe(200);
    await value(`revoke(${JANE}, ${THING}, 'write')`);
    expect((await jane.put(`/Thing/${thing}`, { title: 'z' })).status).toBe(403);
    expect(await value(`isAllowed(${JANE}, ${THING}, 'read, delete')`)).toBe(true);
    expect(await value(`isAllowed(${JANE}, ${THING}, 'read, write')`)).toBe(false);
    await value(`revoke(${JANE}, ${THING}, 'read, delete')`);
    expect((await jane.get(`/Thing/${thing}`)).status).toBe(404);
  });

  it('the same in JavaScript', async () => {
    await value("{ $.grant($.find('User', 'name', 'jane')[0], $.find('Thing', 'name', 'thing')[0], 'read'); }");
    expect((await jane.get(`/Thing/${thing}`)).status).toBe(200);
  });

  it('whoever may not change permissions may not grant them, not even to himself', async () => {
    await value(`grant(${JANE}, ${THING}, 'read, write')`);
    expect((await run(`grant(me, ${THING}, 'delete, accessControl')`, jane)).status).toBe(403);
    expect(await value(`isAllowed(${JANE}, ${THING}, 'delete')`)).toBe(false);
    await value(`grant(${JANE}, ${THING}, 'accessControl')`);
    expect((await run(`grant(me, ${THING}, 'delete')`, jane)).status).toBe(200);
    expect(await value(`isAllowed(${JANE}, ${THING}, 'delete')`)).toBe(true);
  });

  it('the right accessControl is all that it needs', async () => {
    const closed = await admin.create('Thing', { name: 'closed' });
    const CLOSED = "first(findPrivileged('Thing', 'name', 'closed'))";
    const HIDDEN = "first(findPrivileged('Group', 'name', 'team'))";
    expect((await run(`grant(${HIDDEN}, ${CLOSED}, 'read')`, jane)).status).toBe(403);
    await value(`grant(${JANE}, ${CLOSED}, 'accessControl')`);
    expect((await jane.get(`/Thing/${closed}`)).status).toBe(404);
    expect((await run(`grant(${HIDDEN}, ${CLOSED}, 'read')`, jane)).status).toBe(200);
    expect(await value(`isAllowed(${TEAM}, ${CLOSED}, 'read')`)).toBe(true);
    expect((await run(`revoke(${HIDDEN}, ${CLOSED}, 'read')`, jane)).status).toBe(200);
    expect(await value(`isAllowed(${TEAM}, ${CLOSED}, 'read')`)).toBe(false);
  });

  it('copyPermissions gives another object what one has', async () => {
    const other = await admin.create('Thing', { name: 'other' });
    await value(`copyPermissions(${THING}, first(find('Thing', 'name', 'other')))`);
    expect((await jane.get(`/Thing/${other}`)).status).toBe(200);
  });
});

describe('groups', () => {
  it('addToGroup and removeFromGroup make and end memberships, isInGroup tells', async () => {
    await value(`addToGroup(${TEAM}, ${JANE})`);
    await value(`addToGroup(${TEAM}, ${JANE})`);
    await value(`addToGroup(${PARENTS}, ${TEAM})`);
    expect((await admin.get(`/Group/${team}/members`)).body.result).toHaveLength(1);
    expect(await value(`isInGroup(${TEAM}, ${JANE})`)).toBe(true);
    expect(await value(`isInGroup(${PARENTS}, ${JANE})`)).toBe(false);
    expect(await value(`isInGroup(${PARENTS}, ${JANE}, true)`)).toBe(true);
    const hidden = await admin.create('Thing', { name: 'hidden' });
    await value(`grant(${PARENTS}, first(find('Thing', 'name', 'hidden')), 'read')`);
    expect((await jane.get(`/Thing/${hidden}`)).status).toBe(200);
    await value(`removeFromGroup(${TEAM}, ${JANE})`);
    expect(await value(`isInGroup(${TEAM}, ${JANE})`)).toBe(false);
    expect((await jane.get(`/Thing/${hidden}`)).status).toBe(404);
  });

  it('a user who may not change a group cannot join it', async () => {
    await admin.put(`/Group/${team}`, { visibleToAuthenticatedUsers: true });
    expect((await run(`addToGroup(${TEAM}, me)`, jane)).status).toBe(403);
    expect(await value(`isInGroup(${TEAM}, ${JANE})`)).toBe(false);
  });
});

describe('whose rights scripts have', () => {
  it('find, get and counting see what the user sees', async () => {
    await admin.create('Thing', { name: 'private' });
    expect((await run("size(find('Thing', 'name', 'private'))", jane)).result).toBe(0);
    expect((await run("size(findPrivileged('Thing', 'name', 'private'))", jane)).result).toBe(1);
    expect((await run("{ return $.find('Thing', 'name', 'private').length; }", jane)).result).toBe(0);
    expect(
      (await run("{ return $.doPrivileged(() => $.find('Thing', 'name', 'private').length); }", jane)).result,
    ).toBe(1);
    expect(
      (await run("{ $.doPrivileged(() => 1); return $.find('Thing', 'name', 'private').length; }", jane)).result,
    ).toBe(0);
  });

  it('doAs runs with those of another user', async () => {
    const source = `{ let n = -1; $.doAs($.find('User', '${janeId}'), () => { n = $.find('Thing', 'name', 'private').length; }); return n; }`;
    expect((await run(source)).result).toBe(0);
  });

  it('delete and set need the rights, setPrivileged does not', async () => {
    await admin.create('Thing', { name: 'shown', title: 'a', visibleToAuthenticatedUsers: true });
    const shown = "first(find('Thing', 'name', 'shown'))";
    expect((await run(`delete(${shown})`, jane)).status).toBe(403);
    expect((await run(`set(${shown}, 'title', 'b')`, jane)).status).toBe(403);
    expect((await run(`setPrivileged(${shown}, 'title', 'c')`, jane)).status).toBe(200);
    expect(await value(`get(${shown}, 'title')`)).toBe('c');
  });

  it('secrets are read by no script', async () => {
    const sources = [
      `get(${JANE}, 'password')`,
      `get(${JANE}, 'salt')`,
      `{ return $.find('User', 'name', 'jane')[0].password; }`,
      `find('User', 'password', 'secret-of-jane')`,
      `find('User', contains('password', 'a'))`,
      `find('User', sort('password'))`,
    ];
    for (const source of sources) {
      const { status, result } = await run(source);
      expect([200, 422], source).toContain(status);
      expect(JSON.stringify(result ?? null), source).not.toMatch(/argon|secret-of|\$[0-9a-z]/);
      if (source.startsWith('find')) expect(status, source).toBe(422);
    }
  });
});

describe('function properties', () => {
  it('see what the one who reads them sees, in whatever way they are read', async () => {
    await admin.create('SchemaNode', {
      name: 'Peek',
      schemaProperties: [
        { name: 'number', propertyType: 'Function', readFunction: "size(find('Thing', 'name', 'private'))" },
        { name: 'js', propertyType: 'Function', readFunction: "{ return $.find('Thing', 'name', 'private').length; }" },
      ],
      schemaViews: [{ name: 'public', nonGraphProperties: 'number, js' }],
    });
    const id = await admin.create('Peek', { visibleToAuthenticatedUsers: true });
    await allow(admin, 'Peek/_id', 'user', ['GET']);
    await allow(admin, 'Peek/_id/number', 'user', ['GET']);
    const peek = "first(find('Peek'))";
    for (const [client, seen] of [
      [admin, 1],
      [jane, 0],
    ] as const) {
      expect((await client.get(`/Peek/${id}`)).body.result).toMatchObject({ number: seen, js: seen });
      expect((await client.get(`/Peek/${id}/number`)).body.result).toEqual({ number: seen });
      expect((await run(`${peek}.number`, client)).result).toBe(seen);
      expect((await run("{ return $.find('Peek')[0].js; }", client)).result).toBe(seen);
      expect(JSON.parse(String((await run(`toJson(${peek})`, client)).result))).toMatchObject({
        number: seen,
        js: seen,
      });
    }
  });

  it('relationships by id are read only by who sees both ends', async () => {
    const thingOfJane = await admin.create('Thing', { name: 'linked', owner: janeId });
    const [owns] = (await admin.get(`/Thing/${thingOfJane}/in`)).body.result as { id: string; type: string }[];
    const source = `get(find('${owns?.type ?? ''}', '${owns?.id ?? ''}'), 'id')`;
    expect((await run(source)).result).toBe(owns?.id);
    await admin.create('User', { name: 'joe', password: 'secret-of-joe' });
    expect((await run(source, server.as('joe', 'secret-of-joe'))).result).toBe('');
  });
});
