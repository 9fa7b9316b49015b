/**
 * A transaction that gathers: its writes change nothing but its overlay, its reads show them over what is committed, and what it
 * has read is remembered.
 */
import { ALLOWED, type AccessRule, allowsItself, narrowed, OWNS, type Step } from '../access.js';
import type { CypherResult, CypherStatement } from '../cypher.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import { GraphError } from '../errors.js';
import type { NewNode, NewRelationship, TextMatch, WriteTransaction } from '../graph.js';
import { isUnused } from '../ids.js';
import type { CountResult, EntityOf, Query } from '../query.js';
import type { TextQuery } from '../text/text-query.js';
import type { Change, GraphNode, GraphRelationship, PropertyChanges } from '../types.js';
import { known } from './delegation.js';
import { countMerged, findMerged } from './own-writes/merging.js';
import { Overlay, type Restore } from './own-writes/overlay.js';
import { ReadSet } from './read-set.js';
import type { Gathered, GatheringHost } from './gathered.js';

/** Relationships of a node that is deleted; one with more is left to the engine. */
const MOST_LINKS = 100_000;
const BATCH = 256;

interface Link {
  readonly relationship: GraphRelationship;
  readonly node: GraphNode;
}

export class Gathering implements Omit<WriteTransaction, 'savepoint'>, Gathered {
  readonly overlay = new Overlay();
  readonly reads = new ReadSet();
  /** Nodes that were found where only counts that they are there. */
  readonly #seen = new Set<string>();

  constructor(readonly host: GatheringHost) {}

  async node(id: string): Promise<GraphNode | undefined> {
    const own = this.overlay.nodes.get(id);
    if (own !== undefined) return own.now;
    this.reads.node(id, this.host.committed);
    const found = await this.host.read((tx) => tx.node(id));
    // Something may have been written meanwhile.
    const later = this.overlay.nodes.get(id);
    return later === undefined ? found : later.now;
  }

  async nodes(ids: readonly string[]): Promise<(GraphNode | undefined)[]> {
    for (const id of ids) if (!this.overlay.nodes.has(id)) this.reads.node(id, this.host.committed);
    const found = await this.host.read((tx) => tx.nodes(ids));
    if (this.overlay.isEmpty) return found;
    return found.map((node, i) => this.#latest(ids[i] ?? '', node));
  }

  /** Also of one that is deleted here. */
  async typeOf(id: string): Promise<string | undefined> {
    const own = this.overlay.nodes.get(id);
    if (own !== undefined) return (own.now ?? own.before)?.type;
    this.reads.presence(id, this.host.committed);
    return (await this.host.read((tx) => tx.node(id)))?.type;
  }

  #latest(id: string, node: GraphNode | undefined): GraphNode | undefined {
    const own = this.overlay.nodes.get(id);
    return own === undefined ? node : own.now;
  }

  async relationship(id: string): Promise<GraphRelationship | undefined> {
    const own = this.overlay.relationships.get(id);
    if (own !== undefined) return own.now;
    this.reads.relationship(id, this.host.committed);
    const found = await this.host.read((tx) => tx.relationship(id));
    const later = this.overlay.relationships.get(id);
    return later === undefined ? found : later.now;
  }

  find<Q extends Query>(query: Q): Promise<EntityOf<Q>[]> {
    return findMerged(this, query);
  }

  /** In batches, but gathered whole: while nothing is written, pages would have to be read one by one. */
  async *stream<Q extends Query>(query: Q): AsyncGenerator<EntityOf<Q>[]> {
    const found = await this.find(query);
    for (let at = 0; at < found.length; at += BATCH) yield found.slice(at, at + BATCH);
  }

  count(query: Query, limit?: number): Promise<CountResult> {
    return countMerged(this, query, limit);
  }

  async related(ids: readonly string[], step: Step, limit?: number): Promise<GraphNode[][]> {
    if (!this.overlay.isEmpty) {
      return (await this.links(ids, step, limit)).map((list) => list.map(({ node }) => node));
    }
    const since = this.#walks(ids, step);
    const found = await this.host.read((tx) => tx.related(ids, step, limit));
    for (const list of found) for (const node of list) this.reads.node(node.id, since);
    return found;
  }

