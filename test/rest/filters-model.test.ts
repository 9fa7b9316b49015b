import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';
import { clauseOf, found, sorted, TYPES, type Clause, type Key, type Thing, type Value } from './filters-model.js';

/** Objects of one run, and questions about them. */
const OBJECTS = 40;
const QUESTIONS = 120;
const RUNS = 4;

/** Filters, sort keys and windows of requests against a model in memory, with values that are easily got wrong. */
describe('filters and sorts are those of a model', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
    await server.admin.defineType('Thing', [
      ...TYPES.flatMap(({ key, propertyType }) => [
        { name: key, propertyType },
        { name: `${key}Indexed`, propertyType, indexed: true },
      ]),
      { name: 'unique', propertyType: 'String', unique: true, indexed: true },
    ]);
  });
  afterAll(() => server.stop());

  /** Both spellings of a property have the same value, so that both ways to it are gone. */
  const bodyOf = (thing: Thing): Record<string, unknown> => {
    const body: Record<string, unknown> = { name: thing.name, unique: thing.unique };
    for (const { key, toJson } of TYPES) {
      const value = thing.values[key];
      if (value === undefined) continue;
      body[key] = body[`${key}Indexed`] = Array.isArray(value) ? value.map(toJson) : toJson(value as Value);
    }
    return body;
  };

  const things = fc
    .array(
      fc.record(
        Object.fromEntries(TYPES.map(({ key, values }) => [key, values])) as Record<Key, fc.Arbitrary<unknown>>,
      ),
      {
        minLength: OBJECTS,
        maxLength: OBJECTS,
      },
    )
    .map((all) =>
      all.map((values, i): Thing => ({
        name: `t${String(i).padStart(3, '0')}`,
        unique: `e\u0301${String(i)}`,
        values: values as Thing['values'],
      })),
    );
  const clause = fc.oneof(...TYPES.map(clauseOf));
  const order = fc.record({
    key: fc.constantFrom(...TYPES.filter(({ sortable }) => sortable).map(({ key }) => key)),
    indexed: fc.boolean(),
    descending: fc.boolean(),
  });
  const question = fc.record({
    clauses: fc.array(clause, { maxLength: 2 }),
    inexact: fc.boolean(),
    orders: fc.array(order, { maxLength: 2 }),
    page: fc.option(fc.record({ size: fc.integer({ min: 0, max: 12 }), number: fc.integer({ min: 0, max: 4 }) })),
  });
  type Question = typeof question extends fc.Arbitrary<infer Q> ? Q : never;

  const queryOf = ({ clauses, inexact, orders, page }: Question): string =>
    [
      ...clauses.map(({ key, indexed, text }: Clause) => `${key}${indexed ? 'Indexed' : ''}=${encoded(text)}`),
      ...(inexact ? ['_inexact=1'] : []),
      ...orders.map(({ key, indexed }) => `_sort=${key}${indexed ? 'Indexed' : ''}`),
      '_sort=name',
      ...orders.map(({ descending }) => `_order=${descending ? 'desc' : 'asc'}`),
      ...(page === null ? [] : [`_pageSize=${String(page.size)}`, `_page=${String(page.number)}`]),
    ].join('&');
  const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

  const expected = (
    all: readonly Thing[],
    { clauses, inexact, orders, page }: Question,
  ): [names: string[], count: number] => {
    const matching = all.filter((thing) => clauses.every((one) => found(thing, one, inexact)));
    const names = sorted(matching, orders).map(({ name }) => name);
    if (page === null) return [names, names.length];
    const from = (page.number - 1) * page.size;
    return [page.number === 0 ? [] : names.slice(from, from + page.size), names.length];
  };

  it('in GET, and DELETE takes what GET shows', { timeout: 120_000 }, async () => {
    const { admin } = server;
    const run = fc.asyncProperty(
      things,
      fc.array(question, { minLength: QUESTIONS, maxLength: QUESTIONS }),
      async (all, questions) => {
        expect((await admin.delete('/Thing')).status).toBe(200);
        const created = await admin.post('/Thing', all.map(bodyOf));
        expect(created.status, created.text).toBe(201);
        let left = all;
        for (const [i, one] of questions.entries()) {
          const query = queryOf(one);
          const [names, count] = expected(left, one);
          const answer = await admin.get(`/Thing?${query}`);
          expect(answer.status, `${query}: ${answer.text}`).toBe(200);
          const got = (answer.body.result as { name: string }[]).map(({ name }) => name);
          expect([decodeURIComponent(query), got, answer.body.result_count]).toEqual([
            decodeURIComponent(query),
            names,
            count,
          ]);
          // A few of the questions delete, so that enough is left for the next ones.
          if (i % 12 !== 11) continue;
          if (names.length > left.length / 2) continue;
          const deleted = await admin.delete(`/Thing?${query}`);
          // A range without ends finds everything, which is no way to say what is to be deleted.
          expect(deleted.status, query).toBe(one.clauses.some(({ kind }) => kind === 'open') ? 400 : 200);
          if (deleted.status === 200) left = left.filter(({ name }) => !names.includes(name));
          const rest = (await admin.get('/Thing?_sort=name')).body.result as { name: string }[];
          expect([query, rest.map(({ name }) => name)]).toEqual([query, left.map(({ name }) => name)]);
        }
        // However it is spelled.
        for (const { name, unique } of left.slice(0, 5)) {
          for (const form of ['NFC', 'NFD'] as const) {
            const answer = await admin.get(`/Thing?unique=${encodeURIComponent(unique.normalize(form))}`);
            expect((answer.body.result as { name: string }[]).map((one) => one.name)).toEqual([name]);
          }
        }
      },
    );
    await fc.assert(run, { numRuns: RUNS, endOnFailure: true });
  });
});
