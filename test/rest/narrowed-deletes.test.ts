import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

/** A DELETE deletes what the same GET shows, or nothing at all: what it cannot use is refused. */
describe('a DELETE that is narrowed', () => {
  let server: TestServer;
  let shelf: string;
  let books: string[];
  beforeAll(async () => {
    server = await TestServer.start({ settings: { 'database.result.softlimit': 1000 } });
    const { admin } = server;
    const common = [
      { name: 'rank', propertyType: 'Integer', indexed: true },
      { name: 'lent', propertyType: 'Boolean' },
      { name: 'due', propertyType: 'Date' },
      { name: 'flags', propertyType: 'BooleanArray' },
      { name: 'latitude', propertyType: 'Double' },
      { name: 'longitude', propertyType: 'Double' },
    ];
    // Below a shelf search keys are those of the shelf (docs/interface/rest.md 5).
    const shelfType = await admin.defineType('Shelf', [
      ...common,
      { name: 'shelfCode', propertyType: 'String' },
      { name: 'mark', propertyType: 'String' },
    ]);
    const book = await admin.defineType('Book', [...common, { name: 'mark', propertyType: 'Integer' }]);
    await admin.relate(shelfType, 'HOLDS', book, { sourceJsonName: 'shelf', targetJsonName: 'books' });
    for (const [name, format] of [
      ['shelfLent', 'shelf, lent'],
      ['shelfName', 'shelf, name'],
    ])
      await admin.create('SchemaProperty', { name, propertyType: 'Notion', format, schemaNode: book });
  });
  afterAll(() => server.stop());

  beforeEach(async () => {
    const { admin } = server;
    expect((await admin.delete('/Book')).status).toBe(200);
    expect((await admin.delete('/Shelf')).status).toBe(200);
    shelf = await admin.create('Shelf', { name: 'first' });
    const created = await admin.post(
      '/Book',
      Array.from({ length: 9 }, (_, i) => ({
        name: `b${String(i)}`,
        rank: i,
        lent: i % 2 === 0,
        latitude: 50 + i,
        longitude: 8,
        shelf,
      })),
    );
    books = created.body.result as string[];
  });

  const left = async (): Promise<string[]> =>
    ((await server.admin.get('/Book?_sort=rank')).body.result as { name: string }[]).map(({ name }) => name);
  const all = Array.from({ length: 9 }, (_, i) => `b${String(i)}`);

  const REFUSED: readonly (readonly [what: string, query: string])[] = [
    ['a key of a related object', 'shelf.name=second'],
    ['a key that is unknown', 'nonsense=1'],
    ['a parameter that is unknown', '_pagesize=2'],
    ['a centre that is unreadable', '_latlon=here&_distance=30'],
    ['a centre of three numbers', '_latlon=1,2,3&_distance=30'],
    ['a centre without a distance', '_latlon=50,8'],
    ['a distance without a centre', '_distance=30'],
    ['a distance that is none', '_latlon=50,8&_distance=near'],
    ['an address without a distance', '_city=Mainz'],
    ['a range without ends', 'createdDate=[ TO ]'],
    ['a range without ends of a number', 'rank=[ TO ]'],
    ['a range that is none', 'rank=[1-2]'],
    ['a number that is none', 'rank=few'],
    ['a date that is none', 'due=soon'],
    ['a Boolean that is none', 'lent=maybe'],
    ['a Boolean that is none in a list', 'flags=true,maybe'],
    ['a value that is empty in a list of Booleans', 'lent=true;'],
    ['an inexactness that is none', 'name=b1&_inexact=yes'],
    ['a list that ends with its separator, inexactly', 'name=zzz;&_inexact=1'],
    ['a list that has nothing in it, inexactly', 'name=,&_inexact=1'],
    ['a Boolean that is none of a related object', 'shelfLent=maybe'],
    ['a list of names of related objects that ends with its separator', 'shelfName=zzz;&_inexact=1'],
    ['a page size that is no number', '_pageSize=some'],
    ['a page size with a fraction', '_pageSize=1.5'],
    ['a page size that is empty', '_pageSize='],
    ['a page that is no number', '_pageSize=2&_page=first'],
    ['a page below 0', '_pageSize=2&_page=-1'],
    ['a page without a size', '_page=2'],
    ['two page sizes', '_pageSize=2&_pageSize=3'],
    ['a sort key that is unknown', '_pageSize=2&_sort=nonsense'],
    ['a sort key of a related object', '_pageSize=2&_sort=shelf.name'],
    ['a sort key that is a relation', '_pageSize=2&_sort=shelf'],
    ['an order that is none', '_pageSize=2&_sort=rank&_order=DESC'],
    ['an order without a sort key', '_pageSize=2&_order=desc'],
    ['a filter with a name alone', '=1'],
  ];
  it.each(REFUSED)('with %s is refused and deletes nothing', async (_, query) => {
    const answer = await server.admin.delete(`/Book?${query}`);
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    expect([400, 422]).toContain(answer.status);
    expect(answer.body).toMatchObject({ code: answer.status, message: expect.any(String), errors: expect.any(Array) });
    expect(await left()).toEqual(all);
  });
  it.each(REFUSED)('of related objects with %s is refused and deletes nothing', async (_, query) => {
    const answer = await server.admin.delete(`/Shelf/${shelf}/books?${query}`);
    expect([400, 422], answer.text).toContain(answer.status);
    expect(await left()).toEqual(all);
  });

  it.each([
    ['a view', '/ui'],
    ['a view with filters', '/public?rank=1'],
  ])('of a collection with %s in its path is refused', async (_, rest) => {
    expect((await server.admin.delete(`/Book${rest}`)).status).toBe(400);
    expect(await left()).toEqual(all);
  });
  it('of one object with filters, a window or a view is refused', async () => {
    const [first = ''] = books;
    for (const rest of ['?rank=77', '?_pageSize=0', '/ui', '?shelf.name=x', '?_distance=1'])
      expect((await server.admin.delete(`/Book/${first}${rest}`)).status, rest).toBe(400);
    expect(await left()).toEqual(all);
  });
  it('of related objects with more in its path is refused: one of them may have been meant', async () => {
    await server.admin.post(`/Shelf/${shelf}/books`, { name: 'one more' });
    const [first = ''] = books;
    const paths = [`/Shelf/${shelf}/books/${first}`, `/Shelf/${shelf}/books/undefined`, `/Book/${first}/shelf/name`];
    for (const path of paths) {
      expect((await server.admin.delete(path)).status, path).toBe(400);
      expect((await server.admin.put(path, {})).status, path).toBe(400);
      expect((await server.admin.post(path, { name: 'lost' })).status, path).toBe(400);
    }
    expect(await left()).toHaveLength(10);
    expect((await server.admin.get(`/Shelf/${shelf}/books`)).body.result_count).toBe(10);
  });
  it('a PUT of related objects with filters is refused: it replaces all of them', async () => {
    for (const query of ['name=b1', '_pageSize=1', 'nonsense=1'])
      expect((await server.admin.put(`/Shelf/${shelf}/books?${query}`, {})).status, query).toBe(400);
    expect((await server.admin.get(`/Shelf/${shelf}/books`)).body.result_count).toBe(9);
  });
  it('with a body that says something is refused; an empty one is none', async () => {
    for (const body of [{ rank: 1 }, { ids: books.slice(0, 1) }, [{ id: books[0] }], 'nonsense {'])
      expect((await server.admin.send('DELETE', '/Book', body)).status).toBe(400);
    expect((await server.admin.send('DELETE', `/Shelf/${shelf}/books`, { rank: 1 })).status).toBe(400);
    expect(await left()).toEqual(all);
    expect((await server.admin.send('DELETE', '/Book?rank=0', {})).status).toBe(200);
    expect(await left()).toEqual(all.slice(1));
  });
  it('of related objects is refused for a key that only the other type has', async () => {
    // Every book lacks the key, so that each would be found.
    for (const query of ['shelfCode=', 'shelfCode=x', 'mark=1', '_pageSize=2&_sort=shelfCode'])
      expect((await server.admin.delete(`/Shelf/${shelf}/books?${query}`)).status).toBe(400);
    expect(await left()).toEqual(all);
  });

  const USED: readonly (readonly [what: string, query: string, gone: readonly string[]])[] = [
    ['one filter', 'rank=3', ['b3']],
    ['several values', 'rank=3;4', ['b3', 'b4']],
    ['a range', 'rank=[ TO 3]', ['b0', 'b1', 'b2', 'b3']],
    ['a range that is empty', 'rank=[5 TO 3]', []],
    ['a Boolean', 'lent=on', ['b0', 'b2', 'b4', 'b6', 'b8']],
    ['a Boolean that is false', 'lent=0', ['b1', 'b3', 'b5', 'b7']],
    ['an empty Boolean, which means false', 'lent=', ['b1', 'b3', 'b5', 'b7']],
    ['a distance', '_latlon=50,8&_distance=120', ['b0', 'b1']],
    ['an inexact text', 'name=B&_inexact=1&rank=2', ['b2']],
    ['a page', '_pageSize=3&_sort=rank', ['b0', 'b1', 'b2']],
    ['a later page', '_pageSize=2&_page=3&_sort=rank', ['b4', 'b5']],
    ['a page from behind', '_pageSize=2&_sort=rank&_order=desc', ['b7', 'b8']],
    ['a page of what is found', '_pageSize=2&_page=2&_sort=rank&lent=true', ['b4', 'b6']],
    ['a page beyond the end', '_pageSize=5&_page=9', []],
    ['page 0', '_pageSize=5&_page=0', []],
    ['a size of 0', '_pageSize=0', []],
    ['several keys', '_pageSize=2&_sort=lent&_sort=rank&_order=desc&_order=desc', ['b6', 'b8']],
    ['how the answer is to be written', '_outputNestingDepth=1&_locale=de&rank=1', ['b1']],
  ];
  const deletesWhatGetShows = async (path: string, query: string, gone: readonly string[]): Promise<void> => {
    const shown = (await server.admin.get(`${path}?${query}`)).body.result as { name: string }[];
    expect(shown.map(({ name }) => name).sort()).toEqual(gone);
    expect((await server.admin.delete(`${path}?${query}`)).status).toBe(200);
    expect(await left()).toEqual(all.filter((name) => !gone.includes(name)));
  };
  it.each(USED)('with %s deletes exactly what GET shows', (_, query, gone) =>
    deletesWhatGetShows('/Book', query, gone),
  );
  it.each(USED)('of related objects with %s deletes exactly what GET shows', (_, query, gone) =>
    deletesWhatGetShows(`/Shelf/${shelf}/books`, query, gone),
  );

  it('takes a window of relationships, too', async () => {
    const relations = (await server.admin.get('/ShelfHOLDSBook')).body.result as { id: string }[];
    expect(relations).toHaveLength(9);
    const shown = (await server.admin.get('/ShelfHOLDSBook?_pageSize=4&_sort=id')).body.result as { id: string }[];
    expect((await server.admin.delete('/ShelfHOLDSBook?_pageSize=4&_sort=nonsense')).status).toBe(400);
    expect((await server.admin.delete('/ShelfHOLDSBook?_pageSize=4&_sort=id')).status).toBe(200);
    const rest = (await server.admin.get('/ShelfHOLDSBook?_sort=id')).body.result as { id: string }[];
    expect(rest.map(({ id }) => id)).toEqual(
      relations
        .map(({ id }) => id)
        .sort()
        .filter((id) => !shown.some((one) => one.id === id)),
    );
    expect(await left()).toEqual(all);
  });

  it('takes a window larger than a transaction', async () => {
    const { admin } = server;
    await admin.post(
      '/Book',
      Array.from({ length: 1300 }, (_, i) => ({ name: 'many', rank: 100 + i, shelf })),
    );
    const answer = await admin.delete('/Book?name=many&_pageSize=1200&_sort=rank&_order=desc');
    expect([answer.status, answer.body.result]).toEqual([200, []]);
    const rest = (await admin.get('/Book?name=many&_sort=rank')).body.result as { rank: number }[];
    expect(rest.map(({ rank }) => rank)).toEqual(Array.from({ length: 100 }, (_, i) => 100 + i));
    // Without a window the limit of lists is none of deletions.
    await admin.post(
      '/Book',
      Array.from({ length: 1000 }, () => ({ name: 'many', shelf })),
    );
    expect((await admin.delete(`/Shelf/${shelf}/books?name=many`)).status).toBe(200);
    expect(await left()).toEqual(all);
  });

  it('a PATCH of a collection knows no filters: it would change what they do not find', async () => {
    for (const query of ['name=b1', '_pageSize=1', 'shelf.name=x', '_latlon=1,2&_distance=3'])
      expect((await server.admin.patch(`/Book?${query}`, { rank: 99 })).status, query).toBe(400);
    expect(await left()).toEqual(all);
    expect((await server.admin.patch('/Book?_batchSize=100', [{ id: books[0], name: 'b0' }])).status).toBe(200);
  });

  it('a GET with a distance and no centre is refused as well', async () => {
    expect((await server.admin.get('/Book?_distance=30')).status).toBe(400);
  });

  it('legacy names mean the same', async () => {
    const legacy = await TestServer.start({
      settings: { 'application.legacy.requestparameters.enabled': true },
    });
    try {
      await legacy.admin.defineType('Book', [{ name: 'rank', propertyType: 'Integer' }]);
      await legacy.admin.post(
        '/Book',
        [0, 1, 2, 3].map((rank) => ({ name: `b${String(rank)}`, rank })),
      );
      expect((await legacy.admin.delete('/Book?pageSize=x')).body.message).toContain('pageSize');
      expect((await legacy.admin.delete('/Book?_pageSize=1')).status).toBe(400);
      expect((await legacy.admin.delete('/Book?pageSize=2&page=2&sort=rank')).status).toBe(200);
      expect((await legacy.admin.get('/Book')).body.result).toHaveLength(2);
    } finally {
      await legacy.stop();
    }
  });
});
