/** What an answer shows of the same related objects in many places is read once (docs/interface/lists.md 2.5). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { TestServer } from '../support/server.js';
import { statementsOf } from '../support/statements.js';
import { emptyPage } from '../support/trees.js';

const CHILDREN = 30;
/** What reads related objects: meanwhile the service builds indexes, too. */
const STATEMENT = /org\.svc\.graph - \d+\.\d ms: (?:SELECT .*\brel r\b|UNWIND)/;
const SHOWN = 20;

let server: TestServer;
/** Statements so far. */
let logged: () => Promise<number>;
let admin: Client;
let body: string;
beforeAll(async () => {
  server = await TestServer.start({ settings: { 'log.cypher.debug': true } });
  ({ admin } = server);
  ({ body } = await emptyPage(admin, 'wide'));
  await admin.post(
    '/Div',
    Array.from({ length: CHILDREN }, (_, i) => ({ tag: 'div', name: `child ${String(i)}`, parent: body })),
  );
  logged = await statementsOf(server, admin, STATEMENT);
});
afterAll(() => server.stop());

test('each child of a list shows its parent with all its children: these are read for the first of them', async () => {
  const statements = async (size: number): Promise<number> => {
    const before = await logged();
    const { body: answer } = await admin.get(`/Body/${body}/children?_pageSize=${String(size)}`);
    const list = answer.result as readonly { readonly parent: { readonly children: readonly object[] } }[];
    expect(list.map(({ parent }) => parent.children.length)).toEqual(Array.from({ length: size }, () => CHILDREN));
    return (await logged()) - before;
  };
  await statements(1);
  const [one, many] = [await statements(1), await statements(SHOWN)];
  expect(one).toBeGreaterThan(0);
  // Without that each of the others asks for what belongs to its siblings, in a statement at least.
  expect(many - one).toBeLessThan(SHOWN / 2);
});
