/** What all writes of a transaction share: they run in its unit, are taken back with it, and are in memory while they are nowhere else. */
import { GraphError } from '../../errors.js';
import { useId } from '../../ids.js';
import type { EntityOf, Query } from '../../query.js';
import type { Change, GraphNode, GraphRelationship, PropertyMap } from '../../types.js';
import { graphError } from '../connection/connection.js';
import { Reads } from '../reading/reads.js';
import type { ReadContext } from '../reading/read-context.js';
import { nextTurn } from '../connection/pace.js';
import type { WritingStore } from './writing-store.js';
import type { Unit } from './unit.js';
import { type SqlValue } from '../connection/values.js';
import { Pending } from './pending.js';

/** What of a node a relationship to it needs to be written. */
export interface End {
  readonly pk: number;
  readonly type: number;
}

export abstract class UnitWrites extends Reads {
  declare protected readonly store: WritingStore;
  protected readonly unit: Unit;
  /** Nodes this transaction created or linked: linking them needs no look-up and no decoding. */
  protected readonly ends = new Map<string, End>();

  /** Ids that the transaction has found free: as it is the only writer, they are until it uses them. */
  readonly #free = { node: new Set<string>(), relationship: new Set<string>() };

  constructor(store: WritingStore, context: ReadContext & { readonly unit: Unit }) {
    super(store, context);
    this.unit = context.unit;
  }

  override async nodes(ids: readonly string[]): Promise<(GraphNode | undefined)[]> {
    const found = await super.nodes(ids);
    for (const [i, id] of ids.entries()) if (found[i] === undefined) this.#free.node.add(id);
    return found;
  }

  override async find<Q extends Query>(query: Q): Promise<EntityOf<Q>[]> {
    const found = await super.find(query);
    const ids = query.kind === 'relationships' ? idsOf(query) : [];
    if (ids.length > 0) {
      const there = new Set(found.map(({ id }) => id));
      for (const id of ids) if (!there.has(id)) this.#free.relationship.add(id);
    }
    return found;
  }

  /**
   * Runs one write. Everything in it is synchronous, so nothing comes between its statements. `id`: the node that it writes; of
   * relationships no cache keeps anything by id. `inserts`: it only inserts what its entry in the list of changes tells.
   */
  protected now<T>(id: string | undefined, work: () => T, inserts = false): T {
    this.context.check();
    try {
      if (inserts) this.unit.beginInsert(this.takeBack);
      else this.unit.begin();
      if (id !== undefined && !this.unit.host.recording) this.unit.host.touch(id);
      return work();
    } catch (error) {
      const reason = graphError(error);
      // SQLite may end the transaction itself (disk full). Nothing may be written outside of one.
      if (this.unit.begun && !this.unit.host.intact) {
        this.unit.end(reason instanceof GraphError ? reason : undefined);
      }
      throw reason;
    }
  }

  /** To be awaited, when it is something, before entities of this kind and type are written. */
  protected ready(kind: 'nodes' | 'relationships', type: string | undefined): Promise<void> | undefined {
    const { commit, texts } = this.store;
    // What is in full-text indexes is written with many questions.
    return type !== undefined && texts.keeps(kind, type) ? commit.shown(this.unit) : commit.ready(this.unit);
  }

  /** Keeps in memory how a node is now while that is nowhere else; `now` undefined: it is gone. */
  protected keepNode(pk: number, before: GraphNode | undefined, now: GraphNode | undefined, size = 0): void {
    const id = (now ?? before)?.id;
    if (!this.unit.host.recording || id === undefined) return;
    const pending = (this.unit.pending ??= new Pending());
    pending.setNode(id, pk, before, now === undefined ? undefined : { pk, node: now, size, used: false, at: -1 });
  }

  protected keepLink(pk: number, before: GraphRelationship | undefined, now: GraphRelationship | undefined): void {
    const id = (now ?? before)?.id;
    if (!this.unit.host.recording || id === undefined) return;
    const pending = (this.unit.pending ??= new Pending());
    pending.setLink(id, pk, before, now === undefined ? undefined : { pk, relationship: now });
  }

  /** The same, with a turn for the loop after it when one is due. */
  protected async write<T>(id: string | undefined, work: () => T): Promise<T> {
    const result = this.now(id, work);
    if (this.store.pace.due) await nextTurn();
    return result;
  }

  protected async insert<T>(id: string | undefined, work: () => T): Promise<T> {
    const result = this.now(id, work, true);
    if (this.store.pace.due) await nextTurn();
    return result;
  }

  /** Deletes what this transaction inserted before it had a savepoint; it has failed and does nothing else any more. */
  protected abstract readonly takeBack: () => void;

