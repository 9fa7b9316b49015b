/**
 * Emptying the database but for what is kept, as statements for the writer's thread. A table that is deleted from without a condition is
 * given back as a whole; what is kept is copied before, and put back. So it takes about as long as reading the pages of the file, however many
 * rows and entries of indexes there are. Numbers of rows stay.
 */
import type { Kept } from '../../graph.js';
import type { Names } from '../connection/names.js';
import type { SqlValue } from '../connection/values.js';

export type Write = readonly [sql: string, params: readonly SqlValue[]];

/** What is copied of each table. A relationship needs both its ends; rights that others gave are gone with them. */
const COPIES: readonly (readonly [table: string, where: string, of: 'nodes' | 'relationships'])[] = [
  ['node', 'type IN (SELECT value FROM json_each(?))', 'nodes'],
  [
    'rel',
    `type IN (SELECT value FROM json_each(?)) AND source IN (SELECT pk FROM temp.kept_node)
      AND target IN (SELECT pk FROM temp.kept_node)`,
    'relationships',
  ],
  ['prop_index', 'type IN (SELECT value FROM json_each(?))', 'nodes'],
  ['access_entry', 'type IN (SELECT value FROM json_each(?)) AND principal < 0', 'nodes'],
];

/** The statements, in order, to be run as one transaction. */
export function clearing(kept: Kept, names: Names): Write[] {
  const numbers = (types: readonly string[]): string =>
    JSON.stringify(types.map((type) => names.idOf(type)).filter((id) => id !== undefined));
  const ids = { nodes: numbers(kept.nodes), relationships: numbers(kept.relationships) };
  return [
    ...COPIES.map(([table, where, of]): Write => [
      `CREATE TEMP TABLE kept_${table} AS SELECT * FROM main.${table} WHERE ${where}`,
      [ids[of]],
    ]),
    ...COPIES.map(([table]): Write => [`DELETE FROM main.${table}`, []]),
    ...COPIES.map(([table]): Write => [`INSERT INTO main.${table} SELECT * FROM temp.kept_${table}`, []]),
    ...COPIES.map(([table]): Write => [`DROP TABLE temp.kept_${table}`, []]),
  ];
}
