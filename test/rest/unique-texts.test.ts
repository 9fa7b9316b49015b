import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

/** Spellings that look alike are one value where values must be unique. */
const COMPOSED = 'Caf\u00e9 \u00c5';
const SPELLINGS: readonly (readonly [name: string, text: string])[] = [
  ['composed', COMPOSED],
  ['decomposed', COMPOSED.normalize('NFD')],
  ['mixed', 'Cafe\u0301 \u00c5'],
  ['with a sign of its own', 'Caf\u00e9 \u212b'],
];

describe('texts that must be unique', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
    const { admin } = server;
    await admin.defineType('City', [
      { name: 'code', propertyType: 'String', unique: true, indexed: true },
      { name: 'free', propertyType: 'String' },
      { name: 'marks', propertyType: 'StringArray', unique: true },
    ]);
    await admin.defineType('Street', [
      { name: 'town', propertyType: 'String', compound: true },
      { name: 'number', propertyType: 'Integer', compound: true },
    ]);
    await admin.defineType('Old', [{ name: 'code', propertyType: 'String', indexed: true }]);
  });
  afterAll(() => server.stop());

  for (const [first, text] of SPELLINGS) {
    describe(`one that is ${first}`, () => {
      beforeAll(async () => {
        await server.admin.delete('/City');
        await server.admin.delete('/Street');
        await server.admin.create('City', { name: 'there', code: text, free: text, marks: [text] });
        await server.admin.create('Street', { town: text, number: 1 });
      });
      it.each(SPELLINGS)('is taken for one that is %s', async (_, other) => {
        const refused = await server.admin.post('/City', { code: other });
        expect(refused.status).toBe(422);
        expect(refused.body.errors).toMatchObject([{ property: 'code', token: 'already_taken' }]);
        expect((await server.admin.post('/City', { marks: [other] })).status).toBe(422);
        expect((await server.admin.post('/Street', { town: other, number: 1 })).status).toBe(422);
        const free = await server.admin.create('City', { code: 'else' });
        expect((await server.admin.put(`/City/${free}`, { code: other })).status).toBe(422);
        await server.admin.delete(`/City/${free}`);
      });
      it.each(SPELLINGS)('is found by one that is %s', async (_, other) => {
        const found = await server.admin.get(`/City?code=${encodeURIComponent(other)}`);
        expect(found.body.result).toMatchObject([{ code: COMPOSED }]);
        const within = await server.admin.get(`/City?code=${encodeURIComponent(other.toUpperCase())}&_inexact=1`);
        expect(within.body.result_count).toBe(1);
      });
      it('stays as it is written where it need not be unique', async () => {
        expect((await server.admin.get('/City?name=there')).body.result[0].free).toBe(text);
      });
    });
  }

  it('one alone twice in a request is refused', async () => {
    const [[, one] = ['', ''], [, other] = ['', '']] = SPELLINGS;
    const answer = await server.admin.post('/City', [{ code: `x${one}` }, { code: `x${other}` }]);
    expect(answer.status).toBe(422);
    expect((await server.admin.get('/City?code=x&_inexact=1')).body.result_count).toBe(0);
  });

  it('what was there before it had to be unique counts in the usual spellings', async () => {
    for (const [, text] of SPELLINGS.slice(0, 2)) {
      await server.admin.delete('/Old');
      await server.admin.create('Old', { code: text });
      const [{ id }] = (await server.admin.get('/SchemaProperty?name=code&_sort=createdDate&_order=desc')).body
        .result as [{ id: string }];
      expect((await server.admin.put(`/SchemaProperty/${id}`, { unique: true })).status).toBe(200);
      for (const [, other] of SPELLINGS) {
        expect((await server.admin.post('/Old', { code: other })).status).toBe(422);
        expect((await server.admin.get(`/Old?code=${encodeURIComponent(other)}`)).body.result_count).toBe(1);
      }
      expect((await server.admin.put(`/SchemaProperty/${id}`, { unique: false })).status).toBe(200);
    }
  });
});
