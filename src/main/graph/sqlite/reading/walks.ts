/** Related nodes and relationships, page after page along those of each node. */
import type { Step } from '../../access.js';
import type { GraphNode, GraphRelationship } from '../../types.js';
import { graphError, type Row } from '../connection/connection.js';
import { nodeFits } from '../query/access-sql.js';
import { ends } from '../connection/parts.js';
import {
  contentColumns,
  idOf,
  keyOf,
  NODE_AT,
  nodeColumns,
  REL_AT,
  REL_COLUMNS,
  storedIn,
  WIDTH,
} from '../connection/records.js';
import { timedOut } from '../scans/scans.js';
import { alive, cutTo, join, raw, type Sql, sql, TRUE_SQL } from '../connection/sql.js';
import type { View } from './stored-nodes.js';
import type { Layers } from '../writing/pending.js';
import { Lists } from './lists.js';

/** Rows read from relationships before the loop gets a turn. */
const TURN = 1000;
/** Relationships whose far end is decided on in one statement. */
const WINDOW = 250;
/** Nodes whose relationships are read in one statement at most. */
const NODES = 250;
const WANTED = raw(storedIn('wanted.value'));
interface Link {
  readonly relationship: GraphRelationship;
  readonly node: GraphNode;
}

/** What `related` and `links` read. */
interface Walk<T> {
  readonly columns: string;
  readonly from: Sql;
  /** Alias of the node at the far end. */
  readonly far: string;
  readonly make: (row: Row, view: View) => T;
  /** Key and id of the relationship of a row. */
  readonly keyOf: (row: Row) => number;
  readonly linkOf: (row: Row) => string;
  /** With the node as it is now. */
  readonly latest: (value: T, layers: Layers) => T;
  readonly made: (relationship: GraphRelationship, node: GraphNode) => T;
}

interface Walked<T> {
  readonly pk: number;
  readonly link: string;
  readonly value: T;
}

