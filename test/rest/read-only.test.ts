import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** docs/interface/schema.md 6.7: `readOnly` holds for every property that takes input. */
describe('read-only properties', () => {
  let server: TestServer;
  let admin: Client;
  let jane: Client;
  let tag: string;
  let other: string;
  beforeAll(async () => {
    server = await TestServer.start();
    ({ admin } = server);
    const id = await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
    jane = server.as('jane', 'secret-of-jane');
    const tags = await admin.defineType('Tag');
    const notes = await admin.create('SchemaNode', {
      name: 'Note',
      schemaProperties: [
        { name: 'plain', propertyType: 'String', readOnly: true },
        { name: 'log', propertyType: 'String' },
        {
          name: 'turned',
          propertyType: 'Function',
          readOnly: true,
          readFunction: '{ return $.this.log; }',
          writeFunction: '{ $.this.log = $.value; }',
        },
        { name: 'shown', propertyType: 'Function', readOnly: true, readFunction: '{ return 1; }' },
      ],
    });
    await admin.relate(notes, 'HAS', tags, {
      sourceMultiplicity: '*',
      sourceJsonName: 'notes',
      targetJsonName: 'tags',
    });
    for (const [name, propertyType, format] of [
      ['tagNames', 'Notion', 'tags, name'],
      ['tagIds', 'IdNotion', 'tags'],
    ])
      await admin.create('SchemaProperty', { schemaNode: notes, name, propertyType, format, readOnly: true });
    for (const node of [notes, tags])
      await admin.create('SchemaGrant', { principal: id, schemaNode: node, allowRead: true, allowWrite: true });
    for (const signature of ['Note', 'Note/_id', 'Note/_id/_All'])
      await allow(admin, signature, 'user', ['GET', 'POST', 'PUT', 'PATCH']);
    [tag, other] = [await admin.create('Tag', { name: 'red' }), await admin.create('Tag', { name: 'blue' })];
  });
  afterAll(() => server.stop());

  const refused = (answer: Answer, property: string): void => {
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      [{ type: 'Note', property, token: 'is_read_only_property' }],
    ]);
  };
  const note = (): Promise<string> => admin.create('Note', { plain: 'p', log: 'first', tags: [tag] });
  const shown = async (id: string): Promise<Record<string, unknown>> =>
    (await admin.get(`/Note/${id}/all`)).body.result as Record<string, unknown>;

  it.each([
    ['a value', 'plain', 'q', 'p'],
    ['a function that writes', 'turned', 'second', 'first'],
    ['keys of related objects', 'tagNames', ['red', 'blue'], ['red']],
    ['no key any more', 'tagNames', [], ['red']],
    ['ids of related objects', 'tagIds', () => [other], () => [tag]],
    ['null', 'tagIds', null, () => [tag]],
  ])('keep others from writing %s', async (_, property, given, there) => {
    const value = (one: unknown): unknown => (typeof one === 'function' ? (one as () => unknown)() : one);
    const id = await note();
    const before = await shown(id);
    refused(await jane.put(`/Note/${id}`, { [property]: value(given) }), property);
    refused(await jane.patch('/Note', [{ id, [property]: value(given) }]), property);
    expect(await shown(id)).toEqual(before);
    // What is there already may be said.
    expect((await jane.put(`/Note/${id}`, { [property]: value(there) })).status).toBe(200);
    // Administrators write it.
    expect((await admin.put(`/Note/${id}`, { [property]: value(given) })).status).toBe(200);
    expect(await shown(id)).not.toEqual(before);
  });

  it('cannot be given at creation', async () => {
    refused(await jane.post('/Note', { plain: 'q' }), 'plain');
    refused(await jane.post('/Note', { turned: 'q' }), 'turned');
    refused(await jane.post('/Note', { tagNames: ['red'] }), 'tagNames');
    expect((await jane.post('/Note', { tagNames: [], plain: null })).status).toBe(201);
  });

  it('are passed over where they take no input from anybody', async () => {
    expect((await jane.put(`/Note/${await note()}`, { shown: 7 })).status).toBe(200);
  });

  it('can be sent back with the whole object', async () => {
    const id = await note();
    const whole = (await jane.get(`/Note/${id}/all`)).body.result as Record<string, unknown>;
    const { plain, turned, tagNames, tagIds, log } = whole;
    expect((await jane.put(`/Note/${id}`, { plain, turned, tagNames, tagIds, log })).status).toBe(200);
  });
});
