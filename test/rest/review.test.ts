import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

/** What a fresh pair of eyes found: each of these went wrong once. */
describe('found by review', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
    const { admin } = server;
    const node = await admin.create('SchemaNode', {
      name: 'Knot',
      schemaProperties: [{ name: 'job', propertyType: 'String' }],
    });
    const tag = await admin.create('SchemaNode', { name: 'Tag' });
    const many = { sourceMultiplicity: '*', autocreationFlag: 1 };
    await admin.relate(node, 'KNOWS', node, { ...many, sourceJsonName: 'knownBy', targetJsonName: 'friends' });
    await admin.relate(node, 'TAGGED', tag, { ...many, sourceJsonName: 'knots', targetJsonName: 'tags' });
    await admin.create('SchemaView', { name: 'net', schemaNode: node, nonGraphProperties: 'name,friends' });
  });
  afterAll(() => server.stop());

  it('a client that goes away ends the work on its answer', async () => {
    const ids = (
      await server.admin.post(
        '/Knot',
        Array.from({ length: 11 }, () => ({})),
      )
    ).body.result as string[];
    for (const id of ids) await server.admin.put(`/Knot/${id}`, { friends: ids.filter((o) => o !== id) });
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => {
        const path = `/svc/rest/Knot/${ids[0] ?? ''}/net?_outputNestingDepth=200`;
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-User: admin\r\nX-Password: admin\r\n\r\n`);
      });
      socket.once('data', () => {
        socket.destroy();
        resolve();
      });
      socket.on('error', () => undefined);
    });
    await sleep(500);
    // Were it still at work, it would not end soon: unbounded it takes minutes.
    const at = performance.now();
    server = await server.restart();
    expect(performance.now() - at).toBeLessThan(30_000);
  });

  it('HEAD of a large result ends with its headers', async () => {
    const knots = (await server.admin.get('/Knot?_pageSize=1')).body.result as { id: string }[];
    const answer = await server.admin.send('HEAD', `/Knot/${knots[0]?.id ?? ''}/net?_outputNestingDepth=200`);
    expect(answer.status).toBe(200);
  });

  it('an administrator who is demoted while his password is being checked is none afterwards', async () => {
    const id = await server.admin.create('User', { name: 'racer', password: 'racer-password', isAdmin: true });
    const racer = server.as('racer', 'racer-password');
    const first = racer.get('/Knot?_pageSize=1');
    await sleep(3);
    await server.admin.put(`/User/${id}`, { isAdmin: false });
    await first;
    expect((await racer.get('/Knot?_pageSize=1')).status).toBe(401);
  });

  it('bulk DELETE leaves what no longer matches', async () => {
    for (let round = 0; round < 5; round++) {
      const made = await server.admin.post(
        '/Knot',
        Array.from({ length: 400 }, () => ({ job: 'sweep' })),
      );
      const last = (made.body.result as string[]).at(-1) ?? '';
      const [put] = await Promise.all([
        server.admin.put(`/Knot/${last}`, { job: 'keep' }),
        server.admin.delete('/Knot?job=sweep'),
      ]);
      expect((await server.admin.get(`/Knot/${last}`)).status).toBe(put.status === 200 ? 200 : 404);
    }
  });

  it('a nested object cannot be of a type that does not fit', async () => {
    const id = await server.admin.create('Knot', {});
    const answer = await server.admin.put(`/Knot/${id}`, { tags: [{ type: 'User', name: 'evil', isAdmin: true }] });
    expect([answer.status, answer.body.errors[0].token]).toEqual([422, 'must_be_of_type']);
    expect((await server.admin.get('/User?name=evil')).body.result_count).toBe(0);
  });

  it('circular groups are refused through the relationship too', async () => {
    const [a, b] = (await server.admin.post('/Group', [{ name: 'ga' }, { name: 'gb' }])).body.result as string[];
    expect((await server.admin.post('/GroupCONTAINSPrincipal', { sourceId: a, targetId: b })).status).toBe(201);
    const answer = await server.admin.post('/GroupCONTAINSPrincipal', { sourceId: b, targetId: a });
    expect([answer.status, answer.body.errors[0].token]).toEqual([422, 'circular_reference']);
  });

  it('a password can be written through a base type', async () => {
    const id = await server.admin.create('User', { name: 'based', password: 'one-password', isAdmin: true });
    expect((await server.admin.patch('/NodeInterface', [{ id, password: 'two-password' }])).status).toBe(200);
    expect((await server.as('based', 'two-password').get('/me')).status).toBe(200);
  });

  it('an object named twice in a list is linked once', async () => {
    const tag = await server.admin.create('Tag', {});
    const id = await server.admin.create('Knot', { tags: [tag, { id: tag }] });
    expect((await server.admin.get(`/Knot/${id}/tags`)).body.result_count).toBe(1);
  });

  it('adding to a large collection costs one link', async () => {
    const leaves = (
      await server.admin.post(
        '/Knot',
        Array.from({ length: 5000 }, () => ({})),
      )
    ).body.result as string[];
    const hub = await server.admin.create('Knot', { friends: leaves });
    expect((await server.admin.post(`/Knot/${hub}/friends`, { name: 'one more' })).status).toBe(201);
    expect((await server.admin.get(`/Knot/${hub}/friends?_pageSize=1`)).body.result_count).toBe(5001);
    expect((await server.admin.put(`/Knot/${hub}`, { friends: leaves })).status).toBe(200);
    expect((await server.admin.get(`/Knot/${hub}/friends?_pageSize=1`)).body.result_count).toBe(5000);
  });

  it('markers cannot be changed', async () => {
    const answer = await server.admin.post('/User', { name: 'marked', isUser: false });
    expect([answer.status, answer.body.errors[0]]).toMatchObject([
      422,
      { property: 'isUser', token: 'is_read_only_property' },
    ]);
    expect((await server.admin.post('/User', { name: 'marked', isUser: true })).status).toBe(201);
  });

  it('IdNotion with an unknown id is 404', async () => {
    const answer = await server.admin.post('/Tag', { ownerId: 'f'.repeat(32) });
    expect([answer.status, answer.body.message]).toEqual([404, 'No node found for given properties']);
  });

  it('an id in use by a node cannot be given to a relationship', async () => {
    const [knot, tag] = [await server.admin.create('Knot', {}), await server.admin.create('Tag', {})];
    const answer = await server.admin.post('/KnotTAGGEDTag', { id: knot, sourceId: knot, targetId: tag });
    expect(answer.body.errors[0]).toMatchObject({ property: 'id', token: 'already_taken', existingNodeUuid: knot });
  });

  it('relationships of all types are a collection too', async () => {
    const answer = await server.admin.get('/RelationshipInterface?_pageSize=2');
    expect(answer.body.result).toHaveLength(2);
    expect(answer.body.result[0]).toHaveProperty('relType');
    const [link] = answer.body.result as { id: string; type: string; sourceId: string }[];
    const source = await server.admin.get(`/${link?.type ?? ''}/${link?.id ?? ''}/sourceNode`);
    expect(source.body.result.id).toBe(link?.sourceId);
  });

  it.each([
    ['a subtype of a schema type', 'SchemaNode', { name: 'MyProp', inheritedTraits: ['SchemaProperty'] }],
    ['users as a service class', 'SchemaNode', { name: 'User', isServiceClass: true }],
    [
      'a relationship called like a type',
      'SchemaRelationshipNode',
      { sourceType: 'Knot', targetType: 'Tag', relationshipType: 'WITH' },
    ],
    [
      'a relation property called like another',
      'SchemaRelationshipNode',
      { sourceType: 'Knot', targetType: 'Tag', relationshipType: 'X', targetJsonName: 'name' },
    ],
    [
      'a relationship that looks like the schema',
      'SchemaRelationshipNode',
      { sourceType: 'SchemaNode', targetType: 'Tag', relationshipType: 'HAS_PROPERTY' },
    ],
  ])('%s is refused, and the server still starts', async (_, type, body) => {
    await server.admin.post('/SchemaNode', { name: 'KnotWITHTag' });
    const answer = await server.admin.post(`/${type}`, body);
    expect(answer.status).toBe(422);
    expect((await server.admin.post('/SchemaNode', { name: `Fine${String(Math.random()).slice(2, 10)}` })).status).toBe(
      201,
    );
  });

  it('a view called like a type does not hide it', async () => {
    await server.admin.create('SchemaView', { name: 'Tag', schemaNode: { name: 'Knot' }, nonGraphProperties: 'name' });
    expect((await server.admin.get('/Tag?_pageSize=1')).status).toBe(200);
  });

  it('after all this the server starts again', async () => {
    server = await server.restart();
    expect((await server.admin.get('/Knot?_pageSize=1')).status).toBe(200);
  });
});
