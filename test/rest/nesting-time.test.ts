/** How long an answer may be worked on: there are as many ways through a graph as one likes (`_outputNestingDepth`). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let first: string;

/** Each object has two single objects, both the next one: twice as many ways with each of them. */
const LENGTH = 60;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'jsonrestservlet.outputtimeout': 3000 } });
  admin = server.admin;
  const type = await admin.create('SchemaNode', {
    name: 'Step',
    schemaProperties: [{ name: 'n', propertyType: 'Integer' }],
    schemaViews: [
      { name: 'ways', nonGraphProperties: 'n, one, two' },
      { name: 'lists', nonGraphProperties: 'n, ones, twos' },
    ],
  });
  for (const [relationshipType, out, back] of [
    ['ONE', 'one', 'ones'],
    ['TWO', 'two', 'twos'],
  ])
    await admin.relate(type, relationshipType ?? '', type, {
      sourceMultiplicity: '*',
      targetMultiplicity: '1',
      sourceJsonName: back,
      targetJsonName: out,
    });
  let next: string | undefined;
  const last = await admin.create('Step', { n: LENGTH });
  for (let n = LENGTH - 1; n >= 0; n--) {
    next = await admin.create('Step', { n, one: next ?? last, two: next ?? last });
  }
  first = next ?? '';
});
afterAll(async () => {
  await server.stop();
});

test.each([
  ['single objects', 'ways', () => first],
  ['lists', 'lists', async () => String((await admin.get(`/Step?n=${String(LENGTH)}`)).body.result[0].id)],
])('%s below each other without end are given up, and others are answered meanwhile', async (_, view, idOf) => {
  const id = await idOf();
  let ended = false;
  const deep = admin
    .get(`/Step/${id}/${view}?_outputNestingDepth=256`)
    // An answer that has begun can only be broken off.
    .then(
      ({ status, text }) => ({ status, text }),
      (error: unknown) => ({ status: 503, text: String(error) }),
    )
    .finally(() => (ended = true));
  let answered = 0;
  while (!ended) {
    expect((await admin.get(`/Step/${id}/${view}?_outputNestingDepth=2`)).status).toBe(200);
    answered++;
  }
  expect((await deep).status).toBe(503);
  expect(answered).toBeGreaterThan(5);
});

test('what is deep and small is answered whole', async () => {
  const found = await admin.get(`/Step/${first}/ways?_outputNestingDepth=6`);
  expect(found.body.result.one.two.one.two.one.two).toMatchObject({ n: 6 });
});
