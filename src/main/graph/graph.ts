/**
 * The one interface to the store. Two engines implement it (sqlite, neo4j); one conformance suite,
 * `test/graph/conformance.ts`, says what they promise.
 */
import type { AccessRule, Step } from './access.js';
import type { Membership, Messages, Stillness } from './commits/between-instances.js';
import type { CacheFacts, Caches } from './commits/caches.js';
import type { Commit, CommitFollower, Journal, JournalWriter, Origin } from './commits/commit.js';
import type { ColumnKeeper } from './columns.js';
import type { CypherFacts, CypherResult, CypherStatement } from './cypher.js';
import type { Made, Making } from './making.js';
import type { Digest, DigestedQuery } from '../../shared/digest.js';
import type { Watcher } from './commits/notice.js';
import type { CountResult, EntityOf, NodeQuery, Query } from './query.js';
import type { Seat } from './seats/seat.js';
import type {
  Change,
  GraphNode,
  GraphRelationship,
  IndexDefinition,
  PropertyChanges,
  PropertyMap,
  TextIndexDefinition,
} from './types.js';
import type { TextQuery } from './text/text-query.js';

/** Limits of one transaction. */
export interface TransactionOptions {
  /** Ends the work with `GraphError('query_timeout')`; milliseconds, default the engine's setting. */
  readonly timeout?: number;
  /** Ends the work with `GraphError('aborted')` (a client that went away). */
  readonly signal?: AbortSignal;
  /**
   * Whether the work has become pointless, asked at every step. With it the signal is looked at by long work only, and
   * may be a getter that makes one on demand: making a signal costs a tenth of a short read.
   */
  readonly cancelled?: () => boolean;
  /**
   * All that it reads is as it was at its beginning, whatever is committed meanwhile, as far as the engine can: SQLite for as long
   * as this takes no more than seconds, but for lists that are read in another thread; Neo4j by doing the work again, see `repeatable`
   * and `ReadTransaction.confirm`. Counts for transactions that read.
   */
  readonly snapshot?: boolean;
  /**
   * It writes thousands of entities, and its work may be begun anew: an engine that can do so writes them in pieces beside
   * other work. Counts for transactions that write.
   */
  readonly large?: boolean | undefined;
  /**
   * It is to keep others from writing for a moment only: `GraphError('large')` when it deletes hundreds of nodes, or a node with hundreds of
   * relationships. An engine need not look at that. Counts for transactions that write.
   */
  readonly small?: boolean | undefined;
  /**
   * Who reads, as a name: long reads are given in turns to who asks for them. One that begins with `/` is of somebody whom nobody knows. Absent: the
   * service. Asked for by long reads only. Counts for transactions that read.
   */
  readonly asker?: string | (() => string | undefined);
  /** With `snapshot`: whether the work may be done again from its start, as nothing has come of it yet. Absent: it may. */
  readonly repeatable?: () => boolean;
  /** Who sets it off, for those who hear of its commit; default: the service itself. Counts for transactions that write. */
  readonly origin?: Origin | undefined;
}

/** What a full-text index has found; scores can be compared within one answer. */
export interface TextMatch {
  readonly id: string;
  readonly score: number;
}

