/** `POST /svc/rest/DOMElement/<id>/event` (docs/interface/pages.md 7.3); logins are in `../reference-actions.test.ts`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Client } from '../../support/client.js';
import { makeAction, makePage, nodeNamed } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';

const SHOWN = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
const UNKNOWN = '0123456789abcdef0123456789abcdef';

let server: TestServer;
let admin: Client;
let anna: Client;
let annaId: string;
let count = 0;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  annaId = await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
  anna = server.as('anna', 'Anna-pass-1');
  await admin.create('SchemaMethod', { name: 'double', source: '{ return $.args.word + $.args.word }' });
  await admin.create('SchemaMethod', { name: 'secretly', source: "'secret'", isPrivate: true });
  await admin.create('SchemaMethod', { name: 'raw', source: '{ return { plain: true }; }', returnRawResult: true });
  await admin.defineType('Thing', [{ name: 'size', propertyType: 'Integer' }], {
    schemaMethods: [
      { name: 'describe', source: "{ return $.this.name + ' ' + $.args.how }" },
      { name: 'count', source: '{ return $.args.of.length; }', isStatic: true },
      { name: 'hiddenOne', source: "'secret'", isPrivate: true },
    ],
  });
  await allow(admin, 'DOMElement/_id/event', 'user', ['POST']);
});
afterAll(() => server.stop());

/** The path of an event of a new button with such a mapping. */
async function event(
  fields: Readonly<Record<string, unknown>>,
  parameters: readonly Readonly<Record<string, unknown>>[] = [],
  flags: object = SHOWN,
): Promise<string> {
  const name = `button${String(++count)}`;
  await makePage(admin, name, [['html', {}, ['body', {}, ['button', { name }]]]]);
  await makeAction(admin, name, { event: 'click', ...fields }, parameters, flags);
  return `/DOMElement/${await nodeNamed(admin, name)}/event`;
}
const thing = (values: object = {}, client = admin): Promise<string> =>
  client.create('Thing', { name: 'one', ...values });
const thingOf = async (id: string): Promise<Record<string, unknown>> =>
  (await admin.get(`/Thing/${id}/all`)).body.result;
const refused = (answer: Answer, status: number, message: RegExp): void => {
  expect([answer.status, answer.body]).toEqual([
    status,
    expect.objectContaining({ code: status, errors: expect.anything() }),
  ]);
  expect(answer.body.message).toMatch(message);
};

describe('who may', () => {
  test('nobody without the permission', async () => {
    const path = await event({ action: 'create', dataType: 'Thing' });
    refused(await server.as().post(path, { name: 'x' }), 401, /Access denied/);
    const berta = server.as('berta', 'Berta-pass-1');
    await admin.create('User', { name: 'berta', password: 'Berta-pass-1' });
    expect((await berta.post(path, { name: 'x' })).status).toBe(200);
  });

  test('nobody for an element or a mapping that he may not see', async () => {
    const path = await event({ action: 'create', dataType: 'Thing' }, [], {});
    refused(await anna.post(path, { name: 'x' }), 422, /No event action mapping/);
    const name = `button${String(++count)}`;
    await makePage(admin, name, [['html', {}, ['body', {}, ['button', { name }]]]], {}, {});
    await makeAction(admin, name, { action: 'create', dataType: 'Thing' });
    refused(await anna.post(`/DOMElement/${await nodeNamed(admin, name)}/event`, {}), 404, /No DOMElement/);
  });

  test('with the rights of the caller alone', async () => {
    const foreign = await thing({ visibleToAuthenticatedUsers: true });
    const unseen = await thing();
    for (const action of ['update', 'delete']) {
      const path = await event({ action, idExpression: '${thing.id}' });
      refused(await anna.post(path, { svcIdExpression: foreign, name: 'hers' }), 403, /./);
      refused(await anna.post(path, { svcIdExpression: unseen, name: 'hers' }), 404, /No object with UUID/);
      // One that is refused stops all.
      const own = await thing({ owner: annaId });
      refused(await anna.post(path, { svcIdExpression: `${own},${foreign}`, name: 'hers' }), 403, /./);
      expect(await thingOf(own)).toMatchObject({ name: 'one' });
    }
    expect(await thingOf(foreign)).toMatchObject({ name: 'one' });
  });

  test('GET is no event, a list is none, and a large body is refused before it is taken', async () => {
    const path = await event({ action: 'none' });
    refused(await admin.get(path), 405, /not allowed/);
    refused(await admin.post(path, []), 422, /one JSON object/);
    refused(await admin.post(path, { text: 'x'.repeat(1100 * 1024) }), 413, /./);
    refused(await admin.post(path, '{"a":'), 400, /./);
    refused(await admin.post(`/DOMElement/${UNKNOWN}/event`, {}), 404, /No DOMElement/);
    refused(await admin.post(`/Content/${UNKNOWN}/event`, {}), 404, /./);
  });

  test('an element without a mapping', async () => {
    const name = `button${String(++count)}`;
    await makePage(admin, name, [['html', {}, ['body', {}, ['button', { name }]]]]);
    refused(await admin.post(`/DOMElement/${await nodeNamed(admin, name)}/event`, {}), 422, /No event action mapping/);
  });

  test('a mapping that somebody else than an administrator has written does nothing', async () => {
    await allow(admin, 'ActionMapping', 'user', ['POST']);
    const name = `button${String(++count)}`;
    await makePage(admin, name, [['html', {}, ['body', {}, ['button', { name }]]]]);
    const id = await nodeNamed(admin, name);
    await admin.put(`/Button/${id}`, { owner: annaId });
    await anna.create('ActionMapping', { action: 'method', method: 'double', triggerElements: [id], ...SHOWN });
    refused(await admin.post(`/DOMElement/${id}/event`, { word: 'x' }), 422, /No event action mapping/);
  });
});