export abstract class Walks extends Lists {
  related(ids: readonly string[], step: Step, limit?: number): Promise<GraphNode[][]> {
    const { far } = ends(step);
    const from = sql`rel r CROSS JOIN node n ON n.pk=r.${raw(far)}`;
    const { store } = this;
    return this.#walkIn(ids, step, limit, {
      columns: `${nodeColumns('n')},r.pk,${idOf('r')}`,
      from,
      far: 'n',
      make: (row, view) => store.nodeOf(row, view, true),
      keyOf: (row) => Number(row[NODE_AT + WIDTH]),
      linkOf: (row) => String(row[NODE_AT + WIDTH + 1]),
      latest: (node, layers) => layers.node(node.id)?.now?.node ?? node,
      made: (_relationship, node) => node,
    });
  }

  links(ids: readonly string[], step: Step, limit?: number): Promise<Link[][]> {
    const near = step.direction === 'out' ? 'a' : 'b';
    const n = step.direction === 'out' ? 'b' : 'a';
    const from = sql`rel r CROSS JOIN node ${raw(near)} ON ${raw(near)}.pk=r.${raw(ends(step).near)} CROSS JOIN node ${raw(n)} ON ${raw(n)}.pk=r.${raw(ends(step).far)}`;
    const { store } = this;
    return this.#walkIn(ids, step, limit, {
      columns: `${REL_COLUMNS},${contentColumns(n)}`,
      from,
      far: n,
      make: (row, view) => {
        const far = step.direction === 'out' ? row[5] : row[4];
        const node = store.nodeOf([0, far ?? '', ...row.slice(REL_AT + WIDTH)], view, true);
        return { relationship: store.relationshipOf(row), node };
      },
      keyOf: (row) => Number(row[0]),
      linkOf: (row) => String(row[1]),
      latest: ({ relationship, node }, layers) => ({ relationship, node: layers.node(node.id)?.now?.node ?? node }),
      made: (relationship, node) => ({ relationship, node }),
    });
  }

  /** The relationships of each node in the order of linking, as the unit sees them. */
  async #walkIn<T>(ids: readonly string[], step: Step, limit: number | undefined, walk: Walk<T>): Promise<T[][]> {
    this.context.check();
    const pending = this.pending();
    if (pending === undefined) return this.#values(ids, step, limit, walk);
    const { layers } = pending;
    if (step.access !== undefined || (step.types !== undefined && layers.retypes)) {
      await this.shown();
      return this.#values(ids, step, limit, walk);
    }
    const lists: T[][] = [];
    for (const id of ids) {
      const written = layers.linksOf(id);
      const most = limit === undefined ? undefined : limit + written.size;
      const [found = []] = await this.#walk([id], step, most, walk, true);
      this.context.check();
      const list = found
        .filter(({ link }) => !written.has(link))
        .map(({ pk, value }) => ({ pk, value: walk.latest(value, layers) }));
      for (const { now } of written.values()) {
        const made = now === undefined ? undefined : this.#made(id, step, now.relationship);
        if (now !== undefined && made !== undefined)
          list.push({ pk: now.pk, value: walk.made(now.relationship, made) });
      }
      list.sort((a, b) => a.pk - b.pk);
      lists.push(list.slice(0, limit).map(({ value }) => value));
    }
    return lists;
  }

  /** The node that a relationship leads to from this one by this step. */
  #made(id: string, { relType, direction, types }: Step, relationship: GraphRelationship): GraphNode | undefined {
    const { sourceId, targetId } = relationship;
    const [near, far] = direction === 'out' ? [sourceId, targetId] : [targetId, sourceId];
    if (near !== id || relationship.relType !== relType) return undefined;
    const node = this.store.node(far, this.context.unit)?.node;
    return node === undefined || types?.includes(node.type) === false ? undefined : node;
  }

  async #values<T>(ids: readonly string[], step: Step, limit: number | undefined, walk: Walk<T>): Promise<T[][]> {
    const lists = await this.#walk(ids, step, limit, walk, false);
    return lists.map((list) => list.map(({ value }) => value));
  }

  /** Pages through the relationships of each node; the loop gets turns on the way. */
  async #walk<T>(
    ids: readonly string[],
    step: Step,
    limit: number | undefined,
    walk: Walk<T>,
    /** As it is committed, whoever reads. */
    committed: boolean,
  ): Promise<Walked<T>[][]> {
    const { columns, from, far, make, keyOf: linkKey, linkOf } = walk;
    const { store, context } = this;
    const viewed = (): View => (committed ? undefined : this.view);
    const relType = store.names.idOf(step.relType);
    const { near } = ends(step);
    const fits = join([TRUE_SQL, ...nodeFits(far, step, store.catalog(viewed()))], ' AND ');
    const results: Walked<T>[][] = [];
    let rowsSinceTurn = 0;
    let together = ids.length > 1 && !committed;
    for (let next = 0; next < ids.length;) {
      // Of many nodes that have no such relationship none would ever end a turn.
      if (store.pace.due) await this.#breathe(committed);
      if (together && relType !== undefined) {
        const whole = await this.#walkTogether(ids.slice(next, next + NODES), step, limit, walk, { relType, fits });
        for (const list of whole) results.push(list);
        next += whole.length;
        // Nodes with so many relationships are better asked for one by one.
        together = whole.length > 0 && ids.length - next > 1;
        if (whole.length > 0) continue;
      }
      const id = ids[next++] ?? '';
      const found: Walked<T>[] = [];
      results.push(found);
      const most = limit ?? Infinity;
      for (let after = 0; relType !== undefined && found.length < most;) {
        const page = Math.min(TURN, most - found.length);
        // Of many relationships none may lead to what is asked for: looked at are so many at a time, whatever they give.
        const window = sql`SELECT pk FROM rel WHERE ${raw(near)}=(${keyOf(id)}) AND relType=${relType} AND pk>${after} ORDER BY pk${cutTo(WINDOW)}`;
        const within = step.access === undefined ? TRUE_SQL : sql`r.pk IN (${window}) AND ${alive(raw('r.pk'))}`;
        const select = sql`SELECT ${raw(columns)} FROM ${from} WHERE r.${raw(near)}=(${keyOf(id)}) AND r.relType=${relType} AND r.pk>${after} AND ${within} AND ${fits} ORDER BY r.pk${cutTo(page)}`;
        let rows: Row[];
        try {
          rows =
            step.access === undefined
              ? store.connection(viewed()).all(select.text, select.params)
              : await store.bounded(viewed(), select, context);
          for (const row of rows) found.push({ pk: linkKey(row), link: linkOf(row), value: make(row, viewed()) });
          rowsSinceTurn += rows.length;
          if (rows.length === page) after = linkKey(rows[rows.length - 1] ?? []);
          else if (step.access === undefined) break;
          else {
            const { text, params } = sql`SELECT max(pk),count(*) FROM (${window})`;
            const [last, seen] = store.connection(viewed()).get(text, params) ?? [];
            if (Number(seen) < WINDOW) break;
            after = Number(last);
            rowsSinceTurn += WINDOW;
          }
        } catch (error) {
          throw graphError(error);
        }
        if (rowsSinceTurn >= TURN) {
          rowsSinceTurn = 0;
          await this.#breathe(committed);
        }
      }
    }
    return results;
  }

  /** The lists of the first of these nodes, as far as one statement tells them: of none where there are too many relationships. */
  async #walkTogether<T>(
    ids: readonly string[],
    step: Step,
    limit: number | undefined,
    { columns, from, make, keyOf: linkKey, linkOf }: Walk<T>,
    { relType, fits }: { readonly relType: number; readonly fits: Sql },
  ): Promise<Walked<T>[][]> {
    const { store, context } = this;
    const going = step.access === undefined ? TRUE_SQL : alive(raw('r.pk'));
    const most = step.access === undefined ? TURN : WINDOW;
    // Whatever is at the far end counts as looked at, so that the limit bounds the work. The joins are made in this order.
    const select = sql`SELECT ${raw(columns)},wanted.key,(${fits}) FROM json_each(${JSON.stringify(ids)}) wanted CROSS JOIN node self ON self.id=${WANTED} CROSS JOIN ${from} WHERE r.${raw(ends(step).near)}=self.pk AND r.relType=${relType} AND ${going}${cutTo(most)}`;
    const lists: Walked<T>[][] = ids.map(() => []);
    let last = 0;
    let rows: Row[];
    try {
      rows =
        step.access === undefined
          ? store.connection(this.view).all(select.text, select.params)
          : await store.bounded(this.view, select, context);
      for (const row of rows) {
        last = Number(row[row.length - 2]);
        if (row[row.length - 1] !== 1 && row[row.length - 1] !== 1n) continue;
        lists[last]?.push({ pk: linkKey(row), link: linkOf(row), value: make(row, this.view) });
      }
    } catch (error) {
      throw graphError(error);
    }
    // Where the statement was cut, nobody knows what else belongs to the last one.
    const whole = rows.length < most ? lists : lists.slice(0, last);
    return whole.map((list) => list.sort((a, b) => a.pk - b.pk).slice(0, limit));
  }

  /** A turn of the loop within a walk. */
  async #breathe(committed: boolean): Promise<void> {
    await this.turn();
    if (!committed) await this.shown();
    if (Date.now() > this.context.deadline) throw timedOut();
  }
}
