/**
 * Keeps the compiled schema and runs typed write transactions. A change to a schema object compiles the new
 * schema inside its own transaction: what does not compile is refused and nothing has changed; what does
 * holds for every transaction that begins afterwards (docs/interface/schema.md 13.1).
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  kindsOf,
  type Change,
  type ChangeKind,
  type Commit,
  type Graph,
  type Locking,
  type Origin,
  type ReadTransaction,
  type TransactionOptions,
  type WriteTransaction,
} from '../graph/index.js';
import { logger } from '../../shared/log.js';
import { builtinRelations, builtinTraits } from './builtin/index.js';
import { compileSchema } from './compile/compile.js';
import { SchemaError } from './model/errors.js';
import { loadDefinitions } from './compile/load.js';
import { META_RELATIONSHIPS, META_TYPES } from './model/meta-types.js';
import type { Actor, ObjectAccess } from './model/actor.js';
import type { Lifecycle } from './writing/object-transaction.js';
import { ObjectTransaction } from './objects/transaction.js';
import { WriteSwitches } from './writing/switches.js';
import { originOf, type WriteOptions } from './writing/write-options.js';
import { isConflict, repeatedly } from './repeat.js';
import { OpenObjects, type OpenObjectsOptions } from './open-objects.js';
import type { SchemaSettings } from './writing/function-properties.js';
import type { Schema } from './model/schema.js';

const log = logger('schema');

/** One whose type has changed is a schema object when it was one, or has become one. */
const concerns = ({ kind, type, previousType = '', relType = '' }: ChangeKind): boolean =>
  kind === 'node' ? META_TYPES.has(type) || META_TYPES.has(previousType) : META_RELATIONSHIPS.has(relType);

/** A schema whose transaction is not committed yet, known by the list of its changes. */
interface Uncommitted {
  readonly changes: readonly Change[];
  readonly schema: Schema;
}

/** How several stages come to their end. */
export interface StageOptions {
  /** Whether nobody waits for it any more. */
  readonly isOver?: () => boolean;
  /** Awaited when all but the commit is done; what it answers is called when the commit is known, or nothing was committed. */
  readonly still?: () => Promise<() => void>;
}

export class SchemaService {
  /** Oldest first: each was compiled from what the ones before it left. */
  private uncommitted: readonly Uncommitted[] = [];
  /** Methods of users that run when objects change; set when the rooms are put together. */
  lifecycle: Lifecycle | undefined;
  private readonly listeners: ((schema: Schema) => void)[] = [];

  private constructor(
    private readonly graph: Graph,
    private readonly settings: SchemaSettings,
    /** What readers see: the schema of the last commit. */
    private committed: Schema,
  ) {
    // The first of all caches: others ask it for the types of what has changed.
    graph.caches.keep({
      name: 'schema',
      isState: true,
      dependsOn: [...META_TYPES],
      concerns,
      changed: (_, commit) => (commit === undefined ? this.reload() : this.publish(commit)),
    });
  }

  /** Compiles the schema that is in the graph. Throws `SchemaError` when it does not make sense. */
  static async start(graph: Graph, settings: SchemaSettings): Promise<SchemaService> {
    const schema = await graph.read((tx) => compile(tx, settings, 1));
    const service = new SchemaService(graph, settings, schema);
    if (graph.isReader !== true) await graph.setIndexes(schema.indexes, schema.textIndexes);
    return service;
  }

  /** The schema that requests beginning now work with. */
  get schema(): Schema {
    return this.committed;
  }

  /**
   * What writers see: the newest schema, perhaps of a transaction that is about to be committed. It is the one that holds for a transaction at
   * its end (`Graph.journal`).
   */
  get latest(): Schema {
    return this.uncommitted.at(-1)?.schema ?? this.committed;
  }

