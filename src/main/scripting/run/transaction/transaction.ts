/**
 * The transaction of a run of scripts. Usually it computes without holding anybody up, and becomes the one writer at its end, when
 * all that it has read still holds (docs/design/transactions.md); else with its first write, or from its beginning.
 */
import {
  writerElsewhere,
  type Door,
  type Graph,
  type Locking,
  type ReadTransaction,
  type WriteTransaction,
} from '../../../graph/index.js';
import {
  nested,
  type ObjectTransaction,
  type Actor,
  type ObjectAccess,
  type OpenObjects,
  type Schema,
  type SchemaService,
  type WriteOptions,
  WriteSwitches,
} from '../../../schema/index.js';
import { ScriptError } from '../../language/errors.js';

export interface TransactionParts {
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly write: () => WriteOptions;
}

/** What is evaluated while an answer is written does not know for whom that is: its long reads are nobody's before those of users. */
const BY_ANYBODY = { asker: '/script' } as const;

/** How a transaction of scripts differs from others. */
export interface TransactionWays {
  /** What it writes sets off no `afterCreate` and the like. */
  readonly quietly?: boolean;
  readonly locking?: Locking;
  /** Through which door it came, where that is not the one of scripts; and what for, as in `Origin`. */
  readonly door?: Door | undefined;
  readonly reason?: string | undefined;
  /** Whom it is for, until somebody writes. */
  readonly actor?: Actor | undefined;
}

interface Ways extends Pick<TransactionWays, 'door' | 'reason' | 'actor'> {
  readonly quietly: boolean;
  readonly locking: Locking;
  readonly switches: WriteSwitches;
  /** Nothing can be written, and nobody ends it. */
  readonly readOnly?: boolean;
  /** The one whose script waits for it. */
  readonly beside?: ScriptTransaction;
}

/** `doInNewTransaction` wants to write beside a transaction that is the one writer already. */
export class OwnTransactionRefused extends ScriptError {
  constructor(isRepeated: boolean) {
    const why = isRepeated
      ? 'the transaction around it runs once more after conflicts with others, as the one that writes; try again'
      : 'the transaction around it is the one that writes already: it has run Cypher that writes, has written too much to be kept ' +
        'until its end, or is a plain write that a write function is a part of. Call it before';
    super(isRepeated ? 409 : 422, `doInNewTransaction() cannot write here: ${why}. Nothing was written.`);
  }
}

export class ScriptTransaction {
  /** One a user: the same transaction of the graph, written with the rights of several. */
  private readonly writers = new Map<Actor, ObjectTransaction>();
  /** Made with the first read or write. */
  private opened: OpenObjects | undefined;
  private over = false;
  private readonly endings: ((committed: boolean) => void)[] = [];
  /** Told of the graph's transaction when it begins. */
  onBegin: ((tx: WriteTransaction) => void) | undefined;
  /** What its scripts have called that nothing takes back; see `reachesOut`. */
  outside: string | undefined;
  /** Of its commit; 0: it has written nothing. */
  number = 0;
  /** It wanted to write, and could not. */
  refusal: OwnTransactionRefused | undefined;

  private constructor(
    private readonly parts: TransactionParts,
    private readonly outer: ObjectTransaction | undefined,
    private readonly ways: Ways,
  ) {
    if (outer !== undefined) this.writers.set(outer.actor, outer);
  }

  /** One of its own. */
  static open(
    parts: TransactionParts,
    { quietly = false, locking = 'last', ...ways }: TransactionWays = {},
  ): ScriptTransaction {
    return new ScriptTransaction(parts, undefined, { ...ways, quietly, locking, switches: new WriteSwitches() });
  }

  /**
   * The same beside another one, whose switches hold in it too; beside a quiet one it is quiet. It holds the lock from its first write
   * on: its work is a part of a script, which cannot be done again by itself.
   */
  static beside(parts: TransactionParts, outer: ScriptTransaction): ScriptTransaction {
    const { quietly, door, reason } = outer.ways;
    const { switches } = outer;
    return new ScriptTransaction(parts, undefined, {
      ...{ quietly, door, reason, switches },
      locking: 'first-write',
      beside: outer,
    });
  }

  /** One that nobody ends, as nothing can be written in it: for what is evaluated while an answer is written. */
  static forReading(parts: TransactionParts): ScriptTransaction {
    const switches = new WriteSwitches();
    return new ScriptTransaction(parts, undefined, { quietly: true, locking: 'first-write', switches, readOnly: true });
  }

  /**
   * The one that a caller has begun, and ends (lifecycle methods, function properties that are written); `locking` is how he has.
   */
  static within(parts: TransactionParts, objects: ObjectTransaction, locking: Locking = 'last'): ScriptTransaction {
    return new ScriptTransaction(parts, objects, { quietly: false, locking, switches: new WriteSwitches() });
  }

  /** What scripts turn off while they write. */
  get switches(): WriteSwitches {
    return this.outer?.switches ?? this.ways.switches;
  }

  get schema(): Schema {
    return this.outer?.schema ?? this.opened?.schema ?? this.parts.schemas.schema;
  }

