/**
 * What those who keep something of the graph hear of a commit: plain data without values but the flags of what was deleted, which can
 * cross threads and instances.
 */
import { FLAG_KEYS, type FlagKey } from '../access.js';
import type { Change, GraphEntity } from '../types.js';

/** That something of this kind was changed, and what; not how. */
export interface ChangeNotice {
  readonly verb: Change['verb'];
  readonly kind: GraphEntity['kind'];
  readonly id: string;
  /** Of a node its concrete type, of a relationship the one in the schema; after the change. */
  readonly type: string;
  /** Of a node whose type has changed: the one before. */
  readonly previousType?: string | undefined;
  /** Stored key, where `verb` is `change`; `type` for a change of a node's type. */
  readonly key?: string | undefined;
  /** Of a node that was deleted the visibility flags that were set, so that those who saw it can be told. */
  readonly flags?: readonly FlagKey[] | undefined;
  /** Of relationships: type in the database and the ends. */
  readonly relType?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly targetId?: string | undefined;
}

/** What was committed up to a number. */
export interface Notice {
  /** All commits up to this one are told. */
  readonly number: number;
  /** In the order in which they were made; `everything`: nobody knows what, so anything may be another. */
  readonly changes: readonly ChangeNotice[] | 'everything';
}

/** A change without its values. */
export function noticed(change: Change): ChangeNotice {
  const { verb, entity } = change;
  const { kind, id, type } = entity;
  const key = verb === 'change' ? change.key : undefined;
  if (entity.kind === 'relationship') {
    const { relType, sourceId, targetId } = entity;
    return { verb, kind, id, type, key, relType, sourceId, targetId };
  }
  if (verb === 'delete')
    return { verb, kind, id, type, flags: FLAG_KEYS.filter((flag) => entity.properties[flag] === true) };
  const previousType = verb === 'change' && key === 'type' ? String(change.previous) : undefined;
  return { verb, kind, id, type, key, previousType };
}

/**
 * Somebody who keeps something that other instances on the same database can make stale. Every instance watches the
 * same things, so that each can tell the others of what it changes. What is kept in memory is a cache (`Caches`), which is told so.
 */
export interface Watcher {
  /** Whether others must hear of this change of ours. */
  concerns(change: Change): boolean;
  /**
   * Others changed these; or something, when this instance was out of reach for too long to be told what. Runs while no
   * transaction of this instance writes, within a second after the commit elsewhere, and in any case before the next
   * write of this instance; it may read, but must not write. When it rejects it is called again.
   */
  changed(changes: Notice['changes']): void | Promise<void>;
}