  /** Runs `work` as one transaction over typed objects; see `Graph.write`. */
  async write<T>(
    actor: Actor,
    access: ObjectAccess,
    options: WriteOptions,
    work: (objects: ObjectTransaction) => Promise<T>,
    limits?: TransactionOptions,
    /**
     * `quietly`: without `afterCreate` and the like, which would set themselves off again. `methods`: false is without all methods that
     * run when objects change.
     */
    { quietly = false, methods = true } = {},
  ): Promise<T> {
    const lifecycle = methods ? this.lifecycle : undefined;
    let after: (() => Promise<void>) | undefined;
    let begun: ObjectTransaction | undefined;
    let undo: (() => void) | undefined;
    try {
      const written = await this.graph.write(
        async (tx) => {
          const schema = await this.newest();
          const objects = new ObjectTransaction(tx, schema, actor, access, options, lifecycle);
          begun = objects;
          const result = await work(objects);
          await objects.finish();
          if (!quietly && lifecycle?.active(schema) === true) {
            const changes = [...tx.changes()];
            after = () => lifecycle.afterCommit(changes, objects);
          }
          undo = await this.compileWritten(tx, schema);
          return result;
        },
        { ...limits, origin: limits?.origin ?? originOf(options, actor) },
      );
      begun?.ended(true);
      await after?.();
      return written;
    } catch (error) {
      begun?.ended(false);
      undo?.();
      throw error;
    }
  }

  /**
   * Begins a transaction over typed objects that its caller ends in any case. `locking` as in `Graph.open`.
   */
  open(locking: Locking, options: OpenObjectsOptions): OpenObjects {
    const schema = this.committed;
    const tx = this.graph.open({
      locking,
      ...(locking === 'last' ? { holds: () => this.latest === schema } : {}),
      origin: () => objects.origin,
    });
    const objects: OpenObjects = new OpenObjects(tx, schema, this, options);
    return objects;
  }

  /**
   * The same as `write` for work that runs methods of users or is large: it holds nobody up, and is done again, with nothing of the time before,
   * when others have come in between; see `repeatedly`.
   */
  writeLast<T>(
    actor: Actor,
    access: ObjectAccess,
    options: WriteOptions,
    work: (objects: ObjectTransaction) => Promise<T>,
    isOver?: () => boolean,
  ): Promise<T> {
    const write = (): WriteOptions => ({ ...options, switches: new WriteSwitches() });
    return repeatedly((locking) => {
      const opened = this.open(locking, { quietly: false, write });
      let objects: ObjectTransaction | undefined;
      const { lifecycle } = this;
      return {
        run: async () => {
          try {
            objects = await opened.begin(actor, access);
            const value = await work(objects);
            await opened.commit();
            return value;
          } catch (error) {
            await opened.rollBack(error);
            throw error;
          }
        },
        get overtaken() {
          return opened.overtaken;
        },
        get outside() {
          return objects === undefined ? undefined : lifecycle?.reachedOut(objects);
        },
        overtakerSeen: () => opened.tx.conflictSeen(),
      };
    }, isOver);
  }

  /**
   * Several stages as one transaction, without methods of users: each works with the schema that the one before it has left, as if that had been
   * committed. Readers see all of it, or nothing. It is done again, from its first stage, when others have come in between; answers the number of
   * the commit.
   */
  writeStages(
    actor: Actor,
    access: ObjectAccess,
    options: WriteOptions,
    stages: readonly ((objects: ObjectTransaction) => Promise<void>)[],
    origin: Origin,
    { isOver, still }: StageOptions = {},
  ): Promise<number> {
    return repeatedly((wished) => {
      const first = this.committed;
      const locking = this.gathersMany ? wished : 'now';
      const tx = this.graph.open({
        locking,
        ...(locking === 'last' ? { holds: () => this.latest === first } : {}),
        // It may be a whole application; whoever began it can end it.
        timeout: 0,
        origin: () => origin,
      });
      let overtaken = false;
      return {
        run: async () => {
          let undo: (() => void) | undefined;
          let goOn: (() => void) | undefined;
          const begun: ObjectTransaction[] = [];
          try {
            await tx.lock();
            let schema = tx.isWriter ? await this.newest() : first;
            for (const stage of stages) {
              const before = tx.changes().length;
              const objects = new ObjectTransaction(tx, schema, actor, access, options);
              begun.push(objects);
              // What the stages before it have written is checked.
              objects.settled.push([0, before]);
              await stage(objects);
              await objects.finish();
              const changedSchema = kindsOf(tx.changes().slice(before)).some(({ kind }) => concerns(kind));
              if (changedSchema) schema = await compile(tx, this.settings, schema.version + 1, true);
            }
            const number = await tx.commit(async (last) => {
              undo = await this.compileWritten(last, schema);
              goOn ??= await still?.();
            });
            for (const objects of begun) objects.ended(true);
            return number;
          } catch (error) {
            undo?.();
            overtaken = isConflict(error) || !(await tx.isCurrent().catch(() => true));
            await tx.rollBack();
            for (const objects of begun) objects.ended(false);
            throw error;
          } finally {
            goOn?.();
          }
        },
        get overtaken() {
          return overtaken;
        },
        outside: undefined,
        overtakerSeen: () => tx.conflictSeen(),
      };
    }, isOver);
  }

