/** What rows of repeaters, and loops of scripts, show of related objects is read for many rows at once (docs/interface/pages.md 5). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { bare, getPage, makePage, type Tree } from '../support/pages.js';
import { TestServer } from '../support/server.js';
import { statementsOf } from '../support/statements.js';

const CITIES = 50;
/** Cities lie in so many countries in turns. */
const COUNTRIES = 5;
const DISTRICTS = 2;
const PUBLIC = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
/** What reads related objects: meanwhile the service builds indexes, too. */
const STATEMENT = /org\.svc\.graph - \d+\.\d ms: (?:SELECT .*(?:\brel r\b|FROM rel WHERE (?:source|target))|UNWIND)/;

let server: TestServer;
/** Statements so far. */
let logged: () => Promise<number>;
let admin: Client;
let anna: Client;
let count = 0;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'log.cypher.debug': true } });
  ({ admin } = server);
  const country = await admin.defineType('Country', []);
  const city = await admin.defineType('City', [{ name: 'rank', propertyType: 'Integer', indexed: true }]);
  const district = await admin.defineType('District', []);
  await admin.relate(country, 'HAS', city, { sourceJsonName: 'country', targetJsonName: 'cities' });
  await admin.relate(city, 'PART', district, { sourceJsonName: 'city', targetJsonName: 'districts' });
  await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
  anna = server.as('anna', 'Anna-pass-1');
  const countries: string[] = [];
  for (let i = 0; i < COUNTRIES; i++) {
    // The last is for users alone, the one before for administrators.
    const flags = i === COUNTRIES - 1 ? { visibleToAuthenticatedUsers: true } : i === COUNTRIES - 2 ? {} : PUBLIC;
    countries.push(await admin.create('Country', { name: `country ${String(i)}`, ...flags }));
  }
  for (let i = 0; i < CITIES; i++) {
    const n = String(i);
    const id = await admin.create('City', { name: `city ${n}`, rank: i, country: countries[i % COUNTRIES], ...PUBLIC });
    const districts = Array.from({ length: DISTRICTS }, (_, k) => ({ name: `${n}.${String(k)}`, city: id, ...PUBLIC }));
    await admin.post('/District', districts);
  }
  logged = await statementsOf(server, admin, STATEMENT);
});
afterAll(() => server.stop());

async function page(row: Tree): Promise<string> {
  const name = `p${String(++count)}`;
  await makePage(admin, name, [bare(row)]);
  return `/${name}`;
}

function repeater(size: number, ...children: readonly Tree[]): Tree {
  return ['b', { dataKey: 'city', functionQuery: `find('City', sort('rank'), page(1, ${String(size)}))` }, ...children];
}

/** Texts in `i` elements, as somebody sees them. */
async function seen(client: Client, path: string): Promise<string[]> {
  const { status, text } = await getPage(client, path);
  expect(status).toBe(200);
  return [...text.matchAll(/<i[^>]*>([^<]*)<\/i>/g)].map(([, one = '']) => one);
}

/** The fewest of three times: what others commit meanwhile, and be it the service itself, makes a run read again. */
async function fewest(view: () => Promise<unknown>): Promise<number> {
  const counts: number[] = [];
  for (let i = 0; i < 3; i++) {
    // Nothing is kept from one time to the next.
    await admin.create('Country', { name: 'one more' });
    const before = await logged();
    await view();
    counts.push((await logged()) - before);
  }
  return Math.min(...counts);
}

/** Statements of one view, of 10 rows and of all. */
async function statements(client: Client, children: readonly Tree[], texts: number): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const size of [10, CITIES]) {
    const path = await page(repeater(size, ...children));
    // Its tree is known then.
    await seen(client, path);
    const view = async (): Promise<void> => {
      expect(await seen(client, path)).toHaveLength(size * texts);
    };
    counts.push(await fewest(view));
  }
  return counts;
}

const PATH: Tree = ['i', {}, '${city.country.name}'];
const TWO: Tree = ['i', {}, '${city.name} ${city.country.name} ${city.country.id}'];
const NESTED: Tree = ['i', { dataKey: 'd', functionQuery: 'city.districts' }, '${d.name}'];
const JAVASCRIPT: Tree = ['i', {}, '${{ $.city.country?.name }}'];
test.each<[what: string, children: readonly Tree[], texts: number]>([
  ['a path', [PATH], 1],
  ['two of the same relation', [TWO], 1],
  ['a nested repeater', [NESTED], DISTRICTS],
  ['both', [PATH, NESTED], 1 + DISTRICTS],
  ['JavaScript', [JAVASCRIPT], 1],
])('%s: 50 rows take as many statements as 10, for everybody', async (_, children, texts) => {
  for (const client of [server.as(), anna, admin]) {
    const [few = 0, many = 0] = await statements(client, children, texts);
    expect(few).toBeGreaterThan(0);
    expect(many).toBe(few);
  }
});

