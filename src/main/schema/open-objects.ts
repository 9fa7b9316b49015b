/** A transaction over typed objects that its caller ends, however long that takes; see `Graph.open`. */
import {
  type Change,
  type OpenTransaction,
  type Origin,
  type ReadTransaction,
  type WriteTransaction,
} from '../graph/index.js';
import type { Actor, ObjectAccess } from './model/actor.js';
import type { Lifecycle } from './writing/object-transaction.js';
import { ObjectTransaction } from './objects/transaction.js';
import { originOf, type WriteOptions } from './writing/write-options.js';
import { isConflict } from './repeat.js';
import type { Schema } from './model/schema.js';

/** What it needs of the service that keeps the schema. */
export interface OpenObjectsHost {
  readonly lifecycle: Lifecycle | undefined;
  /** The schema that writers work with, to be asked by who has the writer. */
  newest(): Promise<Schema>;
  /** Compiles what was written, when it was the schema; answers what takes that back. */
  compileWritten(tx: WriteTransaction, schema: Schema): Promise<(() => void) | undefined>;
}

export interface OpenObjectsOptions {
  readonly write: () => WriteOptions;
  /** Without `afterCreate` and the like. */
  readonly quietly: boolean;
  /** Whom it is for, until somebody writes. */
  readonly actor?: Actor | undefined;
}

export class OpenObjects {
  /** It failed, or would have, for what others have done meanwhile: another attempt may do better. */
  overtaken = false;
  #begun: Promise<ObjectTransaction> | undefined;
  #objects: ObjectTransaction | undefined;
  #actor: Actor | undefined;

  constructor(
    readonly tx: OpenTransaction,
    /** The one that it began with; the objects have the one that counts. */
    private readonly first: Schema,
    private readonly host: OpenObjectsHost,
    private readonly options: OpenObjectsOptions,
  ) {
    this.#actor = options.actor;
  }

  get schema(): Schema {
    return this.#objects?.schema ?? this.first;
  }

  /** Somebody has begun to write. */
  get writes(): boolean {
    return this.#begun !== undefined;
  }

  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
    return work(this.tx);
  }

  /** Who set it off, for those who hear of its commit; the first who writes. Asked when the lock is taken, so before there are objects. */
  get origin(): Origin {
    const options = this.#objects?.options ?? this.options.write();
    return originOf(options, this.#actor);
  }

  /** The objects to be written; those of the first who writes, for others by `as`. */
  begin(actor: Actor, access: ObjectAccess): Promise<ObjectTransaction> {
    return (this.#begun ??= this.#begin(actor, access));
  }

  async #begin(actor: Actor, access: ObjectAccess): Promise<ObjectTransaction> {
    // Known before it waits for the writer: whose turn that is goes by it.
    this.#actor = actor;
    const write = this.options.write();
    await this.tx.lock();
    const schema = this.tx.isWriter ? await this.host.newest() : this.first;
    const objects = new ObjectTransaction(this.tx, schema, actor, access, write, this.host.lifecycle);
    this.#objects = objects;
    return objects;
  }

  /** Checks and writes all; answers the number of the commit. Rejects with nothing written. */
  async commit(): Promise<number> {
    await this.#begun;
    const objects = this.#objects;
    if (objects === undefined) return this.tx.commit();
    let undo: (() => void) | undefined;
    try {
      await objects.finish();
      const after = this.#afterwards(objects);
      const number = await this.tx.commit(async (tx) => {
        undo = await this.host.compileWritten(tx, objects.schema);
      });
      objects.ended(true);
      await after?.();
      return number;
    } catch (error) {
      undo?.();
      await this.rollBack(error);
      throw error;
    }
  }

  #afterwards(objects: ObjectTransaction): (() => Promise<void>) | undefined {
    const { lifecycle } = this.host;
    if (this.options.quietly || lifecycle?.active(objects.schema) !== true) return undefined;
    const changes: readonly Change[] = [...this.tx.changes()];
    return () => lifecycle.afterCommit(changes, objects);
  }

  /** Where the database does not answer nobody knows, and another attempt would not do better. */
  #isCurrent(): Promise<boolean> {
    return this.tx.isCurrent().catch(() => true);
  }

  /** Takes all back; `reason`: what made it fail. */
  async rollBack(reason: unknown): Promise<void> {
    this.overtaken ||= isConflict(reason) || (this.writes && !(await this.#isCurrent()));
    await this.tx.rollBack();
    this.#objects?.ended(false);
  }
}