  /** Something is to be written in it, which reads outside of it do not see. */
  get writes(): boolean {
    return this.outer !== undefined || this.opened?.writes === true || this.holds;
  }

  /** Its work cannot be done again, so that it holds the lock from its first write on. */
  get isOnce(): boolean {
    return this.ways.locking === 'first-write';
  }

  /** It is the one writer, or waits to become it: others wait for its end. */
  get holds(): boolean {
    const tx = this.outer?.tx ?? this.opened?.tx;
    return tx !== undefined && tx.isWriter !== false;
  }

  /** Number of changes so far: what was read at a smaller one may have changed. */
  get changes(): number {
    return ((this.outer ?? this.opened)?.tx.changes().length ?? 0) + this.unseen;
  }

  /** Something was written that the transaction does not know of: whoever has read something looks again. */
  changedUnseen(): void {
    this.unseen++;
  }

  private unseen = 0;

  /**
   * To be called before something that nothing takes back: other servers, mails, programs. Scripts that have done so are not run again
   * for a conflict. `what` goes behind "it has called".
   */
  reachesOut(what: string): void {
    if (this.parts.graph.isReader === true) throw writerElsewhere();
    this.outside ??= what;
  }

  /** What others have committed for it is no conflict; `number` as in `OpenTransaction.allow`. */
  allow(number: number): void {
    if (number > 0) this.opened?.tx.allow(number);
  }

  /** Its scripts have had something changed: what they have read before counts as read now. */
  refresh(): void {
    this.opened?.tx.refresh();
  }

  /** It failed for what others have written meanwhile. */
  get overtaken(): boolean {
    return this.opened?.overtaken === true;
  }

  /** Resolves when another attempt sees what this one was overtaken by. */
  async overtakerSeen(): Promise<void> {
    await this.opened?.tx.conflictSeen();
  }

  private open(): OpenObjects {
    if (this.opened === undefined) {
      const { quietly, locking, switches, door, reason, actor } = this.ways;
      const write = (): WriteOptions => {
        const options = this.parts.write();
        return { ...options, door: door ?? options.door, reason, switches };
      };
      this.opened = this.parts.schemas.open(locking, { quietly, write, actor });
      this.onBegin?.(this.opened.tx);
    }
    return this.opened;
  }

  /** Reads, own writes included. */
  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
    this.check();
    if (this.outer !== undefined) return work(this.outer.tx);
    return this.ways.readOnly === true ? this.parts.graph.read(work, BY_ANYBODY) : this.open().read(work);
  }

  /** The objects to be written with somebody's rights. */
  async objects(actor: Actor, access: ObjectAccess): Promise<ObjectTransaction> {
    const first = await this.first(actor, access);
    const known = this.writers.get(actor);
    if (known !== undefined) return known;
    const objects = first.actor === actor ? first : first.as(actor, access);
    this.writers.set(actor, objects);
    return objects;
  }

  /** Work that is taken back by itself when it fails, and committed with all the rest. */
  async nested<T>(actor: Actor, access: ObjectAccess, work: (objects: ObjectTransaction) => Promise<T>): Promise<T> {
    return nested(await this.first(actor, access), actor, access, work);
  }

  /** The one that is the writer among those that wait for this one; what wants to write would wait for it for ever. */
  get besideWriter(): ScriptTransaction | undefined {
    for (let one = this.ways.beside; one !== undefined; one = one.ways.beside) if (one.holds) return one;
    return undefined;
  }

  private async first(actor: Actor, access: ObjectAccess): Promise<ObjectTransaction> {
    this.check();
    this.refuseReading();
    const { besideWriter } = this;
    if (besideWriter !== undefined) {
      throw (this.refusal = new OwnTransactionRefused(besideWriter.ways.locking === 'now'));
    }
    const first = this.outer ?? (await this.open().begin(actor, access));
    this.check();
    return first;
  }

  /** Tells the listener when what was written is committed (true), or taken back; it must not throw. */
  onEnd(listener: (committed: boolean) => void): void {
    if (this.outer === undefined) this.endings.push(listener);
    else this.outer.onEnd(listener);
  }

  private tell(committed: boolean): void {
    for (const listener of this.endings.splice(0)) listener(committed);
  }

  /** Commits what was written. Rejects, with nothing written, when the rules of the schema are broken, or for a conflict. */
  async commit(): Promise<void> {
    if (this.outer !== undefined) return;
    try {
      // Lifecycle methods still write in it meanwhile.
      this.number = (await this.opened?.commit()) ?? 0;
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
    await this.opened?.rollBack(error);
    this.tell(false);
  }

  /** Nothing is ever committed. */
  get isReadOnly(): boolean {
    return this.ways.readOnly === true;
  }

  /** Throws `ScriptError` 422 where nothing is ever committed. */
  refuseReading(): void {
    if (!this.isReadOnly) return;
    throw new ScriptError(422, 'A function that reads a property can write nothing, and schedule nothing.');
  }

  private check(): void {
    if (this.over) throw new Error('the transaction of this script is over');
  }
}
