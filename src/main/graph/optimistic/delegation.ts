/** The calls of a write transaction, each of which goes where its reads or its writes go just then. */
import type { AccessRule, Step } from '../access.js';
import type { CypherResult, CypherStatement } from '../cypher.js';
import { GraphError } from '../errors.js';
import type { NewNode, NewRelationship, TextMatch, WriteTransaction } from '../graph.js';
import type { CountResult, EntityOf, Query } from '../query.js';
import type { TextQuery } from '../text/text-query.js';
import type { Change, GraphNode, GraphRelationship, PropertyChanges } from '../types.js';

/** Where calls go; savepoints are a matter of the transaction itself. */
export type Target = Omit<WriteTransaction, 'savepoint'>;

export abstract class Delegation implements WriteTransaction {
  // Only where the engine speaks Cypher.
  cypher?: (statement: CypherStatement) => Promise<CypherResult>;
  cypherWrite?: (statement: CypherStatement) => Promise<CypherResult>;
  setLabels?: (id: string, add: readonly string[], remove: readonly string[]) => Promise<void>;

  constructor(speaksCypher: boolean) {
    if (!speaksCypher) return;
    this.cypher = (statement) => this.reading((tx) => known(tx.cypher?.(statement)));
    this.cypherWrite = (statement) => this.writing((tx) => known(tx.cypherWrite?.(statement)));
    this.setLabels = (...args) => this.writing((tx) => known(tx.setLabels?.(...args)));
  }

  protected abstract reading<T>(work: (tx: Target) => Promise<T>): Promise<T>;
  protected abstract writing<T>(work: (tx: Target) => Promise<T>): Promise<T>;
  /** Where a stream comes from, once that is certain. */
  protected abstract target(): Promise<Target>;
  abstract savepoint<T>(work: () => Promise<T>): Promise<T>;
  abstract changes(): readonly Change[];

  node(id: string): Promise<GraphNode | undefined> {
    return this.reading((tx) => tx.node(id));
  }

  nodes(ids: readonly string[]): Promise<(GraphNode | undefined)[]> {
    return this.reading((tx) => tx.nodes(ids));
  }

  relationship(id: string): Promise<GraphRelationship | undefined> {
    return this.reading((tx) => tx.relationship(id));
  }

  find<Q extends Query>(query: Q): Promise<EntityOf<Q>[]> {
    return this.reading((tx) => tx.find(query));
  }

  async *stream<Q extends Query>(query: Q): AsyncGenerator<EntityOf<Q>[]> {
    yield* (await this.target()).stream(query);
  }

  count(query: Query, limit?: number): Promise<CountResult> {
    return this.reading((tx) => tx.count(query, limit));
  }

  related(ids: readonly string[], step: Step, limit?: number): Promise<GraphNode[][]> {
    return this.reading((tx) => tx.related(ids, step, limit));
  }

  links(
    ids: readonly string[],
    step: Step,
    limit?: number,
  ): Promise<{ relationship: GraphRelationship; node: GraphNode }[][]> {
    return this.reading((tx) => tx.links(ids, step, limit));
  }

  relTypes(id: string, direction: Step['direction']): Promise<string[]> {
    return this.reading((tx) => tx.relTypes(id, direction));
  }

  search(index: string, query: TextQuery, page: { offset: number; limit: number }): Promise<TextMatch[]> {
    return this.reading((tx) => tx.search(index, query, page));
  }

  permitted(nodes: readonly GraphNode[], rule: AccessRule): Promise<boolean[]> {
    return this.reading((tx) => tx.permitted(nodes, rule));
  }

  createNode(node: NewNode): Promise<GraphNode> {
    return this.writing((tx) => tx.createNode(node));
  }

  updateNode(id: string, changes: PropertyChanges): Promise<GraphNode> {
    return this.writing((tx) => tx.updateNode(id, changes));
  }

  setNodeType(id: string, type: string, traits?: readonly string[]): Promise<GraphNode> {
    return this.writing((tx) => tx.setNodeType(id, type, traits));
  }

  deleteNode(id: string, links?: readonly GraphRelationship[]): Promise<void> {
    return this.writing((tx) => tx.deleteNode(id, links));
  }

  createRelationship(relationship: NewRelationship): Promise<GraphRelationship> {
    return this.writing((tx) => tx.createRelationship(relationship));
  }

  updateRelationship(id: string, changes: PropertyChanges): Promise<GraphRelationship> {
    return this.writing((tx) => tx.updateRelationship(id, changes));
  }

  deleteRelationship(id: string): Promise<void> {
    return this.writing((tx) => tx.deleteRelationship(id));
  }
}

/** What the engine beneath can do. */
export function known<T>(answer: Promise<T> | undefined): Promise<T> {
  return answer ?? Promise.reject(new GraphError('invalid_query', 'The database does not speak Cypher.'));
}
