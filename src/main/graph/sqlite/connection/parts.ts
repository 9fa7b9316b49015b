/** Small parts of SQL that several compilers share. */
import type { Query } from '../../query.js';
import type { Step } from '../../access.js';
import type { FarEnd } from './far-types.js';
import { FALSE_SQL, list, raw, type Sql, sql } from './sql.js';

/** Restriction of a column to types by name. */
export function inTypes(
  column: string,
  types: readonly string[],
  names: { idOf(name: string): number | undefined },
): Sql {
  const ids = new Set<number>();
  for (const type of types) {
    const id = names.idOf(type);
    if (id !== undefined) ids.add(id);
  }
  return ids.size === 0 ? FALSE_SQL : sql`${raw(column)} IN (${list([...ids])})`;
}

/** Columns of `rel` for a step: the near end and the far one. */
export function ends(step: Pick<Step, 'direction'>): { near: FarEnd; far: FarEnd } {
  return step.direction === 'out' ? { near: 'source', far: 'target' } : { near: 'target', far: 'source' };
}

/** The index of `rel` by the column of one end. */
export function indexOfEnd(column: string): Sql {
  return raw(column === 'source' ? 'rel_out' : 'rel_in');
}

/** JSON.stringify quotes exactly what a quoted label of a JSON path needs quoted. */
export function jsonPath(key: string): string {
  return '$.' + JSON.stringify(key);
}

/** The table of entities of a kind. */
export function tableOfKind(kind: Query['kind']): 'node' | 'rel' {
  return kind === 'nodes' ? 'node' : 'rel';
}