  /**
   * The same for one stage that begins with all that it reads: it is the writer from its beginning, as what it does is known by then, and written beside
   * other work where the engine can do so (`TransactionOptions.large`). It may be begun anew.
   */
  async writeMany(
    actor: Actor,
    access: ObjectAccess,
    options: WriteOptions,
    work: (objects: ObjectTransaction) => Promise<void>,
    origin: Origin,
  ): Promise<void> {
    let undo: (() => void) | undefined;
    let begun: ObjectTransaction | undefined;
    try {
      await this.graph.write(
        async (tx) => {
          undo?.();
          begun?.ended(false);
          begun = new ObjectTransaction(tx, await this.newest(), actor, access, options);
          await work(begun);
          await begun.finish();
          undo = await this.compileWritten(tx, begun.schema);
        },
        { timeout: 0, origin, large: true },
      );
      begun?.ended(true);
    } catch (error) {
      undo?.();
      begun?.ended(false);
      throw error;
    }
  }

  /**
   * Whether `writeLast` is for what writes many objects, too. Not over a network: what is gathered is applied in more round trips than
   * what is written at once.
   */
  get gathersMany(): boolean {
    return this.graph.engine === 'sqlite';
  }

  /** Whether writing objects of this type runs methods of users, which may wait: `writeLast` is for that. */
  runsMethods(type: string): boolean {
    return this.lifecycle?.runsFor(this.committed, type) === true;
  }

  /** The schema that counts for who has the writer now. */
  async newest(): Promise<Schema> {
    // One of these may have failed, which is told within this turn of the loop.
    if (this.uncommitted.length > 0) await nextTurn();
    return this.latest;
  }

  /** Compiles what a transaction has written at its end, when it was the schema; answers what takes that back when it fails. */
  async compileWritten(tx: WriteTransaction, schema: Schema): Promise<(() => void) | undefined> {
    // Nothing is written behind this.
    if (!kindsOf(tx.changes()).some(({ kind }) => concerns(kind))) return undefined;
    const next = await compile(tx, this.settings, schema.version + 1, true);
    const compiled: Uncommitted = { changes: tx.changes(), schema: next };
    this.uncommitted = [...this.uncommitted, compiled];
    // Writers go back to the one before.
    return () => {
      this.uncommitted = this.uncommitted.filter((one) => one !== compiled);
    };
  }

  /** What a transaction has compiled counts for all from its commit on. */
  private publish({ changes }: Commit): void {
    const at = this.uncommitted.findIndex((one) => one.changes === changes);
    const one = this.uncommitted[at];
    if (one === undefined) return;
    this.committed = one.schema;
    this.uncommitted = this.uncommitted.slice(at + 1);
    this.changed();
  }

  /** Another instance has changed the schema; nobody writes here meanwhile. */
  private async reload(): Promise<void> {
    try {
      for (;;) {
        const { committed: before, latest } = this;
        const schema = await this.graph.read((tx) => compile(tx, this.settings, latest.version + 1));
        // What this instance has committed meanwhile may be newer than what was read.
        if (this.committed !== before) continue;
        this.committed = schema;
        break;
      }
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      // It compiled there: that instance runs another version of the service.
      log.error('the schema that another instance wrote does not compile here; the one before stays', error);
      return;
    }
    log.info('the schema was read anew, as it may have been changed elsewhere');
    this.changed();
  }

  /** Hears of every schema that readers get, before anybody reads with it: for what is remembered by the one before. */
  onChange(listener: (schema: Schema) => void): void {
    this.listeners.push(listener);
  }

  private changed(): void {
    for (const listener of this.listeners) listener(this.committed);
    this.updateIndexes();
  }

  private updateIndexes(): void {
    if (this.graph.isReader === true) return;
    this.graph.setIndexes(this.committed.indexes, this.committed.textIndexes).catch((error: unknown) => {
      log.error('indexes could not be brought in line with the schema', error);
    });
  }
}

async function compile(
  tx: ReadTransaction,
  settings: SchemaSettings,
  version: number,
  written = false,
): Promise<Schema> {
  return compileSchema({ builtinTraits, builtinRelations, ...(await loadDefinitions(tx)), settings, version, written });
}