  /** An id that was just made is nobody's; whether another is free the table knows, or what is not in it yet. */
  protected insertRow(sql: string, kind: 'node' | 'relationship', id: string, row: readonly SqlValue[]): void {
    const { writer } = this.store;
    const [isFree, isMade] = [this.#free[kind].delete(id), useId(id)];
    const isNew = isFree || isMade;
    if (isNew || this.unit.host.recording) {
      if (!isNew && this.isTaken(kind, id)) throw alreadyTaken(kind, id);
      writer.write(sql, row);
      return;
    }
    try {
      writer.run(sql, row);
    } catch (error) {
      throw taken(error, kind, id);
    }
  }

  protected isTaken(kind: 'node' | 'relationship', id: string): boolean {
    return (kind === 'node' ? this.store.keyOf(id, this.unit) : this.readRelationship(id)) !== undefined;
  }

  /** The same as `ready` before a node is written that is there already. */
  protected readyForNode(id: string): Promise<void> | undefined {
    if (!this.store.texts.any) return this.store.commit.ready(this.unit);
    return this.ready('nodes', this.store.node(id, this.unit)?.node.type);
  }

  protected readyForRelationship(id: string): Promise<void> | undefined {
    if (!this.store.texts.any) return this.store.commit.ready(this.unit);
    return this.ready('relationships', this.readRelationship(id)?.relationship.type);
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    this.context.check();
    const unit = this.unit;
    const { writer, names, commit } = this.store;
    const ready = commit.ready(unit);
    if (ready !== undefined) await ready;
    unit.begin();
    const level = ++unit.depth;
    const name = `level${String(level)}`;
    const mark = { changes: unit.changes.length, delta: unit.delta.copy(), names: names.mark };
    const pending = unit.pending?.copy();
    // What is recorded is cut off instead; when it comes to the loop meanwhile, the savepoint is set there.
    if (writer.record === undefined) writer.run(`SAVEPOINT ${name}`, []);
    else unit.levels.push(writer.record.mark);
    let value: T;
    try {
      value = await work();
      if (!unit.ended && unit.depth !== level) throw overlapping();
    } catch (error) {
      // Nothing is left to undo when the whole transaction is over already.
      if (!unit.ended && unit.host.intact) {
        if (unit.depth !== level) throw overlapping();
        const began = unit.levels.pop();
        if (writer.record !== undefined && began !== undefined) {
          writer.record.cut(began);
          unit.pending = pending;
        } else {
          writer.run(`ROLLBACK TO ${name}`, []);
          writer.run(`RELEASE ${name}`, []);
        }
        this.ends.clear();
        unit.changes.length = mark.changes;
        unit.delta.assign(mark.delta);
        names.forget(mark.names);
        unit.depth--;
      }
      throw error;
    }
    this.context.check();
    if (unit.levels.pop() === undefined) writer.run(`RELEASE ${name}`, []);
    unit.depth--;
    return value;
  }

  changes(): readonly Change[] {
    return this.unit.changes;
  }

  protected end(id: string): End {
    let end = this.ends.get(id);
    if (end === undefined) {
      const found = this.store.endOf(id, this.unit);
      if (found === undefined) throw missing(id);
      end = { pk: found.pk, type: this.store.names.intern(found.type, this.store.writer) };
      this.ends.set(id, end);
    }
    return end;
  }

  protected existing(id: string): { pk: number; node: GraphNode } {
    const found = this.store.node(id, this.unit);
    if (found === undefined) throw missing(id);
    return found;
  }

  protected existingRelationship(id: string): { pk: number; relationship: GraphRelationship } {
    const found = this.readRelationship(id);
    if (found === undefined) throw new GraphError('not_found', `There is no relationship ${id}.`, id);
    return found;
  }

  protected changed(
    entity: GraphNode | GraphRelationship,
    before: PropertyMap,
    after: PropertyMap,
    keys: readonly string[],
  ): void {
    for (const key of keys) {
      const [previous, value] = [before[key] ?? null, after[key] ?? null];
      this.unit.changes.push({ verb: 'change', entity, key, previous, value });
    }
  }
}

/** The ids that a query asks for, and nothing else of them. */
function idsOf({ kind: _kind, where, sort: _sort, ...more }: Query): readonly string[] {
  if (where?.op !== 'in' || where.key !== 'id' || Object.keys(more).length > 0) return [];
  return where.values.filter((id) => typeof id === 'string');
}

function missing(id: string): GraphError {
  return new GraphError('not_found', `There is no node ${id}.`, id);
}

function overlapping(): GraphError {
  return new GraphError(
    'invalid_query',
    'Two savepoints of one transaction overlap: await one before beginning the next.',
  );
}

function taken(error: unknown, kind: string, id: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'SQLITE_CONSTRAINT_UNIQUE' ? alreadyTaken(kind, id, error) : error;
}

function alreadyTaken(kind: string, id: string, cause?: unknown): GraphError {
  return new GraphError('already_taken', `There is already a ${kind} ${id}.`, id, cause === undefined ? {} : { cause });
}