  async links(ids: readonly string[], step: Step, limit?: number): Promise<Link[][]> {
    const { overlay } = this;
    const { access, types } = step;
    if (overlay.retypes || (access !== undefined && overlay.touchesRights(access))) {
      return this.host.whatIf(
        (since) => this.#walks(ids, step, since),
        (tx) => tx.links(ids, step, limit),
      );
    }
    const since = this.#walks(ids, step);
    const own = ids.map((id) => overlay.linksOf(id, step));
    const gone = own.reduce((most, one) => Math.max(most, one.gone), 0);
    const most = limit === undefined ? undefined : limit + gone;
    const found = await this.host.read((tx) => tx.links(ids, step, most));
    for (const list of found) for (const { node } of list) this.reads.node(node.id, since);
    if (overlay.isEmpty) return found;
    const lists: Link[][] = [];
    for (const [i, list] of found.entries()) {
      const merged = list.flatMap((link) => this.#latestLink(link));
      const made: Link[] = [];
      for (const relationship of own[i]?.made ?? []) {
        const far = step.direction === 'out' ? relationship.targetId : relationship.sourceId;
        const node = await this.node(far);
        if (node !== undefined && (types === undefined || types.includes(node.type))) made.push({ relationship, node });
      }
      const visible =
        access === undefined || made.length === 0
          ? undefined
          : await this.permitted(
              made.map(({ node }) => node),
              access,
            );
      merged.push(...(visible === undefined ? made : made.filter((_, at) => visible[at] === true)));
      lists.push(limit === undefined ? merged : merged.slice(0, limit));
    }
    return lists;
  }

  /** Remembers that these links are read; answers since when. */
  #walks(ids: readonly string[], step: Step, since = this.host.committed): number {
    for (const id of ids) {
      if (!this.overlay.isFresh(id)) this.reads.links(id, step.relType, step.direction, since);
    }
    this.reads.rule(narrowed(step.access, step.types), since);
    return since;
  }

  #latestLink({ relationship, node }: Link): Link[] {
    const own = this.overlay.relationships.get(relationship.id);
    const [now, far] = [own === undefined ? relationship : own.now, this.#latest(node.id, node)];
    // One made anew with the same id comes with those that were made here.
    return now === undefined || far === undefined || own?.fresh === true ? [] : [{ relationship: now, node: far }];
  }

  async relTypes(id: string, direction: Step['direction']): Promise<string[]> {
    const made = new Set<string>();
    for (const { before, now, fresh } of this.overlay.relationshipsAt(id, direction)) {
      const one = now ?? before;
      if ((direction === 'out' ? one?.sourceId : one?.targetId) !== id) continue;
      if (before !== undefined && (now === undefined || fresh)) {
        return this.host.whatIf(
          (since) => {
            this.reads.allLinks(id, direction, since);
          },
          (tx) => tx.relTypes(id, direction),
        );
      }
      if (fresh && now !== undefined) made.add(now.relType);
    }
    this.reads.allLinks(id, direction, this.host.committed);
    const found = await this.host.read((tx) => tx.relTypes(id, direction));
    return [...new Set([...found, ...made])];
  }

  search(index: string, query: TextQuery, page: { offset: number; limit: number }): Promise<TextMatch[]> {
    if (!this.overlay.isEmpty) {
      return this.host.whatIf(
        (since) => {
          this.reads.everything(since);
        },
        (tx) => tx.search(index, query, page),
      );
    }
    this.reads.everything(this.host.committed);
    return this.host.read((tx) => tx.search(index, query, page));
  }

  /** Nobody knows what of the graph a statement of somebody else looks at. */
  cypher(statement: CypherStatement): Promise<CypherResult> {
    if (this.overlay.isEmpty) {
      this.reads.everything(this.host.committed);
      return this.host.read((tx) => known(tx.cypher?.(statement)));
    }
    return this.host.whatIf(
      (since) => {
        this.reads.everything(since);
      },
      (tx) => known(tx.cypher?.(statement)),
    );
  }

  /** Nor what it would do. */
  cypherWrite(statement: CypherStatement): Promise<CypherResult> {
    return this.host.directly((tx) => known(tx.cypherWrite?.(statement)));
  }

  async setLabels(id: string, add: readonly string[], remove: readonly string[]): Promise<void> {
    await this.#present(id);
    this.overlay.setLabels(id, add, remove);
  }

