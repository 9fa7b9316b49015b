/** What the compilers make of a query, and the parts they share. */
import type { SortKey } from '../../query.js';
import type { Part } from '../substrings/substrings.js';
import { cutTo, join, list, raw, type Sql, sql } from '../connection/sql.js';

/** How a query is cut: by its own page, or to a slice of it. */
export interface Cut {
  readonly offset: number;
  /** -1: no limit. */
  readonly limit: number;
  /** Only rows with a key above this (streams in the order of keys). */
  readonly after?: number;
  /** Only rows with a key in (above, upTo]: a scan in slices. */
  readonly slice?: { readonly above: number | Sql; readonly upTo: number };
  /** Only these rows, still matching; order does not matter. A select gives them as well. */
  readonly among?: readonly number[] | Sql;
}

/** A select of which it is known how long it takes. */
export interface Planned extends Sql {
  /** Entries of indexes that it looks at, about, and no row; absent: nobody knows. */
  readonly steps?: number | undefined;
}

/** Ways to run a query. */
export interface Plan {
  /** Whole rows in order. */
  rows(cut: Cut): Sql;
  /** Keys of the rows in order, each followed by its sort values. */
  keys(cut: Cut): Planned;
  /** How the sort values of keys are compared, where slices are put together; ties by key. */
  readonly sort: readonly SortKey[];
  /** One number: matches, counted up to `limit` (-1: all). */
  count(limit: number): Planned;
  /** Rows come in the order of their keys: there is no other sort. */
  readonly byKey: boolean;
  /** The rows after some key are found without looking at those before it. */
  readonly keyset: boolean;
  /** How many rows may have to be looked at for one page, at worst. */
  readonly worst: number;
  /** Every candidate must be looked at before the first row is known (a sort without index). */
  readonly eager: boolean;
  /** All matches are few, and cost more to find than to keep: pages and counts are cut from the list of their keys. */
  readonly few: boolean;
  /** Other conditions than those of access are left to look at row by row. */
  readonly filtered: boolean;
  /**
   * The same with all conditions written out. The plan itself may rely on counters: that holds for what is read on the loop at once
   * and not for what is read later, or in a worker.
   */
  strict(): Plan;
  /** The matches are the nodes of types whose text has a part, which memory can count; `among`: counts the matches among keys. */
  readonly countedPart?:
    | {
        readonly types: readonly number[];
        readonly key: number;
        readonly part: Part;
        readonly among: (keys: readonly number[]) => Sql;
      }
    | undefined;
  /** The types of nodes that alone decide which nodes match, and their order; undefined: it depends on more. */
  readonly dependsOn: readonly number[] | undefined;
}

/** One ordered select; several of them are merged by SQLite, each read no further than needed. */
export interface Branch {
  readonly from: Sql;
  readonly where: readonly Sql[];
  /** Key of the row, `n.pk` or `p.node`. */
  readonly pk: Sql;
  /** Sort values. */
  readonly sort: readonly Sql[];
}

/** What stands in the brackets of an IN. */
export function keysAmong(among: readonly number[] | Sql): Sql {
  return 'text' in among ? among : list(among);
}

export function whereSql(terms: readonly Sql[]): Sql {
  return terms.length === 0 ? raw('') : sql` WHERE ${join(terms, ' AND ')}`;
}

/** Ties follow the last key's direction, so that an index read backwards needs no sorting. */
export function tieDirection(sort: readonly SortKey[]): string {
  return sort[sort.length - 1]?.descending === true ? ' DESC' : '';
}

/**
 * `SELECT pk, s0, s1 ... ORDER BY ... LIMIT ... OFFSET ...` over one or several branches. `once`: branches may have rows in
 * common.
 */
export function orderedKeys(branches: readonly Branch[], sort: readonly SortKey[], cut: Cut, once = false): Sql {
  const page = cutTo(cut.limit, cut.offset);
  const single = branches.length === 1 ? branches[0] : undefined;
  const direction = (i: number): Sql => raw(sort[i]?.descending === true ? ' DESC' : '');
  const tie = raw(tieDirection(sort));
  if (single !== undefined) {
    const columns = single.sort.map((value, i) => sql`,${value} AS s${raw(String(i))}`);
    // Ordering by the expressions, not by the aliases, lets the planner see the index.
    const order = [...single.sort.map((value, i) => sql`${value}${direction(i)}`), sql`${single.pk}${tie}`];
    return sql`SELECT ${single.pk} AS pk${join(columns, '')} FROM ${single.from}${whereSql(single.where)} ORDER BY ${join(order, ',')}${page}`;
  }
  const selects = branches.map((branch) => {
    const columns = branch.sort.map((value, i) => sql`,${value} AS s${raw(String(i))}`);
    return sql`SELECT ${branch.pk} AS pk${join(columns, '')} FROM ${branch.from}${whereSql(branch.where)}`;
  });
  const order = [...sort.map((_, i) => sql`s${raw(String(i))}${direction(i)}`), sql`pk${tie}`];
  return sql`${join(selects, once ? ' UNION ' : ' UNION ALL ')} ORDER BY ${join(order, ',')}${page}`;
}

export function countRows(branches: readonly Branch[], limit: number, once = false): Sql {
  // Only what is merged in order can stop at the limit.
  if (once) return sql`SELECT count(*) FROM (${orderedKeys(branches, [], { offset: 0, limit }, true)})`;
  const selects = branches.map((branch) => sql`SELECT 1 FROM ${branch.from}${whereSql(branch.where)}`);
  return sql`SELECT count(*) FROM (${join(selects, ' UNION ALL ')}${cutTo(limit)})`;
}

/** The same where a row may come more than once. */
export function countDistinct(branches: readonly Branch[], limit: number): Sql {
  const selects = branches.map((branch) => sql`SELECT ${branch.pk} FROM ${branch.from}${whereSql(branch.where)}`);
  return sql`SELECT count(*) FROM (SELECT DISTINCT * FROM (${join(selects, ' UNION ALL ')})${cutTo(limit)})`;
}