describe('what a request names itself', () => {
  test('a type needs the permission that it needs over REST', async () => {
    const open = await event({ action: 'create', dataType: "${'Thing'}" });
    const fixed = await event({ action: 'create', dataType: 'Thing' });
    const berta = server.as('berta', 'Berta-pass-1');
    for (const type of ['Thing', 'User', 'File', 'Folder', 'DOMElement', 'Page']) {
      refused(await berta.post(open, { svcTarget: type, name: 'x' }), 401, /Access denied/);
    }
    refused(await berta.post(await event({ action: 'create' }), { svcTarget: 'Thing' }), 401, /Access denied/);
    // What the mapping says needs none.
    expect((await berta.post(fixed, { name: 'x' })).status).toBe(200);
    const permission = await allow(admin, 'Thing', 'user', ['POST']);
    expect((await berta.post(open, { svcTarget: 'Thing', name: 'x' })).status).toBe(200);
    refused(await berta.post(open, { svcTarget: 'User', name: 'x' }), 401, /Access denied/);
    await admin.delete(`/ResourceAccess/${permission}`);
  });

  test('so do methods, of objects, of types, and functions', async () => {
    const id = await thing({ visibleToAuthenticatedUsers: true });
    const open = await event({ action: 'method', method: '${m}' });
    const calls = [
      ['double', { svcMethod: 'double', word: 'x' }, 'xx'],
      ['Thing/_id/describe', { svcMethod: 'describe', svcTarget: id, how: 'well' }, 'one well'],
      ['Thing/count', { svcMethod: 'count', svcTarget: 'Thing', of: [1] }, 1],
    ] as const;
    for (const [signature, body, result] of calls) {
      refused(await anna.post(open, body), 401, /Access denied/);
      await allow(admin, signature, 'user', ['POST']);
      expect((await anna.post(open, body)).body.result).toBe(result);
    }
    // Whether there is such a function is nobody's business.
    refused(await anna.post(open, { svcMethod: 'nothing' }), 401, /Access denied/);
    // A type that the mapping does not say, with a method that it says.
    const named = await event({ action: 'method', method: 'count' });
    expect((await anna.post(named, { svcTarget: 'Thing', of: [1] })).body.result).toBe(1);
    refused(await anna.post(named, { svcTarget: 'User', of: [1] }), 401, /Access denied/);
  });

  test('values are values: nothing in them is evaluated', async () => {
    const script = "${create('Thing', 'name', 'by-value')}";
    const created = await anna.post(await event({ action: 'create', dataType: 'Thing' }), { name: script });
    const id = created.body.result.id as string;
    expect(await thingOf(id)).toMatchObject({ name: script });
    const update = await event({ action: 'update', idExpression: '${x.id}' });
    await anna.post(update, { svcIdExpression: id, name: `${script}!` });
    expect(await thingOf(id)).toMatchObject({ name: `${script}!` });
    const answer = await anna.post(await event({ action: 'method', method: 'double' }), { word: script });
    expect(answer.body.result).toBe(script + script);
    expect((await admin.get('/Thing?name=by-value')).body.result_count).toBe(0);
  });
});

