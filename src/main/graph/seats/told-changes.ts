/** Changes as they are told to other threads: without values, and of many what they have in common once. */
import { FLAG_KEYS } from '../access.js';
import { type ChangeKind, grouped } from '../commits/change-kinds.js';
import type { Commit, Touched } from '../commits/commit.js';
import type { ChangeNotice } from '../commits/notice.js';
import type { Change } from '../types.js';

/** Changes of one COMMIT that are told one by one. */
const MOST_CHANGES = 100_000;
/** Bytes that a change takes on its way, about, without its ids. */
const SIZE = 16;

/** Plain data. */
export interface ToldChanges {
  readonly kinds: readonly ChangeKind[];
  /** For each change the place of its kind. */
  readonly places: readonly number[];
  /** For each the id of the entity. */
  readonly ids: readonly string[];
  /** Of relationships, in their order: ids of both ends in turns. */
  readonly ends: readonly string[];
  /** Of nodes that were deleted, in their order: bits of the flags that were set. */
  readonly flags: readonly number[];
}

/** Undefined: there are so many that anything may be another. */
export function toldChanges(commits: readonly Pick<Commit, 'changes'>[]): ToldChanges | undefined {
  let count = 0;
  for (const { changes } of commits) count += changes.length;
  if (count > MOST_CHANGES) return undefined;
  const kinds: ChangeKind[] = [];
  const placeOf = new Map<ChangeKind, number>();
  const told = {
    kinds,
    places: [] as number[],
    ids: [] as string[],
    ends: [] as string[],
    flags: [] as number[],
  };
  for (const { changes } of commits) {
    const groups = grouped(changes);
    for (const [i, change] of changes.entries()) {
      const kind = groups.kinds[groups.places[i] ?? 0]?.kind;
      if (kind === undefined) continue;
      let place = placeOf.get(kind);
      if (place === undefined) placeOf.set(kind, (place = kinds.push(kind) - 1));
      told.places.push(place);
      add(told, change);
    }
  }
  return told;
}

function add(told: { ids: string[]; ends: string[]; flags: number[] }, { verb, entity }: Change): void {
  told.ids.push(entity.id);
  if (entity.kind === 'relationship') told.ends.push(entity.sourceId, entity.targetId);
  else if (verb === 'delete')
    told.flags.push(FLAG_KEYS.reduce((bits, key, i) => (entity.properties[key] === true ? bits | (1 << i) : bits), 0));
}

/** About how many bytes they take on their way. */
export function sizeOfTold({ places, ids, ends, kinds }: ToldChanges): number {
  const text = (all: readonly string[]): number => all.reduce((size, one) => size + one.length + SIZE, 0);
  return text(ids) + text(ends) + places.length * SIZE + kinds.length * 100;
}

/** Ids of nodes among them. */
export function* nodesOf({ kinds, places, ids }: ToldChanges): Iterable<string> {
  for (const [i, id] of ids.entries()) if (kinds[places[i] ?? 0]?.kind === 'node') yield id;
}

/** What those who watch are told. */
export function noticesOf({ kinds, places, ids, ends, flags }: ToldChanges): ChangeNotice[] {
  const notices: ChangeNotice[] = [];
  let end = 0;
  let flag = 0;
  for (const [i, id] of ids.entries()) {
    const kind = kinds[places[i] ?? 0];
    if (kind === undefined) continue;
    if (kind.kind === 'relationship') {
      notices.push({ ...kind, id, sourceId: ends[end], targetId: ends[end + 1] });
      end += 2;
    } else if (kind.verb === 'delete') {
      const bits = flags[flag++] ?? 0;
      notices.push({ ...kind, id, flags: FLAG_KEYS.filter((_, at) => (bits & (1 << at)) !== 0) });
    } else notices.push({ ...kind, id });
  }
  return notices;
}

/** The same for transactions that are open. */
export function touchedOf(notices: readonly ChangeNotice[]): Touched[] {
  return notices.map(({ verb, kind, id, type, previousType, key, relType, sourceId, targetId }) => {
    const isNew = verb === 'create' || verb === 'link';
    const isGone = verb === 'delete' || verb === 'unlink';
    return {
      kind,
      id,
      ...(isNew ? {} : { before: previousType ?? type }),
      ...(isGone ? {} : { after: type }),
      ...(verb === 'change' && key !== undefined && previousType === undefined ? { keys: [key] } : {}),
      ...(relType === undefined || sourceId === undefined || targetId === undefined
        ? {}
        : { link: [relType, sourceId, targetId] as const }),
    };
  });
}