/** Reads. Outside a write transaction every call sees what was committed when it was made, unless `snapshot` was asked for. */
export interface ReadTransaction {
  node(id: string): Promise<GraphNode | undefined>;
  /** In the order asked for; undefined where there is none. */
  nodes(ids: readonly string[]): Promise<(GraphNode | undefined)[]>;
  /** Types of nodes, in the order asked for; undefined where there is none. Absent where `nodes` costs no more. */
  types?(ids: readonly string[]): Promise<(string | undefined)[]>;
  relationship(id: string): Promise<GraphRelationship | undefined>;
  /** All matches, at most `query.limit`. For results of unknown size use `stream`. */
  find<Q extends Query>(query: Q): Promise<EntityOf<Q>[]>;
  /** The same for a page; undefined: it is so large that it has to be streamed. Absent where that is not known. */
  page?<Q extends Query>(query: Q): Promise<EntityOf<Q>[] | undefined>;
  /** The same in batches; memory does not grow with the result, the loop never waits long. */
  stream<Q extends Query>(query: Q): AsyncIterable<EntityOf<Q>[]>;
  /**
   * What a module makes of all matches, in the thread that reads them: bytes of a batch each, in the order of the query. Without `sort`, offset and limit,
   * of what is committed. Undefined: the query is none that can be read so; absent: the engine has no such thread. `stream` is for both.
   */
  made?(query: Query, making: Making): AsyncIterable<Made> | undefined;
  /**
   * Reads all nodes of some queries, one query after the other, and hands what `digest` makes of them to `take`, which holds it back by its
   * promise. Neither is on the loop. Throws `invalid_query` with the message of a `DigestError`. Absent where nodes have to be streamed for that.
   */
  digest?(
    queries: readonly DigestedQuery<NodeQuery>[],
    digest: Digest,
    take: (text: string) => Promise<void> | undefined,
  ): Promise<void>;
  /** Number of matches without regard to offset and limit; stops counting beyond `limit`. */
  count(query: Query, limit?: number): Promise<CountResult>;
  /**
   * For each of `ids` the nodes one step away, in the order they were linked, at most `limit` each.
   * One call for many nodes, so that an engine over a network needs one round trip.
   */
  related(ids: readonly string[], step: Step, limit?: number): Promise<GraphNode[][]>;
  /** For each of `ids` its relationships of `step`, with the node at the other end. */
  links(
    ids: readonly string[],
    step: Step,
    limit?: number,
  ): Promise<{ relationship: GraphRelationship; node: GraphNode }[][]>;
  /** Types (as in the database) of the relationships that lead from a node, or to it, in no order. */
  relTypes(id: string, direction: Step['direction']): Promise<string[]>;
  /**
   * Entities whose text in a full-text index fits, best first. `not_found`: there is no such index; `unavailable`: it is being
   * built.
   */
  search(index: string, query: TextQuery, page: { offset: number; limit: number }): Promise<TextMatch[]>;
  /** For each of `nodes` whether `rule` allows it; what a node itself tells is not asked again. */
  permitted(nodes: readonly GraphNode[], rule: AccessRule): Promise<boolean[]>;
  /**
   * With `snapshot`, to be called before anything leaves of what was read: makes sure that it is of one state. Rejects when the work has to be
   * done again, with an error that the work must let through. Undefined: it is of one state. Absent where that is so anyway.
   */
  confirm?(): Promise<void> | undefined;
  /**
   * Runs a statement of somebody else, without regard to rights. Absent where the engine does not speak Cypher. Throws `GraphError`
   * `invalid_query` for what the statement does wrong; a write transaction is over then.
   */
  cypher?(statement: CypherStatement): Promise<CypherResult>;
}

/**
 * Reads that wait for nothing: what is committed, all of one state as long as the caller does not wait either. Each answers undefined where it
 * would have to wait; a transaction reads it then.
 */
export interface PromptReads {
  /** Null: there is none. */
  node(id: string): GraphNode | null | undefined;
  /** Whether `rule` allows a node, as `ReadTransaction.permitted`. */
  permits(node: GraphNode, rule: AccessRule): boolean | undefined;
  /** The nodes of a page, if transactions have found its keys. To be asked with the same object each time: what was found is kept by it. */
  page(query: NodeQuery): readonly GraphNode[] | undefined;
  /** As `ReadTransaction.count`; `limit`: the same each time. */
  count(query: NodeQuery, limit: number): CountResult | undefined;
}

/** A new node; `id` must be unused. */
export interface NewNode {
  readonly id: string;
  readonly type: string;
  /**
   * Names of all traits of the type, for other clients of the database (Neo4j's labels); absent: just the type. Queries
   * of the service name concrete types and do not depend on them.
   */
  readonly traits?: readonly string[];
  readonly properties: PropertyMap;
  /** What the properties are in the embedded database, where they are in their stored form already: nothing copies them then. */
  readonly text?: string;
}

