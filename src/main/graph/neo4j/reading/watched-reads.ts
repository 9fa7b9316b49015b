/** Reads that can tell what they depend on, and whether all of them were of one state (docs/design/requests.md, 4). */
import { type AccessRule, allowsItself, narrowed, type Step } from '../../access.js';
import type { CypherResult, CypherStatement } from '../../cypher.js';
import type { TextMatch } from '../../graph.js';
import { ReadSet } from '../../optimistic/read-set.js';
import type { CountResult, EntityOf, Query } from '../../query.js';
import type { TextQuery } from '../../text/text-query.js';
import type { GraphEntity, GraphNode, GraphRelationship } from '../../types.js';
import { type ReadContext, Reads } from './reads.js';
import type { Mark, States } from './states.js';

/** Entities of a streamed list that are remembered. */
const MOST_FOUND = 1000;

/** What was read was not of one state: it is to be read again. */
export class OfSeveralStates extends Error {
  override readonly name = 'OfSeveralStates';
}

export interface Watch {
  readonly states: States;
  /** It is not looked whether all was of one state. */
  readonly unchecked: boolean;
  /** All was read that is compared; what follows is what is committed. */
  confirmed(): void;
}

export class WatchedReads extends Reads {
  readonly #watch: Watch;
  readonly #mark: Mark;
  #open = true;
  /** Streams that were not read to their end. */
  #streams = 0;
  /** Made into a set only when something was committed meanwhile, which is rare. */
  readonly #read: ((reads: ReadSet, since: number) => void)[] = [];

  constructor(context: ReadContext, watch: Watch) {
    super(context);
    this.#watch = watch;
    this.#mark = watch.states.begin();
  }

  /** See `ReadTransaction`. */
  confirm(): Promise<void> | undefined {
    if (!this.#open) return undefined;
    const checking = this.#watch.unchecked ? undefined : this.differs();
    if (checking === undefined) {
      this.end();
      return undefined;
    }
    return checking.then((differs) => {
      this.end();
      if (differs) throw new OfSeveralStates();
    });
  }

  /** Whether what was read is of several states; undefined: it is of one. Not to be asked after `end`. */
  differs(): Promise<boolean> | undefined {
    if (!this.#open) return undefined;
    return this.#watch.states.differs(this.#mark, () => this.#readSet(), this.#streams > 0);
  }

  /** Nothing that was read is compared from now on. */
  end(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#watch.states.end(this.#mark);
    this.#watch.confirmed();
  }

  #readSet(): ReadSet {
    const set = new ReadSet();
    for (const add of this.#read) add(set, this.#mark.commit);
    return set;
  }

  #depends(add: (reads: ReadSet, since: number) => void): void {
    if (this.#open) this.#read.push(add);
  }

  override node(id: string): Promise<GraphNode | undefined> {
    this.#depends((reads, since) => {
      reads.node(id, since);
    });
    return super.node(id);
  }

  override nodes(ids: readonly string[]): Promise<(GraphNode | undefined)[]> {
    this.#depends((reads, since) => {
      for (const id of ids) reads.node(id, since);
    });
    return super.nodes(ids);
  }

  override relationship(id: string): Promise<GraphRelationship | undefined> {
    this.#depends((reads, since) => {
      reads.relationship(id, since);
    });
    return super.relationship(id);
  }

  override async find<Q extends Query>(query: Q): Promise<EntityOf<Q>[]> {
    const found = await super.find(query);
    this.#depends((reads, since) => {
      reads.list(query, since)(found);
    });
    return found;
  }

  override async *stream<Q extends Query>(query: Q): AsyncGenerator<EntityOf<Q>[]> {
    const found: GraphEntity[] = [];
    this.#depends((reads, since) => {
      const tell = reads.list(query, since);
      if (found.length < MOST_FOUND) tell(found);
    });
    this.#streams++;
    for await (const batch of super.stream(query)) {
      if (this.#open && found.length < MOST_FOUND) found.push(...batch);
      yield batch;
    }
    this.#streams--;
  }

  override count(query: Query, limit?: number): Promise<CountResult> {
    this.#depends((reads, since) => {
      reads.list(query, since, true);
    });
    return super.count(query, limit);
  }

  override async related(ids: readonly string[], step: Step, limit?: number): Promise<GraphNode[][]> {
    const found = await super.related(ids, step, limit);
    this.#walked(ids, step, found.flat());
    return found;
  }

  override async links(
    ids: readonly string[],
    step: Step,
    limit?: number,
  ): Promise<{ relationship: GraphRelationship; node: GraphNode }[][]> {
    const found = await super.links(ids, step, limit);
    const all = found.flat();
    this.#walked(
      ids,
      step,
      all.map(({ node }) => node),
    );
    this.#depends((reads, since) => {
      for (const { relationship } of all) reads.relationship(relationship.id, since);
    });
    return found;
  }

  #walked(ids: readonly string[], step: Step, found: readonly GraphNode[]): void {
    this.#depends((reads, since) => {
      for (const id of ids) reads.links(id, step.relType, step.direction, since);
      reads.rule(narrowed(step.access, step.types), since);
      for (const { id } of found) reads.node(id, since);
    });
  }

  override relTypes(id: string, direction: Step['direction']): Promise<string[]> {
    this.#depends((reads, since) => {
      reads.allLinks(id, direction, since);
    });
    return super.relTypes(id, direction);
  }

  override search(index: string, query: TextQuery, page: { offset: number; limit: number }): Promise<TextMatch[]> {
    this.#dependsOnAll();
    return super.search(index, query, page);
  }

  override permitted(nodes: readonly GraphNode[], rule: AccessRule): Promise<boolean[]> {
    this.#depends((reads, since) => {
      reads.rights(
        nodes.filter((node) => !allowsItself(node, rule)),
        rule,
        since,
      );
    });
    return super.permitted(nodes, rule);
  }

  override cypher(statement: CypherStatement): Promise<CypherResult> {
    this.#dependsOnAll();
    return super.cypher(statement);
  }

  #dependsOnAll(): void {
    this.#depends((reads, since) => {
      reads.everything(since);
    });
  }
}
