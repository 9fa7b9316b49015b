/**
 * The transaction of a run of scripts. Until something writes it reads what is committed, and holds nobody up: a script may
 * wait for an answer from far away. From its first write on it is the one writer, until the run ends.
 */
import type { Graph, ReadTransaction, WriteTransaction } from '../graph/index.js';
import {
  nested,
  type ObjectTransaction,
  type Actor,
  type ObjectAccess,
  type Schema,
  type SchemaService,
  type WriteOptions,
  WriteSwitches,
} from '../schema/index.js';
import { ScriptError } from './errors.js';

export interface TransactionParts {
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly write: () => WriteOptions;
}

export class ScriptTransaction {
  /** One a user: the same transaction of the graph, written with the rights of several. */
  private readonly writers = new Map<Actor, ObjectTransaction>();
  private begun: Promise<ObjectTransaction> | undefined;
  /** Ends the work of the graph's transaction; without an error it is committed. */
  private settle: ((error?: Error) => void) | undefined;
  private ended: Promise<void> | undefined;
  private over = false;
  private readonly own: WriteSwitches;
  private readonly endings: ((committed: boolean) => void)[] = [];
  /** Told of the graph's transaction when it begins. */
  onBegin: ((tx: WriteTransaction) => void) | undefined;

  private constructor(
    private readonly parts: TransactionParts,
    private readonly outer: ObjectTransaction | undefined,
    private readonly quietly: boolean,
    private readonly readOnly = false,
    switches = new WriteSwitches(),
  ) {
    this.own = switches;
    if (outer !== undefined) {
      this.begun = Promise.resolve(outer);
      this.writers.set(outer.actor, outer);
    }
  }

  /** One of its own. `quietly`: what it writes sets off no `afterCreate` and the like. */
  static open(parts: TransactionParts, quietly = false): ScriptTransaction {
    return new ScriptTransaction(parts, undefined, quietly);
  }

  /** The same beside another one, whose switches hold in it too; beside a quiet one it is quiet. */
  static beside(parts: TransactionParts, { switches, quietly }: ScriptTransaction): ScriptTransaction {
    return new ScriptTransaction(parts, undefined, quietly, false, switches);
  }

  /** One that nobody ends, as nothing can be written in it: for what is evaluated while an answer is written. */
  static forReading(parts: TransactionParts): ScriptTransaction {
    return new ScriptTransaction(parts, undefined, true, true);
  }

  /** The one that a caller has begun, and ends (lifecycle methods, function properties that are written). */
  static within(parts: TransactionParts, objects: ObjectTransaction): ScriptTransaction {
    return new ScriptTransaction(parts, objects, false);
  }

  /** What scripts turn off while they write. */
  get switches(): WriteSwitches {
    return this.outer?.switches ?? this.own;
  }

  get schema(): Schema {
    return this.outer?.schema ?? this.current?.schema ?? this.parts.schemas.schema;
  }

  private current: ObjectTransaction | undefined;

  /** It is the one writer, or waits to become it: others wait for its end. */
  get writes(): boolean {
    return this.begun !== undefined;
  }

  /** Number of changes so far: what was read at a smaller one may have changed. */
  get changes(): number {
    return ((this.outer ?? this.current)?.tx.changes().length ?? 0) + this.unseen;
  }

  /** Something was written that the transaction does not know of: whoever has read something looks again. */
  changedUnseen(): void {
    this.unseen++;
  }

  private unseen = 0;

  /** Reads, own writes included. */
  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
    this.check();
    const writer = this.outer ?? this.current;
    return writer === undefined ? this.parts.graph.read(work) : work(writer.tx);
  }

  /** The objects to be written with somebody's rights; the first call waits until no one else writes. */
  async objects(actor: Actor, access: ObjectAccess): Promise<ObjectTransaction> {
    const first = await this.first(actor, access);
    const known = this.writers.get(actor);
    if (known !== undefined) return known;
    const objects = first.as(actor, access);
    this.writers.set(actor, objects);
    return objects;
  }

  /** Work that is taken back by itself when it fails, and committed with all the rest. */
  async nested<T>(actor: Actor, access: ObjectAccess, work: (objects: ObjectTransaction) => Promise<T>): Promise<T> {
    return nested(await this.first(actor, access), actor, access, work);
  }

  private async first(actor: Actor, access: ObjectAccess): Promise<ObjectTransaction> {
    this.check();
    this.refuseReading();
    const first = await (this.begun ??= this.begin(actor, access));
    this.check();
    return first;
  }

  private begin(actor: Actor, access: ObjectAccess): Promise<ObjectTransaction> {
    return new Promise<ObjectTransaction>((resolve, reject) => {
      const work = async (objects: ObjectTransaction): Promise<void> => {
        this.current = objects;
        this.onBegin?.(objects.tx);
        this.writers.set(actor, objects);
        resolve(objects);
        await new Promise<void>((settle, fail) => {
          this.settle = (error) => {
            if (error === undefined) settle();
            else fail(error);
          };
        });
      };
      this.ended = this.parts.schemas.write(
        actor,
        access,
        { ...this.parts.write(), switches: this.own },
        work,
        undefined,
        {
          quietly: this.quietly,
        },
      );
      this.ended.catch(reject);
    });
  }

  /** Tells the listener when what was written is committed (true), or taken back; it must not throw. */
  onEnd(listener: (committed: boolean) => void): void {
    if (this.outer === undefined) this.endings.push(listener);
    else this.outer.onEnd(listener);
  }

  private tell(committed: boolean): void {
    for (const listener of this.endings.splice(0)) listener(committed);
  }

  /** Commits what was written. Rejects, with nothing written, when the rules of the schema are broken. */
  async commit(): Promise<void> {
    if (this.outer !== undefined) return;
    await this.begun?.catch(() => undefined);
    this.settle?.();
    try {
      // Lifecycle methods still write in it meanwhile.
      await this.ended;
    } catch (error) {
      this.tell(false);
      throw error;
    }
    this.over = true;
    this.tell(true);
  }

  /** Takes back what was written; a transaction of a caller is his to end. */
  async rollBack(error: Error): Promise<void> {
    this.over = true;
    if (this.outer !== undefined) return;
    await this.begun?.catch(() => undefined);
    this.settle?.(error);
    await this.ended?.catch(() => undefined);
    this.tell(false);
  }

  /** Throws `ScriptError` 422 where nothing is ever committed. */
  refuseReading(): void {
    if (!this.readOnly) return;
    throw new ScriptError(422, 'A function that reads a property can write nothing, and schedule nothing.');
  }

  private check(): void {
    if (this.over) throw new Error('the transaction of this script is over');
  }
}