export interface NewRelationship {
  readonly id: string;
  readonly type: string;
  readonly relType: string;
  readonly sourceId: string;
  readonly targetId: string;
  readonly properties: PropertyMap;
  /** What the properties are in the embedded database, where they are in their stored form already: nothing copies them then. */
  readonly text?: string;
}

/** Reads and writes; reads see the transaction's own writes. Throws `GraphError`. */
export interface WriteTransaction extends ReadTransaction {
  /** `already_taken` when the id is in use. */
  createNode(node: NewNode): Promise<GraphNode>;
  /** Returns the node after the change; `not_found` when there is none. Equal values change nothing. */
  updateNode(id: string, changes: PropertyChanges): Promise<GraphNode>;
  setNodeType(id: string, type: string, traits?: readonly string[]): Promise<GraphNode>;
  /**
   * Removes the node and the relationships it still has (each an `unlink` in the change list). `links`: these, where the caller knows them for
   * certain, in the order in which they are to be told; an engine may go by that or look itself.
   */
  deleteNode(id: string, links?: readonly GraphRelationship[]): Promise<void>;
  /** `not_found` when an end does not exist, `already_taken` when the id is in use. */
  createRelationship(relationship: NewRelationship): Promise<GraphRelationship>;
  updateRelationship(id: string, changes: PropertyChanges): Promise<GraphRelationship>;
  deleteRelationship(id: string): Promise<void>;
  /** The same for thousands, which are passed over where they are not there. Not within a savepoint. Absent where one by one is as good. */
  deleteNodes?(ids: readonly string[]): Promise<void>;
  deleteRelationships?(ids: readonly string[]): Promise<void>;
  /**
   * The same for a statement that writes. `changes` does not list what it does; everybody who keeps something of the graph is told that
   * anything may have changed. Not within a savepoint: nobody could take it back (`invalid_query`).
   */
  cypherWrite?(statement: CypherStatement): Promise<CypherResult>;
  /** Labels of a node for other clients of the database, beside those of its traits. Absent where there are no labels. */
  setLabels?(id: string, add: readonly string[], remove: readonly string[]): Promise<void>;
  /** A nested transaction: when `work` throws, its writes (and their changes) are gone, the outer goes on. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
  /** What this transaction has changed so far, in order. */
  changes(): readonly Change[];
  /** What it has changed beside that: labels for other clients, or nobody knows what. */
  readonly unlisted?: 'labels' | 'anything' | undefined;
  /** Reads nodes that are going to be asked for one by one. Absent where asking for each costs no more. */
  expect?(ids: readonly string[]): Promise<void>;
  /** False while others may write; absent: it is the one writer. */
  readonly isWriter?: boolean;
}

/** How a transaction that stays open comes to be the one writer. */
export type Locking =
  /** At its end, when nothing that it has read has changed meanwhile. */
  | 'last'
  /** With `lock`; until then it reads what is committed. */
  | 'first-write'
  /** From its beginning. */
  | 'now';

export interface OpenOptions extends Omit<TransactionOptions, 'origin'> {
  readonly locking: Locking;
  /** As in other transactions; asked when something is to be written. */
  readonly origin?: () => Origin | undefined;
  /** Asked while nobody else writes: false is a conflict, too. */
  readonly holds?: () => boolean;
}

/** A write transaction that its caller ends. Throws `GraphError`; `conflict`: to be begun anew. */
export interface OpenTransaction extends WriteTransaction {
  /** It is the one writer, or waits to become it: others wait for its end. */
  readonly isWriter: boolean;
  /** Whether all that it has read still holds; false: what it found may be half of something. */
  isCurrent(): Promise<boolean>;
  /** To be awaited before the first write: it becomes the writer unless that is left to its end. */
  lock(): Promise<void>;
  /**
   * Writes what was written, in one piece with what `last` does then. Resolves when it is durable; rejects with nothing written.
   * The answer is for `allow`.
   */
  commit(last?: (tx: WriteTransaction) => Promise<void>): Promise<number>;
  /** Takes all back; without effect when it has ended. */
  rollBack(): Promise<void>;
  /** What another transaction of the same work has committed is no conflict. */
  allow(committed: number): void;
  /** All that it has read counts as read now. */
  refresh(): void;
  /** After a conflict: resolves when another attempt can see what it was. */
  conflictSeen(): Promise<void>;
}