  async permitted(nodes: readonly GraphNode[], rule: AccessRule): Promise<boolean[]> {
    const { overlay } = this;
    const old = nodes.filter((node) => !allowsItself(node, rule) && !overlay.isFresh(node.id));
    this.reads.rights(old, rule, this.host.committed);
    if (overlay.isEmpty) return this.host.read((tx) => tx.permitted(nodes, rule));
    const own = nodes.map((node) => (overlay.isFresh(node.id) ? this.#mayOwn(node, rule) : false));
    if (own.includes(undefined) || (old.length > 0 && overlay.touchesRights(rule))) {
      return this.host.whatIf(
        (since) => {
          this.reads.rights(old, rule, since);
          // How it comes to be allowed is not known.
          if (own.includes(undefined)) this.reads.rule(rule, since);
        },
        (tx) => tx.permitted(nodes, rule),
      );
    }
    const known = await this.host.read((tx) => tx.permitted(nodes, rule));
    return nodes.map((node, i) => (overlay.isFresh(node.id) ? own[i] === true : known[i] === true));
  }

  /** Whether a node that was made here is allowed; undefined: the way of others may lead to it. */
  #mayOwn(node: GraphNode, rule: AccessRule): boolean | undefined {
    if (allowsItself(node, rule)) return true;
    for (const { relType, sourceId, properties } of this.overlay.grantsOn(node.id)) {
      if (!rule.principals.includes(sourceId)) continue;
      const allowed = properties[ALLOWED];
      if (relType === OWNS || (Array.isArray(allowed) && allowed.includes(rule.right))) return true;
    }
    return narrowed(rule, [node.type])?.propagation === undefined ? false : undefined;
  }

  async createNode(node: NewNode): Promise<GraphNode> {
    const own = this.overlay.nodes.get(node.id);
    const there = own === undefined && isUnused(node.id) ? undefined : await this.node(node.id);
    if (there !== undefined || this.overlay.nodes.get(node.id)?.now !== undefined) throw taken('node', node.id);
    return this.overlay.createNode(node);
  }

  async updateNode(id: string, changes: PropertyChanges): Promise<GraphNode> {
    return this.overlay.updateNode(await this.#existing(id), changes);
  }

  async setNodeType(id: string, type: string, traits?: readonly string[]): Promise<GraphNode> {
    return this.overlay.setNodeType(await this.#existing(id), type, traits);
  }

  async deleteNode(id: string): Promise<void> {
    const node = await this.#existing(id);
    const relationships = new Map<string, GraphRelationship>();
    if (!this.overlay.isFresh(id)) {
      const since = this.host.committed;
      this.reads.allLinks(id, 'out', since);
      this.reads.allLinks(id, 'in', since);
      const limit = MOST_LINKS;
      const slice = new TimeSlice();
      const found = await this.host.read(async (tx) => [
        await tx.find({ kind: 'relationships', sourceId: id, limit }),
        await tx.find({ kind: 'relationships', targetId: id, limit }),
      ]);
      if (found.some(({ length }) => length >= MOST_LINKS)) return this.host.directly((tx) => tx.deleteNode(id));
      for (const one of found.flat()) {
        if (slice.due) await slice.pause();
        const own = this.overlay.relationships.get(one.id);
        const now = own === undefined ? one : own.now;
        if (now !== undefined) relationships.set(one.id, now);
      }
    }
    for (const direction of ['out', 'in'] as const) {
      for (const { now } of this.overlay.relationshipsAt(id, direction)) {
        if (now?.sourceId === id || now?.targetId === id) relationships.set(now.id, now);
      }
    }
    const links = [...relationships.values()];
    const slice = new TimeSlice();
    for (const one of links) {
      if (slice.due) await slice.pause();
      this.overlay.unlinkWithNode(one);
    }
    this.overlay.deleteNode(node, links);
  }

  async createRelationship(relationship: NewRelationship): Promise<GraphRelationship> {
    const { id, sourceId, targetId } = relationship;
    for (const end of [sourceId, targetId]) await this.#present(end);
    const own = this.overlay.relationships.get(id);
    const there = own === undefined && isUnused(id) ? undefined : await this.relationship(id);
    if (there !== undefined) throw taken('relationship', id);
    return this.overlay.createRelationship(relationship);
  }

  async updateRelationship(id: string, changes: PropertyChanges): Promise<GraphRelationship> {
    return this.overlay.updateRelationship(await this.#existingRelationship(id), changes);
  }

  async deleteRelationship(id: string): Promise<void> {
    this.overlay.deleteRelationship(await this.#existingRelationship(id));
  }

  changes(): readonly Change[] {
    return this.overlay.changes;
  }

  snapshot(): Restore {
    return this.overlay.snapshot();
  }

  async #existing(id: string): Promise<GraphNode> {
    const node = await this.node(id);
    if (node === undefined) throw missing('node', id);
    return node;
  }

  /** What is in the node does not matter: others may change it meanwhile. */
  async #present(id: string): Promise<void> {
    const own = this.overlay.nodes.get(id);
    if (own !== undefined) {
      if (own.now === undefined) throw missing('node', id);
      return;
    }
    // Who was there holds until the end, or all is done again: the owner of thousands is looked for once.
    if (this.#seen.has(id)) return;
    this.reads.presence(id, this.host.committed);
    if ((await this.host.read((tx) => tx.node(id))) === undefined) throw missing('node', id);
    this.#seen.add(id);
  }

  async #existingRelationship(id: string): Promise<GraphRelationship> {
    const relationship = await this.relationship(id);
    if (relationship === undefined) throw missing('relationship', id);
    return relationship;
  }
}

function missing(kind: string, id: string): GraphError {
  return new GraphError('not_found', `There is no ${kind} ${id}.`, id);
}

function taken(kind: string, id: string): GraphError {
  return new GraphError('already_taken', `There is already a ${kind} ${id}.`, id);
}
