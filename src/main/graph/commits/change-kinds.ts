/**
 * Changes of a commit by what kind they are: who hears of commits asks about kinds, and looks only at changes of those that matter.
 * 100,000 changes are so told within a small part of the time that asking about each takes.
 */
import { type ChangeNotice, noticed } from './notice.js';
import type { Change } from '../types.js';

/** What changes have in common that differ in nothing but the entity and values. */
export type ChangeKind = Omit<ChangeNotice, 'id' | 'sourceId' | 'targetId'>;

/** With fewer changes each is asked about. */
const FEW = 16;
/** Kinds that are kept, in all; types and keys come and go with the schema. */
const MOST_KINDS = 10_000;
const NONE: readonly Change[] = [];

type ByName = Map<string, ChangeKind>;

/** By verb, type, and what else tells kinds apart. */
const kinds: Readonly<Record<Change['verb'], Map<string, ByName>>> = {
  create: new Map(),
  delete: new Map(),
  link: new Map(),
  unlink: new Map(),
  change: new Map(),
};
let kept = 0;

/** The kind of a change, one object for all of a kind. */
function kindOf(change: Change): ChangeKind {
  const byType = kinds[change.verb];
  const { type } = change.entity;
  let byName = byType.get(type);
  if (byName === undefined) byType.set(type, (byName = new Map<string, ChangeKind>()));
  const name = nameOf(change);
  let kind = byName.get(name);
  if (kind === undefined) {
    if (++kept > MOST_KINDS) {
      for (const one of Object.values(kinds)) one.clear();
      kept = 0;
    }
    const { verb, kind: of, previousType, key, relType } = noticed(change);
    kind = { verb, kind: of, type, previousType, key, relType };
    byName.set(name, kind);
  }
  return kind;
}

/** Different for different kinds of one verb and type. */
function nameOf(change: Change): string {
  const { entity } = change;
  if (change.verb !== 'change') return entity.kind === 'node' ? '' : entity.relType;
  if (entity.kind === 'relationship') return `\n${change.key}\n${entity.relType}`;
  return change.key === 'type' ? `type\n${String(change.previous)}` : change.key;
}

export interface Grouped {
  readonly kinds: readonly { readonly kind: ChangeKind; readonly count: number }[];
  /** For each change the place of its kind. */
  readonly places: Uint32Array;
}

const known = new WeakMap<readonly Change[], Grouped>();

/** The changes of a list by their kinds. */
export function grouped(changes: readonly Change[]): Grouped {
  const found = known.get(changes);
  if (found?.places.length === changes.length) return found;
  const list: { kind: ChangeKind; count: number }[] = [];
  const placeOf = new Map<ChangeKind, number>();
  const places = new Uint32Array(changes.length);
  for (const [i, change] of changes.entries()) {
    const kind = kindOf(change);
    let place = placeOf.get(kind);
    if (place === undefined) placeOf.set(kind, (place = list.push({ kind, count: 0 }) - 1));
    const one = list[place];
    if (one !== undefined) one.count++;
    places[i] = place;
  }
  const made = { kinds: list, places };
  known.set(changes, made);
  return made;
}

/** The kinds of changes there are, and how many are of each; of a few changes a kind may come several times. */
export function kindsOf(changes: readonly Change[]): Grouped['kinds'] {
  if (changes.length > FEW) return grouped(changes).kinds;
  return changes.map((change) => ({ kind: kindOf(change), count: 1 }));
}

/** The changes whose kind is wanted, and of these, where `wantedOne` is there, those that are wanted themselves, in their order. */
export function changesOf(
  changes: readonly Change[],
  wanted: (kind: ChangeKind) => boolean,
  wantedOne?: (change: Change, kind: ChangeKind) => boolean,
): readonly Change[] {
  if (changes.length <= FEW) {
    let found: Change[] | undefined;
    for (const change of changes) {
      const kind = kindOf(change);
      if (wanted(kind) && wantedOne?.(change, kind) !== false) (found ??= []).push(change);
    }
    return found ?? NONE;
  }
  const { kinds: all, places } = grouped(changes);
  const asked = all.map(({ kind }) => (wanted(kind) ? kind : undefined));
  if (asked.every((kind) => kind === undefined)) return NONE;
  if (wantedOne === undefined && !asked.includes(undefined)) return changes;
  return changes.filter((change, i) => {
    const kind = asked[places[i] ?? 0];
    return kind !== undefined && wantedOne?.(change, kind) !== false;
  });
}
