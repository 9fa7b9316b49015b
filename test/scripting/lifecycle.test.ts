/** Methods that run when objects are created, changed and deleted (docs/interface/scripting.md 6.5). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;

/** A type with these methods, and a property `title`. */
async function type(name: string, methods: Readonly<Record<string, string>>, more: object = {}): Promise<void> {
  await admin.create('SchemaNode', {
    name,
    schemaProperties: [
      { name: 'title', propertyType: 'String' },
      { name: 'seen', propertyType: 'String' },
    ],
    schemaViews: [{ name: 'public', nonGraphProperties: 'title, seen' }],
    schemaMethods: Object.entries(methods).map(([method, source]) => ({ name: method, source })),
    ...more,
  });
}

const get = async (path: string): Promise<Record<string, unknown>> =>
  ((await admin.get(path)).body as { result: Record<string, unknown> }).result;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
});
afterAll(() => server.stop());

describe('inside of the transaction', () => {
  it('onCreate runs for what is created, onSave for what is changed, in both languages', async () => {
    await type('Plain', {
      onCreate: "set(this, 'seen', concat('created ', this.title))",
      onSave: "{ $.this.seen = 'saved ' + $.this.title; }",
    });
    const id = await admin.create('Plain', { title: 'one' });
    expect(await get(`/Plain/${id}`)).toMatchObject({ title: 'one', seen: 'created one' });
    await admin.put(`/Plain/${id}`, { title: 'two' });
    expect(await get(`/Plain/${id}`)).toMatchObject({ title: 'two', seen: 'saved two' });
  });

  it('an error of one rolls everything back', async () => {
    await type('Strict', {
      onCreate: "{ if ($.this.title === 'bad') $.error('title', 'is_bad', 'why'); }",
      onSave: "{ $.assert($.this.title !== 'bad', 409, 'not now'); }",
      onDelete: "{ $.assert($.this.title !== 'kept', 403, 'kept'); }",
    });
    const refused = await admin.post('/Strict', [{ title: 'good' }, { title: 'bad' }]);
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({
      message: 'Server-side scripting error',
      errors: [{ type: 'Strict', property: 'title', token: 'is_bad', detail: 'why' }],
    });
    expect((await admin.get('/Strict')).body.result_count).toBe(0);
    const id = await admin.create('Strict', { title: 'kept' });
    expect((await admin.put(`/Strict/${id}`, { title: 'bad' })).status).toBe(409);
    expect((await admin.delete(`/Strict/${id}`)).status).toBe(403);
    expect(await get(`/Strict/${id}`)).toMatchObject({ title: 'kept' });
  });

  it('onNodeCreation runs at once; suffixes make several; those of all traits run, base first', async () => {
    await type('Base', {
      onNodeCreation: "set(this, 'seen', 'made')",
      onCreate: "set(this, 'seen', concat(this.seen, ' base'))",
    });
    await type(
      'Derived',
      { onCreate01: "set(this, 'seen', concat(this.seen, ' derived'))" },
      { inheritedTraits: ['Base'] },
    );
    const id = await admin.create('Derived', { title: 'x' });
    expect(await get(`/Derived/${id}`)).toMatchObject({ seen: 'made base derived' });
  });

  it('onSave is told what has changed, relations too', async () => {
    await type('Boss', { onSave: '{ $.this.seen = JSON.stringify($.methodParameters.modifications.added); }' });
    await type('Worker', {
      onSave: "{ const m = $.retrieve('modifications'); $.this.seen = m.before.title + '>' + m.after.title; }",
    });
    const [boss, worker] = await Promise.all(
      ['Boss', 'Worker'].map(async (name) => {
        const answer = await admin.get(`/SchemaNode?name=${name}`);
        return (answer.body as { result: { id: string }[] }).result[0]?.id;
      }),
    );
    await admin.create('SchemaRelationshipNode', {
      sourceNode: boss,
      targetNode: worker,
      relationshipType: 'LEADS',
      sourceMultiplicity: '1',
      targetMultiplicity: '*',
      sourceJsonName: 'boss',
      targetJsonName: 'workers',
    });
    const led = await admin.create('Worker', { title: 'a' });
    const leader = await admin.create('Boss', { title: 'b' });
    await admin.put(`/Worker/${led}`, { title: 'c' });
    expect(await get(`/Worker/${led}`)).toMatchObject({ seen: 'a>c' });
    await admin.put(`/Boss/${leader}`, { workers: [led] });
    expect(JSON.parse(String((await get(`/Boss/${leader}`))['seen']))).toEqual({ workers: [led] });
  });

  it('onSave is told nothing that the service keeps for itself, and no password', async () => {
    const source = "{ const m = $.retrieve('modifications'); $.this.seen = JSON.stringify([m.before, m.after]); }";
    await type('Member', { onSave: source }, { inheritedTraits: ['User'] });
    const id = await admin.create('Member', { name: 'max', password: 'secret-of-max', eMail: 'max@example.com' });
    await admin.put(`/Member/${id}`, { password: 'another-secret', eMail: 'other@example.com' });
    const [before, after] = JSON.parse(String((await get(`/Member/${id}`))['seen'])) as Record<string, unknown>[];
    expect(before).toMatchObject({ password: null, eMail: 'max@example.com' });
    expect(after).toMatchObject({ password: null, eMail: 'other@example.com' });
    const known = new Set(
      ((await admin.get('/_schema/Member/all')).body.result as { jsonName: string }[]).map((p) => p.jsonName),
    );
    expect(Object.keys({ ...before, ...after }).filter((name) => !known.has(name))).toEqual([]);
  });

  it('what they change sets off others, and methods that change each other for ever are ended', async () => {
    await type('Chain', {
      onSave: "{ const n = $.find('Chain', 'title', 'next')[0]; if (n && n.id !== $.this.id) n.title = 'done'; }",
    });
    const next = await admin.create('Chain', { title: 'next' });
    const first = await admin.create('Chain', { title: 'first' });
    await admin.put(`/Chain/${first}`, { title: 'go' });
    expect(await get(`/Chain/${next}`)).toMatchObject({ title: 'done' });
    await type('Ping', {
      onSave: "{ for (const o of $.find('Ping')) if (o.id !== $.this.id) o.title = o.title + 'x'; }",
    });
    const ping = await admin.create('Ping', { title: 'a' });
    await admin.create('Ping', { title: 'b' });
    const endless = await admin.put(`/Ping/${ping}`, { title: 'c' });
    expect(endless.status).toBe(422);
    expect(await get(`/Ping/${ping}`)).toMatchObject({ title: 'a' });
  });

  it('what scripts create and change sets them off too, once a transaction', async () => {
    await type('Inner', { onCreate: "set(this, 'seen', 'by script')" });
    await admin.create('SchemaMethod', { name: 'makeInner', source: "{ return $.create('Inner', { title: 'x' }); }" });
    const made = (await admin.post('/makeInner', {})).body.result as { id: string; seen: string };
    expect(made.seen).toBe('by script');
  });
});

