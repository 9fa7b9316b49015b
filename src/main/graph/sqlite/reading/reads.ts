/** The read half of a transaction: single entities and what is asked about them; lists and walks below. */
import type { AccessRule, Step } from '../../access.js';
import type { ReadTransaction, TextMatch } from '../../graph.js';
import type { GraphNode, GraphRelationship } from '../../types.js';
import { graphError } from '../connection/connection.js';
import { ends } from '../connection/parts.js';
import { boundId, keyOf, REL_COLUMNS } from '../connection/records.js';
import { permitted } from './permitted.js';
import { nextTurn } from '../connection/pace.js';
import { raw, sql } from '../connection/sql.js';
import { searchText } from './text-reads.js';
import type { TextQuery } from '../../text/text-query.js';
import type { ReadContext } from './read-context.js';
import { Walks } from './walks.js';

/** Rows read from relationships before the loop gets a turn. */
const TURN = 1000;
const REL_BY_ID = `SELECT ${REL_COLUMNS} FROM rel r CROSS JOIN node a ON a.pk=r.source CROSS JOIN node b ON b.pk=r.target WHERE r.id=?`;

export class Reads extends Walks implements ReadTransaction {
  protected override committed(context: ReadContext): ReadTransaction {
    return new Reads(this.store, context);
  }

  async node(id: string): Promise<GraphNode | undefined> {
    this.context.check();
    const view = this.view;
    const coming = this.store.coming(id, view);
    if (coming !== undefined) return coming;
    const found = this.store.nodeOrRow(id, view);
    if (Array.isArray(found)) return this.store.decodeLarge(id, found, view);
    if (this.store.pace.due) await nextTurn();
    return found?.node;
  }

  async nodes(ids: readonly string[]): Promise<(GraphNode | undefined)[]> {
    this.context.check();
    const found: (GraphNode | undefined)[] = [];
    for (const id of ids) {
      found.push(this.store.node(id, this.view)?.node);
      if (found.length % TURN === 0 || this.store.pace.due) await this.turn();
    }
    return found;
  }

  async types(ids: readonly string[]): Promise<(string | undefined)[]> {
    this.context.check();
    const found: (string | undefined)[] = [];
    for (const id of ids) {
      found.push(this.store.endOf(id, this.view)?.type);
      if (found.length % TURN === 0 || this.store.pace.due) await this.turn();
    }
    return found;
  }

  async relationship(id: string): Promise<GraphRelationship | undefined> {
    this.context.check();
    const relationship = this.readRelationship(id)?.relationship;
    if (this.store.pace.due) await nextTurn();
    return relationship;
  }

  protected readRelationship(id: string): { pk: number; relationship: GraphRelationship } | undefined {
    const { unit } = this.context;
    const { commit } = this.store;
    const own = unit === undefined ? undefined : commit.layers(unit).link(id);
    if (own !== undefined) return own.now;
    const view = this.view;
    const { store } = this;
    const row = (view === unit ? store.untouched(view) : store.connection(view)).get(REL_BY_ID, [boundId(id)]);
    return row === undefined ? undefined : { pk: Number(row[0]), relationship: this.store.relationshipOf(row) };
  }

  async relTypes(id: string, direction: Step['direction']): Promise<string[]> {
    this.context.check();
    const pending = this.pending();
    if (pending !== undefined) {
      if (pending.layers.linksOf(id).size === 0) return pending.committed.relTypes(id, direction);
      await this.shown();
    }
    const { store } = this;
    const near = raw(ends({ direction }).near);
    const some = sql`${near}=(${keyOf(id)})`;
    // From each type to the next by the index: a node may have a million relationships.
    const next = sql`SELECT min(relType) FROM rel WHERE ${some} AND relType>t.v`;
    const { text, params } =
      sql`WITH RECURSIVE t(v) AS (SELECT min(relType) FROM rel WHERE ${some} UNION ALL SELECT (${next}) FROM t WHERE t.v IS NOT NULL) SELECT v FROM t WHERE v IS NOT NULL`;
    try {
      const rows = store.connection(this.view).all(text, params);
      return rows.map(([type]) => store.names.textOf(Number(type)));
    } catch (error) {
      throw graphError(error);
    }
  }

  async search(index: string, query: TextQuery, page: { offset: number; limit: number }): Promise<TextMatch[]> {
    this.context.check();
    // Full-text indexes are searched as they are committed, here and in a worker.
    this.context.scanned?.();
    await this.shown();
    const { store, context } = this;
    return searchText({ store, unit: context.unit, limits: context }, index, query, page);
  }

  permitted(nodes: readonly GraphNode[], rule: AccessRule): Promise<boolean[]> {
    this.context.check();
    return permitted(this.store, this.context, nodes, rule);
  }
}
