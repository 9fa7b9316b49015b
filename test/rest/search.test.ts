/** Full-text search over REST: `_search` (docs/interface/lists.md 1.9). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { until } from '../support/files.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let jane: Client;

interface Match {
  readonly id: string;
  readonly score: number;
  readonly snippets: Record<string, string[]>;
}
interface Found {
  readonly names: string[];
  readonly matches: Match[];
  readonly count: number;
}

async function search(query: string, client = admin, type = 'Story/custom'): Promise<Found> {
  const { status, body, text } = await client.get(`/${type}?${query}`);
  expect(status, text).toBe(200);
  const { result, matches, result_count } = body as unknown as {
    result: { id: string; name: string }[];
    matches: Match[];
    result_count: number;
  };
  expect(matches.map(({ id }) => id)).toEqual(result.map(({ id }) => id));
  return { names: result.map(({ name }) => name), matches, count: result_count };
}

const words = (text: string): string => `_search=${encodeURIComponent(text)}`;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  await admin.create('SchemaNode', {
    name: 'Story',
    schemaProperties: [
      { name: 'title', propertyType: 'String', fulltext: true },
      { name: 'body', propertyType: 'String', fulltext: true },
      { name: 'aside', propertyType: 'String', fulltext: true, isSerializationDisabled: true },
      { name: 'year', propertyType: 'Integer' },
    ],
  });
  await admin.create('SchemaNode', { name: 'Tale', inheritedTraits: ['Story'] });
  await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
  jane = server.as('jane', 'secret-of-jane');
  for (const type of ['Story', 'Story/_Custom', 'Tale']) await allow(admin, type, 'user', ['GET']);
  for (const [type, name, visible, values] of [
    [
      'Story',
      'one',
      true,
      { title: 'Garden', body: 'The garden of the old house, with <b>apples</b> & pears', year: 1 },
    ],
    ['Story', 'two', false, { title: 'House', body: 'garden garden garden, and the gardener of the garden', year: 2 }],
    [
      'Tale',
      'three',
      true,
      { title: 'Sea', body: `${'waves and wind '.repeat(40)} the gardener at sea ${'salt '.repeat(60)}`, year: 3 },
    ],
    ['Story', 'four', true, { title: 'Nothing', body: 'old garden, and an old old house', aside: 'treasure', year: 4 }],
  ] as const) {
    await admin.create(type, { name, visibleToAuthenticatedUsers: visible, ...values });
  }
  await until(async () => (await admin.get(`/Story?${words('x')}`)).status === 200, 'the indexes are made');
});
afterAll(() => server.stop());

describe('a search', () => {
  it('finds words in any text, best first, with scores', async () => {
    const { names, matches, count } = await search(words('garden'));
    expect([...names].sort()).toEqual(['four', 'one', 'two']);
    expect(count).toBe(3);
    expect(matches[0]?.score).toBe(1);
    for (const [i, { score }] of matches.entries()) {
      expect(score).toBeGreaterThan(0);
      expect(score).toBeLessThanOrEqual(matches[i - 1]?.score ?? 1);
    }
  });

  it.each([
    ['a phrase', '"old house"', ['four', 'one']],
    ['the begin of a word', 'garde*', ['four', 'one', 'three', 'two']],
    ['a pattern', 'g?rdener', ['three', 'two']],
    ['words that must be there', '+garden +apples', ['one']],
    ['words that must not be in the same text', 'garden -old', ['one', 'two']],
    ['words alike', 'gardner~1', ['three', 'two']],
    ['no word at all', '--- ...', []],
    ['what nothing has', 'zebra', []],
  ])('finds %s', async (_, text, expected) => {
    const found = await search(words(text).replace('---', '%26'));
    expect([...found.names].sort()).toEqual(expected);
    expect(found.count).toBe(expected.length);
  });

  it('shows pieces of the texts that the view shows, as HTML with marks', async () => {
    const { matches } = await search(words('apples "old house" -gardener'));
    const [one] = matches;
    expect(one?.snippets).toEqual({
      body: ['The garden of the <mark>old house</mark>, with &lt;b&gt;<mark>apples</mark>&lt;/b&gt; &amp; pears'],
    });
    const sea = await search(words('gardener salt'), admin, 'Tale/custom');
    const [piece = '', second = ''] = sea.matches[0]?.snippets['body'] ?? [];
    expect(piece).toMatch(/^… .*wind the <mark>gardener<\/mark> at sea <mark>salt<\/mark>.* …$/);
    expect(second).toContain('<mark>salt</mark>');
    expect(piece.replace(/<\/?mark>/g, '').length).toBeLessThan(200);
    expect((await search(words('treasure'))).matches).toEqual([
      { id: expect.any(String) as string, score: 1, snippets: {} },
    ]);
    expect((await search(words('garden'), admin, 'Story')).matches[0]?.snippets).toEqual({});
    expect((await search(`${words('garden')}&_snippets=0`)).matches[0]?.snippets).toEqual({});
    expect((await search(`${words('salt')}&_snippets=5`)).matches[0]?.snippets['body']?.length).toBeGreaterThan(1);
  });

  it('is of one property, of a type, with filters, in another order, page by page', async () => {
    expect((await search(`${words('garden house')}&_searchIn=title`)).names.sort()).toEqual(['one', 'two']);
    expect((await search(words('gardener'), admin, 'Tale')).names).toEqual(['three']);
    expect((await search(`${words('garden')}&year=%5B2%20TO%204%5D`)).names.sort()).toEqual(['four', 'two']);
    const sorted = await search(`${words('garden')}&_sort=year&_order=desc`);
    expect(sorted.names).toEqual(['four', 'two', 'one']);
    const all = await search(words('garden'));
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => search(`${words('garden')}&_pageSize=1&_page=${String(page)}`)),
    );
    expect(pages.flatMap(({ names }) => names)).toEqual(all.names);
    expect(pages.flatMap(({ matches }) => matches.map(({ score }) => score))).toEqual(
      all.matches.map(({ score }) => score),
    );
    expect(pages.map(({ count }) => count)).toEqual([3, 3, 3, 3]);
    expect((await search(`${words('garden')}&_sort=year&_pageSize=2&_page=2`)).names).toEqual(['four']);
    expect((await search(`${words('garden')}&_pageSize=0`)).names).toEqual([]);
  });

  it('shows nobody what he may not read, nor that it is there', async () => {
    const { names, matches, count } = await search(words('garden'), jane);
    expect([...names].sort()).toEqual(['four', 'one']);
    expect([count, matches[0]?.score]).toEqual([2, 1]);
    expect(
      (await search(`${words('garden')}&_searchIn=body&_pageSize=1&_page=2`, jane)).matches[0]?.score,
    ).toBeLessThan(1);
    expect(await search(words('gardener'), jane)).toMatchObject({ names: ['three'], count: 1 });
    const anonymous = await server.as().get(`/Story?${words('garden')}`);
    expect(anonymous.status).toBe(401);
  });

  it('ranks texts of several indexes alike, whatever else there is', async () => {
    await admin.post('/Story', [
      { name: 'five', title: 'quince', visibleToAuthenticatedUsers: true },
      { name: 'six', body: 'a quince among the other fruits of the old garden', visibleToAuthenticatedUsers: true },
    ]);
    const before = await search(words('quince medlar'), jane);
    expect(before.matches.map(({ score }) => score)).toEqual([1, 1]);
    await admin.create('Story', { name: 'seven', title: 'quince medlar medlar' });
    expect(await search(words('quince medlar'), jane)).toEqual(before);
  });

  it('shows short pieces, however long words and what is between them are', async () => {
    const gap = ' .'.repeat(5000);
    const body = `zigzag${'z'.repeat(5000)} east${gap}west a${'a'.repeat(300)}m aim`;
    await admin.create('Story', { name: 'eight', body });
    for (const text of ['zigzag*', '"east west"']) {
      const [piece = ''] = (await search(words(text))).matches[0]?.snippets['body'] ?? [];
      expect(piece).toContain('<mark>');
      expect(piece.length).toBeLessThan(800);
    }
    // Letters of long words are not compared one by one.
    expect((await search(words('"east west" OR a*m'))).matches[0]?.snippets['body']?.join()).not.toContain(
      'aaam</mark>',
    );
    expect((await search(words('"east west" OR a?m'))).matches[0]?.snippets['body']?.join()).toContain(
      '<mark>aim</mark>',
    );
  });

  it('goes through many matches', async () => {
    const many = Array.from({ length: 300 }, (_, i) => ({
      name: `m${String(i)}`,
      body: 'crowd of people',
      visibleToAuthenticatedUsers: i % 25 === 0,
    }));
    await admin.post('/Story', many);
    expect(await search(`${words('crowd')}&_pageSize=5&_page=2`, jane)).toMatchObject({ count: 12 });
    expect((await search(`${words('crowd')}&_pageSize=5&_page=3`, jane)).names).toHaveLength(2);
    expect((await search(words('crowd'))).names).toHaveLength(300);
  });

  it.each([
    ['_search=', 'needs words'],
    ['_search=%20', 'needs words'],
    [words('"open'), 'quotation mark'],
    [words('(a'), 'parenthesis'],
    [words('a AND'), 'AND'],
    [words('a^2'), 'weight'],
    [`${words('a')}&_searchIn=year`, 'has no full-text index'],
    [`${words('a')}&_searchIn=body,`, 'has no full-text index'],
    [`${words('a')}&${words('b')}`, 'more than once'],
    [`${words('a')}&_snippets=21`, 'from 0 to 20'],
    [`${words('a')}&_snippets=x`, 'from 0 to 20'],
    ['_searchIn=body', 'needs _search'],
    ['_snippets=3', 'needs _search'],
  ])('refuses %s', async (query, why) => {
    const { status, body } = await admin.get(`/Story?${query}`);
    expect([status, body.message]).toEqual([400, expect.stringContaining(why)]);
  });

  it('is refused where it would have no effect', async () => {
    const id = String((await search(words('apples'))).matches[0]?.id);
    expect((await admin.get(`/Group?${words('a')}`)).status).toBe(400);
    expect((await admin.get(`/Story/${id}?${words('a')}`)).status).toBe(400);
    expect((await admin.get(`/Group/${id}/members?${words('a')}`)).status).toBeGreaterThanOrEqual(400);
    expect((await admin.send('DELETE', `/svc/rest/Story?${words('apples')}`)).status).toBe(400);
    expect((await search(words('apples'))).count).toBe(1);
  });

  it.each([
    '"',
    "'",
    'a" OR "b',
    'body:x',
    '{!x}',
    'a) OR (b',
    '\\',
    '*',
    'a:*',
    '[a TO b]',
    'NEAR(a b)',
    '^a',
    'col : x',
    '\u0000',
    '/x/',
  ])('hands nothing to the database as it is: %s', async (text) => {
    const { status } = await admin.get(`/Story?${words(text)}`);
    expect([200, 400]).toContain(status);
  });
});
