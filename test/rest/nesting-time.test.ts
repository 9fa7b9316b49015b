/** How long an answer may be worked on, and what is in it: there are as many ways through a graph as one likes (`_outputNestingDepth`). */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { randomRuns, runsOf } from '../support/random.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let first: string;

/** Each object has two single objects, both the next one: twice as many ways with each of them. */
const LENGTH = 60;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'jsonrestservlet.outputtimeout': 1500 } });
  admin = server.admin;
  const type = await admin.create('SchemaNode', {
    name: 'Step',
    schemaProperties: [{ name: 'n', propertyType: 'Integer' }],
    schemaViews: [
      { name: 'ways', nonGraphProperties: 'n, one, two' },
      { name: 'lists', nonGraphProperties: 'n, ones, twos' },
      { name: 'net', nonGraphProperties: 'id, n, one, ones' },
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

/** What an answer holds of an object, as docs/interface/lists.md 2.5 says. */
interface Shown {
  readonly id: string;
  readonly n?: number | null;
  readonly one?: Shown | object | null;
  readonly ones?: readonly Shown[];
}

test('what stands at many places of an answer is at each what it would be alone', async () => {
  const many = 9;
  const link = fc.record({
    from: fc.nat(many - 1),
    to: fc.nat(many - 1),
  });
  const property = fc.asyncProperty(
    fc.array(link, { minLength: 5, maxLength: 25 }),
    fc.integer({ min: 0, max: 5 }),
    async (links, deepest) => {
      const ids = (
        await admin.post(
          '/Step',
          Array.from({ length: many }, () => ({ n: -1 })),
        )
      ).body.result as string[];
      for (const { from, to } of links) await admin.put(`/Step/${String(ids[from])}`, { one: ids[to] });
      const direct = (await admin.get('/Step/net?n=-1&_outputNestingDepth=1')).body.result as Shown[];
      const known = new Map(direct.map((one) => [one.id, one]));
      const shown = (id: string, depth: number, path: readonly string[]): object => {
        const { n, one, ones = [] } = known.get(id) ?? { id };
        if (path.includes(id)) return { id, type: 'Step', name: null };
        const next = [...path, id];
        const below = (other: Shown): object => (depth === deepest ? {} : shown(other.id, depth + 1, next));
        const single = one === null || one === undefined || !('id' in one) ? null : below(one);
        return { id, n, one: single, ones: depth === deepest ? [] : ones.map(below) };
      };
      const answer = await admin.get(`/Step/net?n=-1&_outputNestingDepth=${String(deepest)}`);
      expect(answer.body.result).toEqual(direct.map(({ id }) => shown(id, 0, [])));
      expect((await admin.delete('/Step?n=-1')).status).toBe(200);
    },
  );
  await randomRuns(property, runsOf(50), 15);
});