/** Small texts about the database as a whole, durable, which no query sees and which copies of it keep. Throws `GraphError`. */
export interface DatabaseNotes {
  get(name: string): Promise<string | undefined>;
  /** Writes the text unless there is one already, whoever wrote that; the text that counts. */
  claim(name: string, text: string): Promise<string>;
  set(name: string, text: string): Promise<void>;
}

/** How far work on the whole database is. */
export interface Steps {
  /** What is done from now on, in a few words, and for how many objects where that is known. */
  begin(what: string, total?: number): void;
  /** So many are done. To be awaited: rests, or rejects when the work is to end, which it may between two steps. */
  done(objects: number): Promise<void>;
}

/** A type whose nodes belong to the service. */
export interface OwnedType {
  readonly name: string;
  readonly traits: readonly string[];
}

/** A type of relationships that belong to it; the concrete types of their ends, absent: any. */
export interface OwnedRelation {
  readonly name: string;
  /** In the database. */
  readonly relType: string;
  readonly sources?: readonly string[] | undefined;
  readonly targets?: readonly string[] | undefined;
}

/**
 * Makes what other clients of the database have written objects of the service: nodes that have a type or its label, relationships between
 * objects. Each answers how many were changed. Throws `GraphError`.
 */
export interface Adoption {
  /** Ids for nodes of exactly these types that have none. */
  identify(types: readonly OwnedType[], steps: Steps): Promise<number>;
  /** The same for relationships. */
  identifyRelationships(relations: readonly OwnedRelation[], steps: Steps): Promise<number>;
  /**
   * Labels for nodes of exactly these types that have an id; from then on they are objects. Labels among `names`, names of types, that are not theirs
   * are taken away.
   */
  relabel(types: readonly OwnedType[], names: readonly string[], steps: Steps): Promise<number>;
}

/** What is left when a database is cleared: nodes of these types, and relationships of these types among them. */
export interface Kept {
  readonly nodes: readonly string[];
  readonly relationships: readonly string[];
}

/** How many were deleted. */
export interface Cleared {
  readonly nodes: number;
  readonly relationships: number;
}

/** What an index says of what: values of nodes, rights that relationships carry, texts. */
export type IndexPart = 'nodes' | 'relationships' | 'texts';

/** Told how long transactions took, in milliseconds: all that they waited for counts. */
export interface TransactionObserver {
  /** Absent: nobody is interested, and reads are not measured. */
  readonly read?: (milliseconds: number) => void;
  wrote(milliseconds: number, failed: boolean): void;
}

/** What an engine has to say of itself to those who watch it. */
export interface GraphFigures {
  /** Transactions that wait for the writer. */
  readonly waitingWriters: number;
  /** Nodes that are kept in memory; absent: the engine keeps none. */
  readonly nodeCache?: {
    readonly count: number;
    /** About so many bytes. */
    readonly size: number;
    readonly hits: number;
    readonly misses: number;
  };
}

