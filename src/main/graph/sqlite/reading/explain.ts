/** How a query is run, for tests and the log. */
import type { Query } from '../../query.js';
import type { Sql } from '../connection/sql.js';
import type { Store } from './store.js';

export function explained(store: Store, query: Query): string[] {
  const plan = store.compile(query, undefined);
  const lines: string[] = [];
  const all: [string, Sql][] = [
    ['rows', plan.rows({ offset: query.offset ?? 0, limit: query.limit ?? -1 })],
    ['count', plan.count(-1)],
  ];
  for (const [name, select] of all) {
    lines.push(`${name}: ${select.text}`);
    for (const row of store.connection(undefined).all('EXPLAIN QUERY PLAN ' + select.text, select.params)) {
      lines.push(`${name} plan: ${String(row[3])}`);
    }
  }
  return lines;
}
