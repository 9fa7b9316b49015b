/** Where the rows of repeaters come from (docs/interface/pages.md 5). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { bare, getPage, makePage, type Tree } from '../support/pages.js';
import { onNeo4j, TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let count = 0;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  await admin.defineType('City', []);
  for (const name of ['Bonn', 'Kiel']) await admin.create('City', { name, visibleToPublicUsers: true });
  await admin.create('City', { name: 'Hidden' });
});
afterAll(() => server.stop());

/** What a visitor sees of a repeater over cities. */
async function rows(fields: Record<string, unknown>): Promise<string[]> {
  const name = `p${String(++count)}`;
  const row: Tree = ['i', { dataKey: 'c', ...fields }, '${c.name}'];
  await makePage(admin, name, [bare(row)]);
  const { text } = await getPage(server.as(), `/${name}?q=Bonn`);
  return [...text.matchAll(/<i[^>]*>([^<]*)<\/i>/g)].map(([, one = '']) => one).sort();
}

const BOTH = ['Bonn', 'Kiel'];
test.each<[query: string, seen: string[]]>([
  ["{ return $.find('City'); }", BOTH],
  ["{ let all = $.find('City'); return all; }", BOTH],
  ["{\n  if ($.request.q) return $.find('City', 'name', $.request.q);\n  return [];\n}", ['Bonn']],
  ["{ $.find('City').filter((one) => { return one.name !== 'Bonn'; }) }", ['Kiel']],
  ["{ const word = 'return'; $.find('City'); }", BOTH],
  ["find('City')", BOTH],
  // A part of every text.
  ["find('City', contains('name', ''))", BOTH],
  ["find('City', 'name', contains(''))", BOTH],
  ["{ return $.find('City', $.predicate.contains('name', '')); }", BOTH],
  ["find('City', startsWith('name', ''))", BOTH],
  ["find('City', contains('name', 'ON'))", ['Bonn']],
  ['{ return ]; }', []],
])('functionQuery %s', async (functionQuery, seen) => {
  expect(await rows({ functionQuery })).toEqual(seen);
});

test('conditions answer by `return`, too', async () => {
  const functionQuery = "{ return $.find('City'); }";
  expect(await rows({ functionQuery, showConditions: "{ return $.c.name === 'Kiel'; }" })).toEqual(['Kiel']);
  expect(await rows({ functionQuery, hideConditions: "{ return $.c.name === 'Kiel'; }" })).toEqual(['Bonn']);
});

test.skipIf(onNeo4j)('cypherQuery on the embedded database is logged, and functionQuery is asked', async () => {
  const cypherQuery = 'MATCH (n:City) RETURN n';
  expect(await rows({ cypherQuery })).toEqual([]);
  expect(server.lines.filter((line) => /cypher\(\) needs a Neo4j database/.test(line))).toHaveLength(1);
  expect(await rows({ cypherQuery, functionQuery: "find('City')" })).toEqual(BOTH);
});

test.runIf(onNeo4j)('cypherQuery: rows that a visitor may read, with scripts replaced before', async () => {
  expect(await rows({ cypherQuery: 'MATCH (n:City) RETURN n' })).toEqual(BOTH);
  expect(await rows({ cypherQuery: "MATCH (n:City) WHERE n.name = '${request.q}' RETURN n" })).toEqual(['Bonn']);
  expect(await rows({ cypherQuery: 'nonsense', functionQuery: "find('City')" })).toEqual(BOTH);
});

test('a flow: it is not run, which the log says; other sources count', async () => {
  const flow = await admin.create('FlowContainer', { name: 'listed' });
  expect(await rows({ flow })).toEqual([]);
  await server.untilLogged(/Repeaters by flows are not part of this version/);
  expect(await rows({ flow, functionQuery: "find('City')" })).toEqual(BOTH);
  expect((await admin.get('/svc/flow/listed')).status).toBe(501);
  // Who may not read a flow is not told that there is one.
  expect((await server.as().get('/svc/flow/listed')).status).toBe(404);
});
