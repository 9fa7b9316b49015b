/**
 * Changes of a commit by what kind they are: who hears of commits asks about kinds before it looks at 100,000 changes one by one. What is
 * found is kept with the list, for all who ask.
 */
import { type ChangeNotice, noticed } from './notice.js';
import type { Change } from './types.js';

/** What changes have in common that differ in nothing but the entity and values. */
export type ChangeKind = Omit<ChangeNotice, 'id' | 'sourceId' | 'targetId'>;

/** With fewer changes each is asked about. */
const FEW = 16;
const NONE: readonly Change[] = [];

interface Grouped {
  readonly kinds: readonly { readonly kind: ChangeKind; count: number }[];
  /** For each change the place of its kind. */
  readonly places: Uint32Array;
}

const known = new WeakMap<readonly Change[], Grouped>();

/** The kinds of changes there are, and how many are of each. */
export function kindsOf(changes: readonly Change[]): Grouped['kinds'] {
  if (changes.length > FEW) return grouped(changes).kinds;
  return changes.map((change) => ({ kind: noticed(change), count: 1 }));
}

/** The changes whose kind is wanted, in their order. */
export function changesOf(changes: readonly Change[], wanted: (kind: ChangeKind) => boolean): readonly Change[] {
  if (changes.length <= FEW) {
    const found = changes.filter((change) => wanted(noticed(change)));
    return found.length === 0 ? NONE : found;
  }
  const { kinds, places } = grouped(changes);
  const isWanted = kinds.map(({ kind }) => wanted(kind));
  if (!isWanted.includes(true)) return NONE;
  return isWanted.includes(false) ? changes.filter((_, i) => isWanted[places[i] ?? 0]) : changes;
}

function grouped(changes: readonly Change[]): Grouped {
  const found = known.get(changes);
  if (found?.places.length === changes.length) return found;
  const kinds: { kind: ChangeKind; count: number }[] = [];
  const byType = new Map<string, Map<string, number>>();
  const places = new Uint32Array(changes.length);
  for (const [i, change] of changes.entries()) {
    const { type } = change.entity;
    const name = nameOf(change);
    let byName = byType.get(type);
    if (byName === undefined) byType.set(type, (byName = new Map<string, number>()));
    let place = byName.get(name);
    if (place === undefined) {
      place = kinds.push({ kind: noticed(change), count: 0 }) - 1;
      byName.set(name, place);
    }
    const one = kinds[place];
    if (one !== undefined) one.count++;
    places[i] = place;
  }
  const made = { kinds, places };
  known.set(changes, made);
  return made;
}

/** Different for different kinds of one type; names that are there already where they are asked for most. */
function nameOf(change: Change): string {
  const { verb, entity } = change;
  if (verb !== 'change') return entity.kind === 'node' ? verb : `${verb} ${entity.relType}`;
  if (entity.kind === 'relationship') return `${change.key} ${entity.relType}`;
  return change.key === 'type' ? `type ${String(change.previous)}` : change.key;
}
