/** Deleting what takes hundreds along is one transaction that others do not wait for while it computes (docs/design/transactions.md). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const MANY = 350;

describe('an object that takes hundreds along', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ settings: { 'database.result.softlimit': 10_000 } });
    const { admin } = server;
    const shelf = await admin.defineType('Shelf', []);
    const book = await admin.defineType('Book', []);
    const page = await admin.defineType('Page2', []);
    await admin.relate(shelf, 'HOLDS', book, { sourceJsonName: 'shelf', targetJsonName: 'books' });
    // Pages go with their book.
    await admin.relate(book, 'CONTAINS', page, {
      sourceJsonName: 'book',
      targetJsonName: 'pages',
      sourceMultiplicity: '1',
      cascadingDeleteFlag: 1,
    });
  });
  afterAll(() => server.stop());

  const several = (type: string, more: object): Promise<unknown> =>
    server.admin.post(
      `/${type}`,
      Array.from({ length: MANY }, (_, i) => ({ name: `${type} ${String(i)}`, ...more })),
    );
  const count = async (path: string): Promise<number> =>
    ((await server.admin.get(`${path}?_pageSize=1`)).body as unknown as { result_count: number }).result_count;

  it('goes with its relationships, and without what was related, while others write', async () => {
    const { admin } = server;
    const shelf = await admin.create('Shelf', { name: 'hub' });
    await several('Book', { shelf });
    expect(await count(`/Shelf/${shelf}/books`)).toBe(MANY);
    const [deletion, ...others] = await Promise.all([
      admin.delete(`/Shelf/${shelf}`),
      ...Array.from({ length: 20 }, (_, i) => admin.post('/Shelf', { name: `other ${String(i)}` })),
    ]);
    expect(deletion.status).toBe(200);
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 201));
    expect((await admin.get(`/Shelf/${shelf}`)).status).toBe(404);
    expect(await count('/Book')).toBe(MANY);
    expect(await count('/ShelfHOLDSBook')).toBe(0);
    expect(await count('/Shelf')).toBe(20);
  });

  it('takes along what its relationships cascade to, all or, where one may not be deleted, nothing', async () => {
    const { admin } = server;
    const book = await admin.create('Book', { name: 'thick' });
    await several('Page2', { book });
    const mallory = await admin.create('User', { name: 'mallory', password: 'a-password' });
    for (const signature of ['Book', 'Book/_id']) await allow(admin, signature, 'user', ['GET', 'DELETE']);
    const grantees = [{ id: mallory, allowed: ['read', 'delete'] }];
    expect((await admin.put(`/Book/${book}`, { grantees })).status).toBe(200);
    const user = server.as('mallory', 'a-password');
    expect((await user.delete(`/Book/${book}`)).status).toBe(403);
    expect(await count('/Page2')).toBe(MANY);
    expect((await admin.delete(`/Book/${book}`)).status).toBe(200);
    expect(await count('/Page2')).toBe(0);
  });
});
