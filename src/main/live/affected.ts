import type { ChangeNotice } from '../graph/index.js';
import type { Watched } from './watched.js';

/** An object, and all that was done to it and its relationships. */
export interface Affected {
  readonly id: string;
  /** Empty where only a relationship has changed. */
  readonly type: string;
  /** The last creation or deletion; else it has changed. */
  readonly last: ChangeNotice['verb'];
  /** In their order. */
  readonly changes: readonly ChangeNotice[];
}

/** The objects that changes may mean something to, for who watches. */
export function objectsOf(changes: readonly ChangeNotice[], watched: Watched): Affected[] {
  const all = new Map<string, { id: string; type: string; last: ChangeNotice['verb']; changes: ChangeNotice[] }>();
  const touch = (id: string, last: ChangeNotice['verb'], type: string, change: ChangeNotice): void => {
    const known = all.get(id);
    if (known === undefined) {
      all.set(id, { id, type, last, changes: [change] });
      return;
    }
    known.changes.push(change);
    if (last !== 'create' && last !== 'delete') return;
    known.last = last;
    known.type = type;
  };
  for (const change of changes) {
    const isOne = change.kind === 'node';
    for (const id of watched.touched(change))
      touch(id, isOne ? change.verb : 'change', isOne ? change.type : '', change);
  }
  return [...all.values()];
}
