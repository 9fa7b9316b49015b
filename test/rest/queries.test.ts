import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

/** docs/interface/rest.md 2.3, docs/interface/lists.md 1: filters, ranges, lists, related objects, sorting, paging, counts. */
describe('queries', () => {
  let server: TestServer;
  let red: string;
  let blue: string;
  beforeAll(async () => {
    server = await TestServer.start({ settings: { 'database.result.softlimit': 20 } });
    const { admin } = server;
    const item = await admin.create('SchemaNode', {
      name: 'Item',
      schemaProperties: [
        { name: 'code', propertyType: 'String', indexed: true },
        { name: 'rank', propertyType: 'Integer', indexed: true },
        { name: 'big', propertyType: 'Long' },
        { name: 'price', propertyType: 'Double' },
        { name: 'open', propertyType: 'Boolean' },
        { name: 'due', propertyType: 'Date', indexed: true },
        { name: 'state', propertyType: 'Enum', format: 'new,used,broken' },
        { name: 'words', propertyType: 'StringArray' },
        { name: 'latitude', propertyType: 'Double' },
        { name: 'longitude', propertyType: 'Double' },
        { name: 'level', propertyType: 'String', indexed: true, defaultValue: 'low' },
      ],
    });
    // Many enough for a walk along the index to be the best way, once it is built.
    await admin.create('SchemaNode', {
      name: 'Entry',
      schemaProperties: [{ name: 'rank', propertyType: 'Integer', indexed: true }],
    });
    await admin.post(
      '/Entry',
      Array.from({ length: 3000 }, (_, i) => ({ name: `z${String(i)}`, rank: 1000 + i })),
    );
    const color = await admin.create('SchemaNode', { name: 'Color' });
    await admin.create('SchemaNode', { name: 'SpecialItem', inheritedTraits: ['Item'] });
    await admin.relate(item, 'HAS_COLOR', color, {
      sourceMultiplicity: '*',
      targetJsonName: 'colors',
      sourceJsonName: 'items',
    });
    await admin.create('SchemaProperty', {
      schemaNode: item,
      name: 'colorNames',
      propertyType: 'Notion',
      format: 'colors, name',
    });
    await admin.create('SchemaProperty', {
      schemaNode: item,
      name: 'colorCount',
      propertyType: 'Count',
      format: 'colors',
    });
    [red, blue] = (await admin.post('/Color', [{ name: 'red' }, { name: 'blue' }])).body.result as [string, string];
    await admin.post('/Item', [
      {
        name: 'a',
        code: 'Alpha',
        rank: 1,
        big: '9007199254740993',
        price: 1.5,
        open: true,
        due: '2024-03-01T10:00:00+0000',
        state: 'new',
        words: ['x', 'y'],
        colors: [red],
        latitude: 52.52,
        longitude: 13.405,
      },
      {
        name: 'b',
        code: 'alphabet',
        rank: 2,
        big: 9007199254740992,
        price: 2,
        open: false,
        due: '2024-03-02T10:00:00+0000',
        state: 'used',
        words: ['y'],
        colors: [red, blue],
        latitude: 48.137,
        longitude: 11.575,
      },
      { name: 'c', code: 'Zulu', rank: 10, price: -3, state: 'used', words: ['yy'] },
      { name: 'd', code: '' },
    ]);
    await admin.create('SpecialItem', { name: 's', code: 'Special', rank: 5, level: 'high' });
  });
  afterAll(() => server.stop());

  const names = async (query: string): Promise<string[]> => {
    const answer = await server.admin.get(`/Item?${query}`);
    if (answer.status !== 200) throw new Error(`${String(answer.status)} ${answer.text}`);
    return (answer.body.result as { name: string }[]).map((o) => o.name).sort();
  };

  it.each([
    ['all of a type and its subtypes', '', ['a', 'b', 'c', 'd', 's']],
    ['exact text', 'code=Alpha', ['a']],
    ['exact text minds case', 'code=alpha', []],
    ['inexact text contains, whatever the case', 'code=ALPHA&_inexact=1', ['a', 'b']],
    ['_loose is the old name', 'code=ALPHA&_loose=true', ['a', 'b']],
    ['empty text: null or empty', 'code=', ['d']],
    ['a number', 'rank=10', ['c']],
    ['a missing number', 'rank=', ['d']],
    ['64-bit numbers exactly', 'big=9007199254740993', ['a']],
    ['any of', 'rank=1;2;99', ['a', 'b']],
    ['two values at once match nothing', 'code=Alpha,Zulu', []],
    ['all of, inexact', 'code=alpha,bet&_inexact=1', ['b']],
    ['repeated parameters are both needed', 'state=used&rank=2', ['b']],
    ['a range, both ends included', 'rank=[2 TO 5]', ['b', 's']],
    ['a range open below', 'rank=[ TO 2]', ['a', 'b']],
    ['a range open above', 'rank=[5 TO ]', ['c', 's']],
    ['a range open at both ends filters nothing', 'rank=[ TO ]', ['a', 'b', 'c', 'd', 's']],
    ['a range of text is by code point', 'code=[A TO Z]', ['a', 's']],
    ['a range of dates', 'due=[2024-03-01T00:00:00Z TO 2024-03-01T23:59:59Z]', ['a']],
    ['a date', `due=${encodeURIComponent('2024-03-02T10:00:00+0000')}`, ['b']],
    ['true', 'open=true', ['a']],
    ['false also finds objects without a value', 'open=false', ['b', 'c', 'd', 's']],
    ['an enum member', 'state=used', ['b', 'c']],
    ['a list exactly', 'words=x,y', ['a']],
    ['a list with one element', 'words=y', ['b']],
    ['a list that contains', 'words=y&_inexact=1', ['a', 'b']],
    ['a list that contains any', 'words=x;yy&_inexact=1', ['a', 'c']],
    ['a list without elements', 'words=', ['d', 's']],
    ['the exact type', 'type=SpecialItem', ['s']],
    ['an id that is none', 'id=nonsense', []],
    ['not empty, of an indexed property with default', 'level=[]', ['a', 'b', 'c', 'd', 's']],
    ['a default value that was stored', 'level=high', ['s']],
    ['no related object', 'colors=', ['c', 'd', 's']],
    ['related values, exactly these', 'colorNames=red', ['a']],
    ['related values, some', 'colorNames=re&_inexact=1', ['a', 'b']],
    ['within a distance', '_latlon=52.5,13.4&_distance=30', ['a']],
    ['within a large distance', '_latlon=52.5,13.4&_distance=600', ['a', 'b']],
    ['an unreadable centre filters nothing', '_latlon=here&_distance=30', ['a', 'b', 'c', 'd', 's']],
    ['a filter on a related key has no effect', 'colors.name=red', ['a', 'b', 'c', 'd', 's']],
    ['logPermissionResolution is no filter', 'logPermissionResolution=true&rank=1', ['a']],
  ])('%s', async (_, query, expected) => {
    expect(await names(query.replace(/ /g, '%20'))).toEqual(expected);
  });

  it('filters by related object: exactly this one, or this one among others', async () => {
    expect(await names(`colors=${red}`)).toEqual(['a']);
    expect(await names(`colors=${red}&_inexact=1`)).toEqual(['a', 'b']);
    expect(await names(`colors=${red},${blue}&_inexact=1`)).toEqual(['b']);
    expect(await names(`colors=${red};${blue}&_inexact=1`)).toEqual(['a', 'b']);
    expect(await names(`colors=${red},${blue}`)).toEqual([]);
  });

  it.each([
    ['an unknown key', 'nonsense=1', 400, 'Unknown search key nonsense'],
    ['not empty without index and default', 'price=[]', 400, undefined],
    ['a broken range', 'rank=[1-2]', 422, 'Invalid range pattern.'],
    ['no number', 'rank=many', 422, undefined],
    ['no date', 'due=tomorrow', 422, undefined],
    ['mixed separators', 'rank=1,2;3', 422, undefined],
    ['an unknown related object', 'colors=00000000000000000000000000000001', 422, undefined],
    ['a broken escape', 'code=%zz', 400, undefined],
    ['a distance that is no number', '_distance=far', 400, undefined],
    ['an address without geocoder', '_city=Berlin&_distance=5', 422, undefined],
  ])('%s is refused', async (_, query, status, message) => {
    const answer = await server.admin.get(`/Item?${query}`);
    expect([answer.status, answer.body.code]).toEqual([status, status]);
    if (message !== undefined) expect(answer.body.message).toBe(message);
  });

  const order = async (query: string): Promise<string[]> =>
    ((await server.admin.get(`/Item?${query}`)).body.result as { name: string }[]).map((o) => o.name);

  it.each([
    ['ascending, missing last', '_sort=rank', ['a', 'b', 's', 'c', 'd']],
    ['descending, missing first', '_sort=rank&_order=desc', ['d', 'c', 's', 'b', 'a']],
    ['text by code point, empty first', '_sort=code', ['d', 'a', 's', 'c', 'b']],
    ['unindexed doubles', '_sort=price&price=[-10%20TO%2010]', ['c', 'a', 'b']],
    ['only lower-case desc is descending', '_sort=name&_order=DESC', ['a', 'b', 'c', 'd', 's']],
    ['several keys by position', '_sort=state&_sort=name&_order=asc&_order=desc&state=[a%20TO%20z]', ['a', 'c', 'b']],
    [
      'unknown keys are ignored, their order is used up',
      '_sort=nonsense&_sort=name&_order=asc&_order=desc',
      ['s', 'd', 'c', 'b', 'a'],
    ],
  ])('sorts %s', async (_, query, expected) => {
    expect(await order(query)).toEqual(expected);
  });

  it.each([
    ['the first page', '_pageSize=2', { names: ['a', 'b'], page: 1, page_size: 2, result_count: 5, page_count: 3 }],
    ['the last page', '_pageSize=2&_page=3', { names: ['s'], page: 3, page_size: 2, result_count: 5, page_count: 3 }],
    [
      'a page past the end',
      '_pageSize=2&_page=9',
      { names: [], page: 9, page_size: 2, result_count: 5, page_count: 3 },
    ],
    ['a huge page number', '_pageSize=2&_page=999999999999999', { names: [], result_count: 5 }],
    ['page 0', '_pageSize=2&_page=0', { names: [], result_count: 5 }],
    ['a negative page', '_pageSize=2&_page=-1', { names: ['a', 'b'], result_count: 5 }],
    ['a size of 0', '_pageSize=0', { names: [], result_count: 5 }],
    ['a negative size', '_pageSize=-5', { names: [], result_count: 5 }],
    ['a size that is no number', '_pageSize=x', { names: ['a', 'b', 'c', 'd', 's'], result_count: 5, page_count: 1 }],
    ['a page of a filter', '_pageSize=1&state=used', { names: ['b'], result_count: 2, page_count: 2 }],
  ])('pages: %s', async (_, query, expected) => {
    const { body } = await server.admin.get(`/Item?_sort=name&${query}`);
    const { names: wanted, ...rest } = expected;
    expect((body.result as { name: string }[]).map((o) => o.name)).toEqual(wanted);
    expect(body).toMatchObject(rest);
  });

  it('an empty result counts 0 objects on 0 pages', async () => {
    expect((await server.admin.get('/Item?rank=77')).body).toMatchObject({
      result: [],
      result_count: 0,
      page_count: 0,
    });
  });

  describe('beyond the soft limit', () => {
    beforeAll(async () => {
      await server.admin.defineType('Many');
      await server.admin.post(
        '/Many',
        Array.from({ length: 45 }, (_, i) => ({ name: `m${String(i)}` })),
      );
    });

    it('a list ends at the limit, says so, and leaves the counts out', async () => {
      const { body } = await server.admin.get('/Many');
      expect(body.result).toHaveLength(20);
      expect(body.info).toMatchObject({ limit: 20, result_size: 20 });
      expect(body).not.toHaveProperty('result_count');
      expect(body).not.toHaveProperty('page_count');
    });
    it('_forceResultCount counts everything', async () => {
      const { body } = await server.admin.get('/Many?_pageSize=10&_forceResultCount=');
      expect(body).toMatchObject({ result_count: 45, page_count: 5 });
      expect(body.result).toHaveLength(10);
    });
    it('_disableSoftLimit gives everything', async () => {
      const { body } = await server.admin.get('/Many?_disableSoftLimit=true');
      expect(body.result).toHaveLength(45);
      expect(body.result_count).toBe(45);
    });
    it('a larger page size raises the limit', async () => {
      const { body } = await server.admin.get('/Many?_pageSize=50');
      expect(body.result).toHaveLength(45);
      expect(body.result_count).toBe(45);
    });
  });

  it('a count property counts', async () => {
    expect((await server.admin.get('/Item/all?name=b')).body.result[0]).toMatchObject({
      colorCount: 2,
      colorNames: ['red', 'blue'],
    });
  });

  it('_parallelizeJsonOutput is not indented; _serializeNulls=false leaves nulls out, not empty lists', async () => {
    const { text, body } = await server.admin.get('/Item/custom?name=d&_parallelizeJsonOutput=1&_serializeNulls=false');
    expect(text.split('\n')).toHaveLength(2);
    expect(body.result[0]).not.toHaveProperty('rank');
    expect(body.result[0]).toMatchObject({ words: [], colors: [], open: false, code: '' });
  });

  it('a page asked for again shows what was created, changed and deleted meanwhile', async () => {
    const page = async (): Promise<string[]> =>
      (await server.admin.get('/Entry?_sort=rank&_pageSize=3&_page=1')).body.result.map(
        (o: { name: string }) => o.name,
      );
    const [a = ''] = await Promise.all(
      ['a', 'b', 'c'].map((name, i) => server.admin.create('Entry', { name, rank: 10 * (i + 1) })),
    );
    expect(await page()).toEqual(['a', 'b', 'c']);
    expect(await page()).toEqual(['a', 'b', 'c']);
    const first = await server.admin.create('Entry', { name: 'first', rank: 1 });
    expect(await page()).toEqual(['first', 'a', 'b']);
    await server.admin.put(`/Entry/${a}`, { rank: 99 });
    expect(await page()).toEqual(['first', 'b', 'c']);
    await server.admin.delete(`/Entry/${first}`);
    expect(await page()).toEqual(['b', 'c', 'a']);
  });

  it('with legacy names the parameters have no underscore, and the underscore ones are unknown', async () => {
    const legacy = await TestServer.start({ settings: { 'application.legacy.requestparameters.enabled': true } });
    try {
      expect((await legacy.admin.get('/User?pageSize=1&page=1')).body).toMatchObject({ page: 1, page_size: 1 });
      expect((await legacy.admin.get('/User?_pageSize=1')).status).toBe(400);
    } finally {
      await legacy.stop();
    }
  });
});