test('each sees what he may of what is read for all rows', async () => {
  const path = await page(repeater(CITIES, PATH));
  const names = (hidden: readonly number[]): string[] =>
    Array.from({ length: CITIES }, (_, i) =>
      hidden.includes(i % COUNTRIES) ? '' : `country ${String(i % COUNTRIES)}`,
    );
  expect(await seen(server.as(), path)).toEqual(names([COUNTRIES - 1, COUNTRIES - 2]));
  expect(await seen(anna, path)).toEqual(names([COUNTRIES - 2]));
  expect(await seen(admin, path)).toEqual(names([]));
});

test('a script with more rights reads with them, and the next one without', async () => {
  const privileged: Tree = ['i', {}, '${{ $.doPrivileged(() => $.city.country.name) }}|${city.country.name}'];
  const found = await seen(server.as(), await page(repeater(CITIES, privileged)));
  expect(found.slice(0, COUNTRIES)).toEqual([
    'country 0|country 0',
    'country 1|country 1',
    'country 2|country 2',
    'country 3|',
    'country 4|',
  ]);
  expect(found.slice(-2)).toEqual(['country 3|', 'country 4|']);
});

test('what a script writes between rows is seen by the rows behind it', async () => {
  const write: Tree = [
    'i',
    {},
    "${city.country.name}${if(equal(city.rank, 5), set(first(find('City', 'rank', 7)), 'country', first(find('Country', 'name', 'country 0'))), '')}",
  ];
  const path = await page(repeater(10, write));
  const names = await seen(admin, path);
  expect(names[6]).toBe('country 1');
  expect(names[7]).toBe('country 0');
  expect(names[8]).toBe('country 3');
  // Back again.
  const [city] = (await admin.get('/City?rank=7')).body.result as readonly { id: string }[];
  const [two] = (await admin.get('/Country?name=country+2')).body.result as readonly { id: string }[];
  await admin.put(`/City/${city?.id ?? ''}`, { country: two?.id });
});

test('lists that are long are whole', async () => {
  const long = await admin.create('City', { name: 'long', rank: 1000, ...PUBLIC });
  const longer = await admin.create('City', { name: 'longer', rank: 1001, ...PUBLIC });
  for (const [city, size] of [
    [long, 60],
    [longer, 300],
  ] as const) {
    await admin.post(
      '/District',
      Array.from({ length: size }, (_, k) => ({ name: `${city} ${String(k).padStart(3, '0')}`, city, ...PUBLIC })),
    );
  }
  const row: Tree = [
    'b',
    { dataKey: 'city', functionQuery: "find('City', sort('rank', true))" },
    ['i', { dataKey: 'd', functionQuery: 'city.districts' }, '${d.name}'],
  ];
  const path = await page(row);
  for (const client of [server.as(), admin]) {
    const found = await seen(client, path);
    const numbered = (id: string, size: number): string[] =>
      Array.from({ length: size }, (_, k) => `${id} ${String(k).padStart(3, '0')}`);
    expect(found.slice(0, 362)).toEqual([...numbered(longer, 300), ...numbered(long, 60), '49.0', '49.1']);
    expect(found).toHaveLength(360 + CITIES * DISTRICTS);
  }
});

test('a loop of a script over results of find() takes as many statements for 50 as for 10, and sees what it writes', async () => {
  const source = `{
    let names = [];
    for (const city of $.find('City', $.predicate.sort('rank'), $.predicate.page(1, $.retrieve('size')))) {
      names.push(city.country.name);
      if ($.retrieve('writes') && city.rank === 3) $.find('City', 'rank', 4)[0].country = city.country;
    }
    return names;
  }`;
  await admin.create('SchemaMethod', { name: 'countries', source });
  const run = async (size: number, writes = false): Promise<readonly string[]> =>
    (await admin.post('/countries', { size, writes })).body.result as readonly string[];
  await run(10);
  const counts: number[] = [];
  for (const size of [10, CITIES]) {
    const view = async (): Promise<void> => {
      expect(await run(size)).toHaveLength(size);
    };
    counts.push(await fewest(view));
  }
  expect(counts[1]).toBe(counts[0]);
  expect((await run(10, true)).slice(2, 6)).toEqual(['country 2', 'country 3', 'country 3', 'country 0']);
});

test('a script that waits for another request sees what that has changed, though it has read ahead', async () => {
  const source = `{
    const cities = $.find('City', $.predicate.sort('rank'), $.predicate.page(1, 10));
    const first = cities.map((city) => city.country.name);
    $.log('has read ahead');
    let looks = 0;
    while (cities[9].country.name === first[9] && ++looks < 1000) $.sleep(20);
    return cities[9].country.name;
  }`;
  await admin.create('SchemaMethod', { name: 'waits', source });
  const answer = admin.post('/waits', {});
  await server.untilLogged(/has read ahead/);
  const id = async (path: string): Promise<string> => {
    const [one] = (await admin.get(path)).body.result as readonly { readonly id: string }[];
    return one?.id ?? '';
  };
  await admin.put(`/City/${await id('/City?rank=9')}`, { country: await id('/Country?name=country+0') });
  expect((await answer).body.result).toBe('country 0');
});
