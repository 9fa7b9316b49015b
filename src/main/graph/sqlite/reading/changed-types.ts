/** Which types a commit concerns: lists of these, and what is said about access to them, are others now. */
import { kindsOf } from '../../commits/change-kinds.js';
import type { Names } from '../connection/names.js';
import type { Committed } from '../writing/batch.js';

/** So many changes by number of the type, of nodes or of relationships in the database. */
export function changedTypes(
  { commits, entries }: Pick<Committed, 'commits' | 'entries'>,
  names: Names,
): Map<number, number> {
  const byType = new Map<number, number>();
  const add = (type: number | undefined, count = 1): void => {
    if (type !== undefined) byType.set(type, (byType.get(type) ?? 0) + count);
  };
  for (let i = 0, from = 0; i < entries.length; i += 2) {
    // Those of one type mostly come one after the other.
    if (entries[i + 2] === entries[i]) continue;
    add(entries[i], (i - from) / 2 + 1);
    from = i + 2;
  }
  for (const { changes } of commits) {
    for (const { kind, count } of kindsOf(changes)) {
      if (kind.kind !== 'node') {
        if (kind.verb !== 'change' && kind.relType !== undefined) add(names.idOf(kind.relType), count);
        continue;
      }
      add(names.idOf(kind.type), count);
      if (kind.previousType !== undefined) add(names.idOf(kind.previousType), count);
    }
  }
  return byType;
}
