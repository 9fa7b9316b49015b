import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestServer } from '../support/server.js';

/** docs/interface/schema.md 2.9: what is stored as clients and exports send it, and means nothing. */
describe('keys of schema objects without effect', () => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await TestServer.start();
    ({ admin } = server);
  });
  afterAll(() => server.stop());

  it.each<[string, Record<string, unknown>, string]>([
    ['SchemaNode', { name: 'Shape', isAbstract: true }, 'SchemaNode Shape: isAbstract is stored and has no effect'],
    [
      'SchemaMethod',
      { name: 'old', codeType: 'java' },
      'SchemaMethod old: codeType is stored .* in Java cannot be run',
    ],
    ['SchemaMethod', { name: 'up', callSuper: true }, 'SchemaMethod up: callSuper is stored'],
    ['SchemaProperty', { name: 'a', propertyType: 'String', typeHint: 'string' }, 'SchemaProperty a: typeHint is'],
    ['SchemaProperty', { name: 'b', propertyType: 'Integer', fulltext: true }, 'SchemaProperty b: fulltext is'],
    ['SchemaProperty', { name: 'c', propertyType: 'Password', unique: true }, 'SchemaProperty c: unique is'],
    ['SchemaProperty', { name: 'd', propertyType: 'Boolean', format: 'x' }, 'SchemaProperty d: format is'],
  ])('%s %j: the log tells', async (type, values, line) => {
    const owner =
      type === 'SchemaProperty' ? { schemaNode: await admin.create('SchemaNode', { name: ownerOf(values) }) } : {};
    const id = await admin.create(type, { ...values, ...owner });
    expect((await admin.get(`/${type}/${id}/all`)).body.result).toMatchObject(values);
    await server.untilLogged(new RegExp(line));
  });

  it('a propertyMask is read back, and told of', async () => {
    const [from, to] = [
      await admin.create('SchemaNode', { name: 'Boss' }),
      await admin.create('SchemaNode', { name: 'Clerk' }),
    ];
    const id = await admin.relate(from, 'LEADS', to, { propertyMask: '-salary' });
    expect((await admin.get(`/SchemaRelationshipNode/${id}/all`)).body.result.propertyMask).toBe('-salary');
    await server.untilLogged(/LEADS.*: propertyMask is stored and has no effect/i);
  });

  it('nothing is told of values that say nothing, nor of what counts', async () => {
    await admin.create('SchemaNode', {
      name: 'Quiet',
      isAbstract: false,
      schemaProperties: [
        { name: 'x', propertyType: 'String', indexed: true, unique: true, notNull: true, fulltext: true, typeHint: '' },
      ],
    });
    await admin.create('SchemaNode', { name: 'Told', isInterface: true });
    await server.untilLogged(/Told: isInterface/);
    expect(server.logged(/SchemaNode Quiet|SchemaProperty x:/)).toEqual([]);
  });
});

const ownerOf = ({ name }: Record<string, unknown>): string => `Owner${String(name).toUpperCase()}`;