/** What an engine has to be able to do. */
export interface GraphEngine {
  readonly notes: DatabaseNotes;
  /** Name of the engine for log lines and `_env`. */
  readonly engine: string;
  read<T>(work: (tx: ReadTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** What `work` makes of what can be read at once; undefined: it cannot. Absent where nothing can. */
  now?<T>(work: (reads: PromptReads) => T | undefined): T | undefined;
  /**
   * Runs `work` as one transaction, serialised against other writers from its beginning. Resolves when
   * its writes are durable; rejects, with nothing written, when `work` throws.
   */
  write<T>(work: (tx: WriteTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Called synchronously after each commit, in commit order, before `write` resolves. Returns the remover. */
  onCommit(listener: (changes: readonly Change[], commit: Commit) => void): () => void;
  /** Has one that follows hear of all that `onCommit` does not tell. Absent where there is nothing else. */
  follow?(follower: CommitFollower): void;
  /** Number of the last commit that this instance knows of; see `Commit`. */
  readonly commitNumber: number;
  /**
   * Resolves when whoever reads here sees this commit, and all who keep something have been told of it: to read what one has written
   * is to wait for its number. Throws `GraphError` when the time of a transaction is over before.
   */
  reached(number: number, options?: Pick<TransactionOptions, 'timeout' | 'signal'>): Promise<void>;
  /**
   * To be asked, and awaited when it is something, before a request is answered: whoever begins then sees all that any thread of the process has shown, and
   * so have those who keep something (docs/design/threads.md 5). Undefined: nothing has to be waited for.
   */
  current(): Promise<void> | undefined;
  /** It only reads: whatever would write throws `GraphError` `writer_elsewhere`. */
  readonly isReader?: boolean;
  /** A place for one more thread of this process that reads the same database. Absent where there are none. */
  seat?(): Seat;
  /** What the engine itself keeps; see `Graph.caches`. */
  readonly keeps: readonly CacheFacts[];
  /**
   * Keeps records in a journal of this name: `writer` says for each transaction that changes something which. To be called once
   * for a name, before transactions begin.
   */
  journal(name: string, writer: JournalWriter): Journal;
  /** Resolves when all that is committed so far is durable: what cannot be taken back after a commit waits for it. */
  durable(): Promise<void>;
  /** Hears of what other instances change; see `Watcher`. Returns the remover. */
  watch(watcher: Watcher): () => void;
  /** Absent where only one process can use the database. */
  readonly membership?: Membership;
  /** Absent where only one process can use the database. */
  readonly messages?: Messages;
  /** Absent where only one process can use the database. */
  readonly stillness?: Stillness;
  /** The complete set of wanted indexes. Resolves once recorded; building goes on in the background. */
  setIndexes(definitions: readonly IndexDefinition[], texts?: readonly TextIndexDefinition[]): Promise<void>;
  /** Absent where questions about all nodes of a type are answered from the nodes alone. */
  readonly columns?: ColumnKeeper;
  /** Resolves when no index is being built. */
  indexesReady(): Promise<void>;
  /**
   * Makes a part of the indexes right, whatever has become of it, in steps beside the traffic. `types`: concrete types of nodes, or of relationships for
   * their part; absent: all. Resolves when they are right and in use.
   */
  reindex(part: IndexPart, types: readonly string[] | undefined, steps: Steps): Promise<void>;
  /**
   * Deletes all but what is kept, as whole tables or as many at once as the database takes, without reading them and past all journals.
   * Others write before or after it. `Change`s are not told: everybody who keeps something of the graph is told once that anything
   * may have changed. On SQLite it is one transaction; on Neo4j several, and what was deleted when it fails stays so. Undefined: nothing was
   * done, as the engine cannot do so at the moment; one by one it can be deleted all the same.
   */
  clear(kept: Kept, steps: Steps, origin?: Origin): Promise<Cleared | undefined>;
  /** How it is doing now. */
  figures(): GraphFigures;
  /** Forgets what the engine keeps in memory; instances on the same database are told that anything may have changed. */
  forget(): Promise<void>;
  /** Absent where there are no other clients. `newId`: an id that is not in use. */
  adoption?(newId: () => string): Adoption;
  /** Statements and the engine's plan for a query, for tests and the log. */
  explain(query: Query): Promise<string[]>;
  /** What a statement would do; absent where the engine does not speak Cypher. Throws `GraphError` `invalid_query`. */
  explainCypher?(statement: CypherStatement): Promise<CypherFacts>;
  /** Rejects new transactions, waits for running ones, makes everything durable, releases the files. */
  close(): Promise<void>;
}

/** The store. */
export interface Graph extends GraphEngine {
  /** What is kept of it in memory, and how that is told of commits. */
  readonly caches: Caches;
  /** Begins a transaction that stays open; its caller ends it in any case. */
  open(options: OpenOptions): OpenTransaction;
}