describe('onSave and what it writes itself', () => {
  it('runs once for one change, though it changes its own object and creates another', async () => {
    await type('Trace', {});
    await type('Counter', {
      onSave: "{ $.this.seen = String(Number($.this.seen ?? 0) + 1); $.create('Trace', { title: $.this.title }); }",
    });
    const id = await admin.create('Counter', { title: 'a' });
    expect((await admin.put(`/Counter/${id}`, { title: 'b' })).status).toBe(200);
    expect(await get(`/Counter/${id}`)).toMatchObject({ title: 'b', seen: '1' });
    expect((await admin.get('/Trace')).body.result_count).toBe(1);
  });

  it('runs once, though it changes its own object, and another one that changes nothing back', async () => {
    await type('Friend', { onSave: "{ $.this.seen = (Number($.this.seen ?? 0) + 1) + ''; }" });
    await type('Leader', {
      onSave: `{ $.this.seen = String(Number($.this.seen ?? 0) + 1);
        for (const one of $.find('Friend')) one.title = $.this.title; $.this.seen += '!'; }`,
    });
    const friend = await admin.create('Friend', {});
    const id = await admin.create('Leader', { title: 'a' });
    await admin.put(`/Leader/${id}`, { title: 'b' });
    expect(await get(`/Leader/${id}`)).toMatchObject({ seen: '1!' });
    expect(await get(`/Friend/${friend}`)).toMatchObject({ title: 'b', seen: '1' });
  });

  it('runs again for what the method of another object changes in it, and is told of that alone', async () => {
    await type('Echo', { onSave: "{ $.find('Caller')[0].title += '?'; }" });
    await type('Caller', {
      onSave: `{ const { after } = $.methodParameters.modifications;
        $.this.seen = ($.this.seen ?? '') + Object.keys(after).filter((key) => key !== 'lastModifiedDate').join() + ';';
        if (!$.this.title.endsWith('?')) $.find('Echo')[0].title = 'called'; }`,
    });
    await admin.create('Echo', {});
    const id = await admin.create('Caller', { title: 'a' });
    await admin.put(`/Caller/${id}`, { title: 'b' });
    expect(await get(`/Caller/${id}`)).toMatchObject({ title: 'b?', seen: 'title;title;' });
  });

  it('the limit of rounds names the method', async () => {
    await type('Up', { onSave: "{ for (const p of $.find('Down')) p.title = String(Math.random()); }" });
    await type('Down', { onSave: "{ for (const p of $.find('Up')) p.title = String(Math.random()); }" });
    await admin.create('Down', {});
    const id = await admin.create('Up', {});
    const { status, body } = await admin.put(`/Up/${id}`, { title: 'b' });
    expect(status).toBe(422);
    expect((body as { message: string }).message).toMatch(/100 rounds; the last one was (Up|Down)\.onSave/);
  });
});

