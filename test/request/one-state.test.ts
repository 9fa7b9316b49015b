/** An answer is of one state of the database, however long it is made. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { TestServer } from '../support/server.js';

/** In each list: so many that making one gives the event loop back. */
const ITEMS = 1500;
let server: TestServer;
let admin: Client;
let holder: string;
let items: string[];

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  const itemType = await admin.defineType('Item', [{ name: 'n', propertyType: 'Integer' }]);
  const holderType = await admin.create('SchemaNode', {
    name: 'Holder',
    schemaViews: [{ name: 'lists', nonGraphProperties: 'id, left, right' }],
  });
  for (const side of ['left', 'right'])
    await admin.relate(holderType, side.toUpperCase(), itemType, { sourceJsonName: `${side}Of`, targetJsonName: side });
  holder = await admin.create('Holder', {});
  const sides = Array.from({ length: 2 * ITEMS }, (_, n) => ({ n, [n < ITEMS ? 'leftOf' : 'rightOf']: holder }));
  items = (await admin.post('/Item', sides)).body.result as string[];
  expect(items).toHaveLength(2 * ITEMS);
});
afterAll(() => server.stop());

test('what is moved from one list to another is in one of them, in every answer', async () => {
  let over = false;
  let moves = 0;
  // At both ends of the lists, which are read at different times.
  const mover = async (id: string): Promise<void> => {
    for (let toRight = true; !over; toRight = !toRight) {
      const to = toRight ? { leftOf: null, rightOf: holder } : { rightOf: null, leftOf: holder };
      expect((await admin.put(`/Item/${id}`, to)).status).toBe(200);
      moves++;
    }
  };
  const moving = Promise.all([items[0], items[ITEMS - 1], items[10]].map((id = '') => mover(id)));
  const seen = new Set<string>();
  try {
    for (let i = 0; i < 40 || moves < 100; i++) {
      const { result } = (await admin.get(`/Holder/${holder}/lists`)).body as {
        result: Record<'left' | 'right', { id: string }[]>;
      };
      const ids = [...result.left, ...result.right].map(({ id }) => id);
      expect([ids.length, new Set(ids).size]).toEqual([2 * ITEMS, 2 * ITEMS]);
      seen.add(`${String(result.left.length)} ${String(result.left.at(-1)?.id)}`);
    }
  } finally {
    over = true;
    await moving;
  }
  // Answers of different states were made.
  expect(seen.size).toBeGreaterThan(3);
});
