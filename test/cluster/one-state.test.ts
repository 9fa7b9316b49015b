/** Answers of servers on one Neo4j are of one state, beside others that write: by the same server, and by another one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { type Instance, seen, startInstances } from './instances.js';

const ACCOUNTS = 60;
/** So many that their list leaves in pieces where it is not kept. */
const MANY = 1500;
const START = 100;

interface Account {
  readonly id: string;
  readonly balance: number;
}
/** Each list is read by a statement of its own. */
interface Bank {
  readonly open: readonly Account[];
  readonly frozen: readonly Account[];
}

let instances: Instance[];
let close: () => Promise<void>;
let bank: string;
let accounts: string[];
let many: string[];
const admin = (n: number): Client => {
  const one = instances[n];
  if (one === undefined) throw new Error('no such instance');
  return one.server.admin;
};

beforeAll(async () => {
  ({ instances, close } = await startInstances(2));
  const bankType = await admin(0).create('SchemaNode', {
    name: 'Bank',
    schemaViews: [{ name: 'books', nonGraphProperties: 'id, open, frozen' }],
  });
  const accountType = await admin(0).create('SchemaNode', {
    name: 'Account',
    schemaProperties: [{ name: 'balance', propertyType: 'Long', indexed: true }],
    schemaViews: [
      { name: 'books', nonGraphProperties: 'id, balance' },
      { name: 'public', nonGraphProperties: 'id, balance, openOf' },
    ],
  });
  for (const list of ['open', 'frozen'])
    await admin(0).relate(bankType, list.toUpperCase(), accountType, {
      sourceJsonName: `${list}Of`,
      targetJsonName: list,
      sourceMultiplicity: '1',
    });
  bank = await admin(0).create('Bank', {});
  const made = Array.from({ length: ACCOUNTS }, (_, n) => ({
    balance: START,
    [n % 2 === 0 ? 'openOf' : 'frozenOf']: bank,
  }));
  accounts = (await admin(0).post('/Account', made)).body.result as string[];
  expect(accounts).toHaveLength(ACCOUNTS);
  await admin(0).defineType('Many', [
    { name: 'balance', propertyType: 'Long' },
    { name: 'note', propertyType: 'String' },
  ]);
  const note = 'long '.repeat(20);
  many = (
    await admin(0).post(
      '/Many',
      Array.from({ length: MANY }, () => ({ balance: START, note })),
    )
  ).body.result as string[];
  await seen(async () => (await admin(1).get('/Many?_pageSize=1')).status === 200);
  await seen(async () => (await admin(1).get('/Account?_pageSize=1')).status === 200);
});
afterAll(() => close());

const sum = (all: readonly Account[]): number => all.reduce((sum, { balance }) => sum + balance, 0);
const heldBy = (all: readonly Bank[]): Account[] => all.flatMap(({ open, frozen }) => [...open, ...frozen]);
const balances = (all: readonly Account[]): string[] => all.map(({ id, balance }) => `${id} ${String(balance)}`).sort();

/** One transaction: a sum goes from one account to another, which goes to the other list. */
async function transfer(client: Client, round: number): Promise<void> {
  const [a = '', b = ''] = [accounts[round % ACCOUNTS], accounts[(round * 7 + ACCOUNTS / 2 + 1) % ACCOUNTS]];
  if (a === b) return;
  const found = (await client.get('/Account?_pageSize=1000')).body.result as (Account & { openOf?: unknown })[];
  const at = (id: string) => found.find((one) => one.id === id);
  const isOpen = (at(b)?.openOf ?? null) !== null;
  const changes = [
    { id: a, balance: (at(a)?.balance ?? NaN) - 1 },
    { id: b, balance: (at(b)?.balance ?? NaN) + 1, openOf: isOpen ? null : bank, frozenOf: isOpen ? bank : null },
  ];
  expect((await client.patch('/Account', changes)).status).toBe(200);
}

async function beside(write: (round: number) => Promise<unknown>, reading: () => Promise<void>): Promise<number> {
  let over = false;
  let rounds = 0;
  const writing = (async () => {
    while (!over) await write(rounds++);
  })();
  try {
    await reading();
  } finally {
    over = true;
    await writing;
  }
  return rounds;
}

describe.each([
  ['the same server', 0],
  ['another server', 1],
])('beside writes by %s', (_, writer) => {
  it('a list and what is related to its objects are of one state', async () => {
    const shown = new Set<string>();
    const rounds = await beside(
      (round) => transfer(admin(writer), round),
      async () => {
        for (let i = 0; i < 120; i++) {
          const held = heldBy((await admin(0).get('/Bank/books')).body.result as Bank[]);
          expect([new Set(held.map(({ id }) => id)).size, held.length, sum(held)]).toEqual([
            ACCOUNTS,
            ACCOUNTS,
            ACCOUNTS * START,
          ]);
          shown.add(balances(held).join());
        }
      },
    );
    expect(rounds).toBeGreaterThan(10);
    // Answers of different states were made.
    expect(shown.size).toBeGreaterThan(5);
  });

  it('a page and its count are of one state', async () => {
    await beside(
      (round) => transfer(admin(writer), round),
      async () => {
        for (let i = 0; i < 120; i++) {
          const query = `/Account?balance=%5B${String(START)}%20TO%20%5D&_pageSize=20`;
          const [page, all] = await Promise.all([
            admin(0).get(query),
            admin(0).get('/Account?_sort=balance&_pageSize=1000'),
          ]);
          const { result, result_count: count } = page.body as { result: Account[]; result_count: number };
          expect(result.every(({ balance }) => balance >= START)).toBe(true);
          expect(result.length).toBe(Math.min(count, 20));
          expect(sum(all.body.result as Account[])).toBe(ACCOUNTS * START);
        }
      },
    );
  });

  it('a list of hundreds of kilobytes is of one state', async () => {
    const [first, last] = [many[0], many.at(-1)];
    const move = (round: number): Promise<Answer> =>
      admin(writer).patch('/Many', [
        { id: first, balance: START - round },
        { id: last, balance: START + round },
      ]);
    await beside(move, async () => {
      for (let i = 0; i < 15; i++) {
        const { text, body } = await admin(0).get('/Many');
        expect([text.length > 200_000, sum((body as { result: Account[] }).result)]).toEqual([true, MANY * START]);
      }
    });
  });

  it('answers of clients beside each other, too', async () => {
    await beside(
      (round) => transfer(admin(writer), round),
      async () => {
        await Promise.all(
          Array.from({ length: 6 }, async () => {
            for (let i = 0; i < 30; i++) {
              const held = heldBy((await admin(0).get('/Bank/books')).body.result as Bank[]);
              expect([held.length, sum(held)]).toEqual([ACCOUNTS, ACCOUNTS * START]);
            }
          }),
        );
      },
    );
  });
});