describe('objects that scripts write', () => {
  it('show at once what onNodeCreation has written', async () => {
    await type('Made', { onNodeCreation: "{ $.this.seen = 'made ' + $.this.title; }" });
    await admin.create('SchemaMethod', {
      name: 'makeOne',
      source: "{ const one = $.create('Made', { title: 'x' }); return [one.seen, one.title]; }",
    });
    expect((await admin.post('/makeOne', {})).body.result).toEqual(['made x', 'x']);
  });

  it('show at once what a write function has written', async () => {
    await admin.create('SchemaNode', {
      name: 'Written',
      schemaProperties: [
        { name: 'plain', propertyType: 'String' },
        { name: 'other', propertyType: 'String' },
        { name: 'w', propertyType: 'Function', writeFunction: '{ $.this.plain = $.value; }' },
        { name: 'm1', propertyType: 'Function', writeFunction: "{ $.this.other = ($.this.other ?? '') + $.value.a; }" },
        { name: 'm2', propertyType: 'Function', writeFunction: "{ $.this.other = ($.this.other ?? '') + $.value.a; }" },
      ],
      schemaViews: [{ name: 'public', nonGraphProperties: 'plain, other' }],
    });
    await admin.create('SchemaMethod', {
      name: 'writeSome',
      source: `{ const one = $.create('Written', { w: 'v0' }); const seen = [one.plain];
        one.w = 'v1'; seen.push(one.plain); one.w = 'v2'; seen.push(one.plain);
        $.set(one, { m1: { a: 'x' }, m2: { a: 'y' } }); seen.push(one.other); return seen; }`,
    });
    expect((await admin.post('/writeSome', {})).body.result).toEqual(['v0', 'v1', 'v2', 'xy']);
    const id = await admin.create('Written', { m1: { a: '1' }, m2: { a: '2' } });
    expect(await get(`/Written/${id}`)).toMatchObject({ other: '12' });
  });
});

describe('after the commit', () => {
  it('afterCreate, afterSave and afterDelete run in a transaction of their own, and fail alone', async () => {
    await type('Late', {
      afterCreate: "{ $.this.seen = 'after create'; }",
      afterSave: "{ throw new Error('late'); }",
      afterDelete: "{ $.log('gone: ', $.get('data').title); }",
    });
    const id = await admin.create('Late', { title: 'x' });
    expect(await get(`/Late/${id}`)).toMatchObject({ seen: 'after create' });
    expect((await admin.put(`/Late/${id}`, { title: 'y' })).status).toBe(200);
    expect(await get(`/Late/${id}`)).toMatchObject({ title: 'y' });
    await admin.delete(`/Late/${id}`);
    await server.untilLogged(/gone: y/);
  });

  it('none runs for what was created and deleted in one transaction', async () => {
    await type('Brief', { onCreate: "{ $.log('brief created'); }", onDelete: "{ $.log('brief deleted'); }" });
    await admin.create('SchemaMethod', { name: 'brief', source: "{ $.delete($.create('Brief', { title: 'x' })); }" });
    expect((await admin.post('/brief', {})).status).toBe(200);
    expect(server.logged(/brief (created|deleted)/)).toEqual([]);
  });
});

it('lifecycle methods are called by nobody else', async () => {
  const id = await admin.create('Plain', { title: 'x' });
  expect((await admin.post(`/Plain/${id}/onSave`, {})).status).toBe(404);
});

describe('function properties', () => {
  it('read and write by scripts, by their hint, and are seen in lists and filters of views', async () => {
    await admin.create('SchemaNode', {
      name: 'Sheet',
      schemaProperties: [
        { name: 'width', propertyType: 'Integer' },
        { name: 'area', propertyType: 'Function', readFunction: 'mult(this.width, 2)', typeHint: 'int' },
        { name: 'js', propertyType: 'Function', readFunction: '{ return { w: $.this.width, me: $.me.name }; }' },
        { name: 'broken', propertyType: 'Function', readFunction: "{ throw new Error('no'); }" },
        { name: 'setter', propertyType: 'Function', writeFunction: "set(this, 'width', mult(value, 10))" },
        { name: 'checked', propertyType: 'Function', writeFunction: "{ $.error('checked', 'is_bad'); }" },
        { name: 'deaf', propertyType: 'Function', readFunction: '1' },
      ],
      schemaViews: [{ name: 'public', nonGraphProperties: 'width, area, js, broken' }],
    });
    const id = await admin.create('Sheet', { width: 3 });
    expect(await get(`/Sheet/${id}`)).toMatchObject({ area: 6, js: { w: 3, me: 'admin' }, broken: null });
    await admin.put(`/Sheet/${id}`, { setter: 5, deaf: 'ignored' });
    expect(await get(`/Sheet/${id}`)).toMatchObject({ width: 50, area: 100 });
    const refused = await admin.put(`/Sheet/${id}`, { checked: 1, width: 1 });
    expect(refused.body).toMatchObject({ code: 422, errors: [{ token: 'is_bad', property: 'checked' }] });
    expect(await get(`/Sheet/${id}`)).toMatchObject({ width: 50 });
    expect((await admin.get('/Sheet')).body.result[0].area).toBe(100);
  });
});
