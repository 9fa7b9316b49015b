/** Whether nodes that were read already are allowed, one by one: what a GET of one object asks. */
import { type AccessRule, allowsItself, narrowed } from '../../access.js';
import type { GraphNode } from '../../types.js';
import { propagates } from '../query/access-sql.js';
import { nextTurn } from '../connection/pace.js';
import type { ReadContext } from './read-context.js';
import { rightBit } from '../indexes/rights.js';
import { type Sql, sql } from '../connection/sql.js';
import { storedId } from '../connection/records.js';
import type { Store } from './store.js';
import type { Unit } from '../writing/unit.js';

/** Which state is looked at. */
type Sees = Pick<ReadContext, 'unit' | 'pin'>;

/** For each of `nodes` whether `rule` allows it. */
export async function permitted(
  store: Store,
  context: ReadContext,
  nodes: readonly GraphNode[],
  rule: AccessRule,
): Promise<boolean[]> {
  const answers: boolean[] = [];
  const { unit } = context;
  for (const node of nodes) {
    if (unit !== undefined && store.commit.apart && !isSeen(store, unit, node, rule)) await store.commit.shown(unit);
    answers.push(
      allowsItself(node, rule) || holds(store, context, node, rule) || (await led(store, context, node, rule)),
    );
    if (store.pace.due) {
      await nextTurn();
      context.check();
    }
  }
  return answers;
}

/** The same of one node, of what is committed, where no way by others has to be looked at; undefined: it has. */
export function permittedNow(store: Store, node: GraphNode, rule: AccessRule): boolean | undefined {
  if (allowsItself(node, rule) || holds(store, COMMITTED, node, rule)) return true;
  return leads(node, rule) === undefined ? false : undefined;
}

/** Reads of what is committed. */
const COMMITTED: Sees = {};

/** Whether what is committed decides: nothing that was written concerns it, and no steps are to be taken. */
function isSeen(store: Store, unit: Unit, node: GraphNode, rule: AccessRule): boolean {
  if (allowsItself(node, rule)) return true;
  const pk = store.keyOf(node.id, unit);
  if (pk !== undefined && store.commit.writesEntries(pk)) return false;
  return leads(node, rule) === undefined;
}

const ENTRY = 'SELECT rights FROM access_entry WHERE principal=? AND type=? AND node=?';

/** As owner or by a grant: one look-up a principal, by a text that never changes, as its statement is kept by it. */
function holds(store: Store, { unit, pin }: Sees, node: GraphNode, rule: AccessRule): boolean {
  const type = store.names.idOf(node.type);
  const view = unit ?? pin;
  const pk = store.keyOf(node.id, view);
  if (type === undefined || pk === undefined) return false;
  const known = view === undefined ? store.decisions.get(rule, type, pk) : undefined;
  if (known !== undefined) return known;
  const connection = unit === undefined ? store.connection(view) : store.untouched(unit);
  const bit = rightBit(rule.right);
  const holds = rule.principals.some((id) => {
    const principal = store.keyOf(id, view);
    return principal !== undefined && (Number(connection.get(ENTRY, [principal, type, pk])?.[0] ?? 0) & bit) !== 0;
  });
  if (view === undefined) store.decisions.put(rule, type, pk, holds);
  return holds;
}

/** The rule for a node that may be allowed by way of others; undefined: for most types no step is taken. */
function leads(node: GraphNode, rule: AccessRule): AccessRule | undefined {
  const needed = rule.propagation === undefined ? undefined : narrowed(rule, [node.type]);
  return needed?.propagation === undefined ? undefined : needed;
}

/** By way of others. */
async function led(store: Store, context: ReadContext, node: GraphNode, rule: AccessRule): Promise<boolean> {
  const needed = leads(node, rule);
  if (needed === undefined) return false;
  const view = context.unit ?? context.pin;
  const search: Sql | undefined = propagates('n.pk', needed, store.catalog(view));
  if (search === undefined) return false;
  const rows = await store.bounded(
    view,
    sql`SELECT 1 FROM node n WHERE n.id=${storedId(node.id)} AND ${search}`,
    context,
  );
  return rows.length > 0;
}