describe('strangers', () => {
  test('create what a mapping says, and change nothing that is not theirs', async () => {
    const permission = await allow(admin, 'DOMElement/_id/event', 'anonymous', ['POST']);
    const nobody = server.as();
    const create = await event({ action: 'create', dataType: 'Thing' });
    expect((await nobody.post(create, { name: 'of a stranger' })).body.result).toMatchObject({ type: 'Thing' });
    // Users whom they do not see are not there for them.
    refused(await nobody.post(create, { name: 'of anna', owner: annaId }), 422, /No Principal/);
    const seen = await thing({ visibleToPublicUsers: true });
    const unseen = await thing();
    for (const action of ['update', 'delete']) {
      const path = await event({ action, idExpression: '${thing.id}' });
      refused(await nobody.post(path, { svcIdExpression: seen, name: 'x' }), 403, /./);
      refused(await nobody.post(path, { svcIdExpression: unseen, name: 'x' }), 404, /No object/);
      refused(await nobody.post(path, { svcIdExpression: 'me', name: 'x' }), 422, /stands for no object/);
    }
    refused(await nobody.post(await event({ action: 'create' }), { svcTarget: 'Thing' }), 401, /Access denied/);
    refused(await nobody.post(await event({ action: 'method' }), { svcMethod: 'double' }), 401, /Access denied/);
    expect(await thingOf(seen)).toMatchObject({ name: 'one' });
    await admin.delete(`/ResourceAccess/${permission}`);
  });

  test('pages of other sites do nothing with the login of a visitor, whatever they call their body', async () => {
    await allow(admin, '_login', 'anonymous', ['POST']);
    const { headers } = await anna.loggedIn();
    const path = await event({ action: 'create', dataType: 'Thing' });
    const body = JSON.stringify({ name: 'of another site' });
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const answer = await fetch(`${server.url}/svc/rest${path}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': type, Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
        body,
      });
      expect([type, answer.status]).toEqual([type, 401]);
    }
    const own = { ...headers, 'Content-Type': 'application/json', Origin: server.url, 'Sec-Fetch-Site': 'same-origin' };
    const answer = await fetch(`${server.url}/svc/rest${path}`, { method: 'POST', headers: own, body });
    expect(answer.status).toBe(200);
    expect((await admin.get('/Thing?name=of another site')).body.result_count).toBe(1);
  });
});

describe('objects', () => {
  test('create answers the object; what the script says of itself is no value', async () => {
    const path = await event({ action: 'create', dataType: 'Thing' }, [
      { parameterName: 'requestName', parameterType: 'constant-value', constantValue: 'x' },
    ]);
    const answer = await anna.post(path, {
      htmlEvent: 'click',
      svcTarget: 'Thing',
      svcAction: 'create',
      svcFailureNotificationsDelay: '5',
      childId: 'x',
      currentObjectId: UNKNOWN,
      requestPage: '2',
      name: 'two',
      size: 5,
    });
    expect([answer.status, answer.body.result]).toEqual([200, expect.objectContaining({ type: 'Thing', size: 5 })]);
    const made = await thingOf(answer.body.result.id as string);
    expect(made).toMatchObject({ name: 'two', size: 5, createdBy: annaId });
    for (const key of ['htmlEvent', 'svcAction', 'childId', 'currentObjectId', 'requestPage'])
      expect(made).not.toHaveProperty(key);
  });

  test('the type is that of the mapping, and of the request where the mapping leaves it to the page', async () => {
    refused(
      await admin.post(await event({ action: 'create', dataType: 'Thing' }), { svcTarget: 'User' }),
      422,
      /says Thing/,
    );
    const open = await event({ action: 'create', dataType: "${'Thing'}" });
    expect((await admin.post(open, { svcTarget: 'Thing', name: 'a' })).body.result.type).toBe('Thing');
    refused(await admin.post(open, { svcTarget: 'Nothing' }), 422, /unknown type Nothing/);
    refused(await admin.post(open, { svcTarget: 'SECURITY' }), 422, /unknown type SECURITY/);
    refused(await admin.post(open, {}), 422, /without a type/);
  });

  test('what the type refuses is told by its tokens', async () => {
    const answer = await admin.post(await event({ action: 'create', dataType: 'Thing' }), { size: 'x' });
    refused(answer, 422, /./);
    expect(answer.body.errors).toEqual([expect.objectContaining({ property: 'size' })]);
  });

  test('update and delete take all targets', async () => {
    const ids = [await thing(), await thing(), await thing()];
    const update = await event({ action: 'update', idExpression: '${join(ids, ",")}' });
    const answer = await admin.post(update, {
      svcIdExpression: ` ${ids.slice(0, 2).join(' , ')}`,
      svcTarget: '${x}',
      name: 'new',
    });
    expect([answer.status, answer.body.result]).toEqual([200, {}]);
    expect(await Promise.all(ids.map(async (id) => (await thingOf(id))['name']))).toEqual(['new', 'new', 'one']);
    const remove = await event({ action: 'delete' });
    expect((await admin.post(remove, { svcTarget: ids.slice(1).join(',') })).body.result).toEqual({});
    expect(await Promise.all(ids.map(async (id) => (await admin.get(`/Thing/${id}`)).status))).toEqual([200, 404, 404]);
  });

  test('targets by a keyword', async () => {
    const path = await event({ action: 'update', idExpression: 'me' });
    expect((await anna.post(path, { svcIdExpression: 'me', localStorage: 'x' })).status).toBe(200);
    expect((await admin.get(`/User/${annaId}/all`)).body.result).toMatchObject({ localStorage: 'x' });
    const open = await event({ action: 'update', idExpression: '${current.id}' });
    expect((await anna.post(open, { svcIdExpression: 'me', localStorage: 'y' })).status).toBe(200);
    expect((await admin.get(`/User/${annaId}/all`)).body.result).toMatchObject({ localStorage: 'y' });
  });

  test('scripts of a request are not run, those of a mapping are', async () => {
    const id = await thing({ name: 'by-script' });
    const open = await event({ action: 'update', idExpression: '${current.id}' });
    const script = "first(find('Thing'))";
    refused(await admin.post(open, { svcIdExpression: script }), 422, /neither a list of ids nor the name/);
    refused(await admin.post(open, { svcIdExpression: '${thing.id}' }), 422, /neither/);
    const own = await event({ action: 'update', idExpression: "find('Thing', 'name', 'by-script')" });
    expect((await admin.post(own, { name: 'changed' })).status).toBe(200);
    expect(await thingOf(id)).toMatchObject({ name: 'changed' });
  });

  test('no target', async () => {
    for (const action of ['update', 'delete', 'append-child', 'remove-child']) {
      const path = await event({ action });
      refused(await admin.post(path, { name: 'x', childId: UNKNOWN }), 422, /without a target/);
      refused(await admin.post(path, { svcTarget: 'nothing', childId: UNKNOWN }), 422, /stands for no object/);
    }
    const path = await event({ action: 'update' });
    const many = Array.from({ length: 1001 }, (_, i) => i.toString(16).padStart(32, '0')).join(',');
    refused(await admin.post(path, { svcTarget: many }), 422, /1000 objects at most/);
  });
});

describe('children', () => {
  test('are moved to another node, and taken out of the page', async () => {
    const name = `tree${String(++count)}`;
    await makePage(admin, name, [
      [
        'html',
        {},
        ['body', {}, ['ul', { name: `${name}-a` }, ['li', { name: `${name}-child` }]], ['ul', { name: `${name}-b` }]],
      ],
    ]);
    const [a, b, child] = await Promise.all(['a', 'b', 'child'].map((one) => nodeNamed(admin, `${name}-${one}`)));
    const parentOf = async (): Promise<unknown> =>
      (await admin.get(`/DOMElement/${String(child)}/ui`)).body.result.parent?.id;
    const append = await event({ action: 'append-child' });
    refused(await admin.post(append, { svcTarget: b }), 422, /without a child/);
    refused(await admin.post(append, { svcTarget: b, childId: annaId }), 422, /no node of a page/);
    refused(await anna.post(append, { svcTarget: b, childId: child }), 403, /./);
    expect((await admin.post(append, { svcTarget: b, childId: { id: child } })).body.result).toEqual({});
    expect(await parentOf()).toBe(b);
    const remove = await event({ action: 'remove-child' });
    refused(await admin.post(remove, { svcTarget: a, childId: child }), 422, /Node is not a child/);
    expect((await admin.post(remove, { svcTarget: b, childId: child })).status).toBe(200);
    expect(await parentOf()).toBeUndefined();
  });
});

describe('methods', () => {
  test('user-defined functions', async () => {
    const path = await event({ action: 'method', method: 'double' });
    expect((await anna.post(path, { svcMethod: 'double', word: 'ab' })).body.result).toBe('abab');
    refused(await anna.post(path, { svcMethod: 'secretly' }), 422, /says double/);
    const raw = await anna.post(await event({ action: 'method', method: 'raw' }), {});
    expect(raw.body).toEqual({ plain: true });
    // An action that is none of the table is the name of a method.
    expect((await anna.post(await event({ action: 'double' }), { word: 'x' })).body.result).toBe('xx');
  });

  test('of objects, static ones, and those of built-in types', async () => {
    const id = await thing({ visibleToAuthenticatedUsers: true });
    const method = await event({ action: 'method', method: 'describe', idExpression: '${thing.id}' });
    expect((await anna.post(method, { svcIdExpression: id, how: 'well' })).body.result).toBe('one well');
    const fixed = await event({ action: 'method', method: 'count', idExpression: 'Thing' });
    expect((await anna.post(fixed, { svcTarget: 'Thing', of: [1, 2] })).body.result).toBe(2);
    refused(await anna.post(fixed, { svcTarget: 'User', of: [1, 2] }), 422, /says Thing/);
    const file = await admin.create('File', { name: 'x.txt', content: Buffer.from('abc').toString('base64') });
    const builtin = await event({ action: 'method', method: '${m}', idExpression: '${file.id}' });
    const answer = await admin.post(builtin, { svcMethod: 'getFirstLines', svcIdExpression: file, num: 1 });
    expect([answer.status, JSON.stringify(answer.body.result)]).toEqual([200, expect.stringContaining('lines')]);
  });

  test('unknown ones, private ones, and those of foreign objects', async () => {
    const id = await thing();
    const open = await event({ action: 'method' });
    refused(await admin.post(open, {}), 422, /without the name/);
    refused(await admin.post(open, { svcMethod: 'nothing' }), 422, /Unknown user-defined function nothing/);
    refused(await admin.post(open, { svcMethod: 'secretly' }), 422, /Unknown user-defined function secretly/);
    refused(await admin.post(open, { svcMethod: 'hiddenOne', svcTarget: id }), 422, /no method hiddenOne/);
    refused(await admin.post(open, { svcMethod: 'describe', svcTarget: 'Thing' }), 422, /no static method describe/);
    refused(await anna.post(open, { svcMethod: 'describe', svcTarget: id }), 404, /No object/);
    refused(
      await admin.post(open, { svcMethod: 'describe', svcTarget: `${id},${await thing()}` }),
      422,
      /on one object/,
    );
  });
});

describe('what is not there yet', () => {
  test('flow', async () => {
    refused(await admin.post(await event({ action: 'flow' }), {}), 501, /Not part of this version/);
  });
  test.each(['none', 'next-page', 'last-page', ''])('%s does nothing', async (action) => {
    const answer = await admin.post(await event({ action }), { name: 'x' });
    expect([answer.status, answer.body.result]).toEqual([200, {}]);
  });
});
