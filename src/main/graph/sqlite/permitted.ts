/** Whether nodes that were read already are allowed, one by one: what a GET of one object asks. */
import { type AccessRule, allowsItself } from '../access.js';
import type { GraphNode } from '../types.js';
import { propagates } from './access-sql.js';
import { rightBit } from './access-table.js';
import { nextTurn } from './pace.js';
import type { ReadContext } from './reads.js';
import { type Sql, sql } from './sql.js';
import type { Store } from './store.js';

/** For each of `nodes` whether `rule` allows it. */
export async function permitted(
  store: Store,
  context: ReadContext,
  nodes: readonly GraphNode[],
  rule: AccessRule,
): Promise<boolean[]> {
  const { unit } = context;
  const answers: boolean[] = [];
  let principals: readonly number[] | undefined;
  for (const node of nodes) {
    let answer = allowsItself(node, rule);
    if (!answer) {
      principals ??= rule.principals.flatMap((id) => store.keyOf(id, unit) ?? []);
      const pk = store.keyOf(node.id, unit);
      answer =
        pk !== undefined &&
        (holds(store, context, node, pk, rule, principals) || (await led(store, context, pk, rule)));
    }
    answers.push(answer);
    if (store.pace.due) {
      await nextTurn();
      context.check();
    }
  }
  return answers;
}

const ENTRY = 'SELECT rights FROM access_entry WHERE principal=? AND type=? AND node=?';

/** As owner or by a grant: one look-up a principal, by a text that never changes, as its statement is kept by it. */
function holds(
  store: Store,
  { unit }: ReadContext,
  node: GraphNode,
  pk: number,
  rule: AccessRule,
  principals: readonly number[],
): boolean {
  const type = store.names.idOf(node.type);
  if (type === undefined) return false;
  const connection = store.connection(unit);
  const bit = rightBit(rule.right);
  return principals.some((principal) => (Number(connection.get(ENTRY, [principal, type, pk])?.[0] ?? 0) & bit) !== 0);
}

/** By way of others. */
async function led(store: Store, context: ReadContext, pk: number, rule: AccessRule): Promise<boolean> {
  const { unit } = context;
  const search: Sql | undefined = propagates('n.pk', rule, store.catalog(unit));
  if (search === undefined) return false;
  const rows = await store.bounded(unit, sql`SELECT 1 FROM node n WHERE n.pk=${pk} AND ${search}`, context);
  return rows.length > 0;
}
