import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cypher, wipe } from '../graph/neo4j.js';
import { TestServer } from '../support/server.js';

const id = (n: number): string => n.toString(16).padStart(32, '0');
/** The labels another platform gives to nodes of this type. */
const LABELS = 'PropertyContainer:GraphObject:NodeInterface:AccessControllable';

it('serves nodes that another client has written before, and writes what others can read', async () => {
  await wipe();
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
  await cypher('CREATE INDEX FOR (n:NodeInterface) ON (n.id)');
  await cypher('CREATE INDEX FOR (n:Place) ON (n.name)');
  await cypher(
    `UNWIND range(1, 50) AS i CREATE (n:${LABELS}:Place) SET n = {id: $ids[i - 1], type: 'Place', ` +
      `name: 'place ' + right('0' + i, 2), size: i, big: 9007199254740993 + i, founded: 1577836800000 + i, tags: ['a', 'b']}`,
    { ids: Array.from({ length: 50 }, (_, i) => id(i + 1)) },
  );
  await cypher(
    `UNWIND range(2, 10) AS i MATCH (a:NodeInterface {id: $first}) MATCH (b:NodeInterface {name: 'place ' + right('0' + i, 2)}) ` +
      `CREATE (a)-[:NEAR {id: 'near' + i, type: 'PlaceNEARPlace'}]->(b)`,
    { first: id(1) },
  );
  const server = await TestServer.start({ folder });
  try {
    const place = await server.superuser.defineType('Place', [
      { name: 'name', propertyType: 'String', indexed: true },
      { name: 'size', propertyType: 'Integer', indexed: true },
      { name: 'big', propertyType: 'Long' },
      { name: 'founded', propertyType: 'Date' },
      { name: 'tags', propertyType: 'StringArray' },
    ]);
    await server.superuser.relate(place, 'NEAR', place, {
      sourceMultiplicity: '*',
      targetMultiplicity: '*',
      sourceJsonName: 'nearTo',
      targetJsonName: 'near',
    });
    const get = async (path: string): Promise<unknown> => (await server.superuser.get(path)).body;
    expect(await get(`/Place/${id(7)}`)).toMatchObject({
      result: { name: 'place 07', size: 7, founded: '2020-01-01T00:00:00+0000', tags: ['a', 'b'] },
    });
    expect((await server.superuser.get(`/Place/${id(7)}`)).text).toContain('9007199254741000');
    expect(await get('/Place')).toMatchObject({ result_count: 50 });
    expect(await get('/Place?_sort=name&_order=desc&_pageSize=2')).toMatchObject({
      result: [{ name: 'place 50' }, { name: 'place 49' }],
      result_count: 50,
    });
    expect(await get('/Place?size=[48 TO 50]')).toMatchObject({ result_count: 3 });
    expect(await get('/Place?name=place 09')).toMatchObject({ result: [{ size: 9 }] });
    expect(await get(`/Place/${id(1)}/near`)).toMatchObject({ result_count: 9 });
    expect(await get(`/Place/${id(10)}/nearTo`)).toMatchObject({ result: [{ name: 'place 01' }] });

    const made = await server.superuser.create('Place', {
      name: 'ours',
      size: 51,
      founded: '2020-01-01T00:00:00+0000',
    });
    expect(await server.superuser.patch(`/Place/${id(1)}`, { size: 100, near: [made] })).toMatchObject({ status: 200 });
    const [node] = await cypher<{ name: string; size: bigint; founded: bigint; labels: string[] }>(
      'MATCH (n:NodeInterface {id: $id}) RETURN n.name AS name, n.size AS size, n.founded AS founded, labels(n) AS labels',
      { id: made },
    );
    expect(node).toMatchObject({ name: 'ours', size: 51n, founded: 1577836800000n });
    expect(node?.labels.sort()).toEqual([...LABELS.split(':'), 'Place', '_svc_type_Place'].sort());
    const links = await cypher<{ id: string; type: string }>(
      'MATCH (:NodeInterface {id: $id})-[r:NEAR]->(b) RETURN b.id AS id, r.type AS type',
      { id: id(1) },
    );
    expect(links).toEqual([{ id: made, type: 'PlaceNEARPlace' }]);
  } finally {
    await server.end();
    await rm(folder, { recursive: true, force: true });
  }
});
