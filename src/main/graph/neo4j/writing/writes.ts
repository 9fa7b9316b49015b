/** The write half of a transaction. Creating and changing is gathered (pending.ts), everything else sent at once. */
import type { CypherResult, CypherStatement } from '../../cypher.js';
import { GraphError } from '../../errors.js';
import type { NewNode, NewRelationship, WriteTransaction } from '../../graph.js';
import type { EntityOf, Query } from '../../query.js';
import type { Change, GraphNode, GraphRelationship, PropertyChanges } from '../../types.js';
import type { Step } from '../../access.js';
import { encodeChange, encodeProperties, type RawProperties, storedForm } from '../connection/codec.js';
import { ignored } from '../connection/database.js';
import { changesOf, merged, missing, nulled, overlapping, relink } from './edits.js';
import { nodeOf, relationshipOf } from '../reading/entities.js';
import type { Fresh } from '../connection/fresh.js';
import {
  allLabels,
  CATALOG,
  COMMON,
  META,
  propertyName,
  quoted,
  relationshipLabel,
  SEQUENCE,
} from '../connection/names.js';
import { OwnLinks } from './own-links.js';
import { Pending } from './pending.js';
import { byIds, type ReadContext, Reads } from '../reading/reads.js';
import { listed, type Statement, type Values } from '../connection/statement.js';
import type { Unit } from './unit.js';

/** Whose writes these are. */
export interface WriteContext extends ReadContext {
  readonly unit: Unit;
  readonly fresh: Fresh;
  /** Keys whose values an index may hold. */
  indexed(key: string): boolean;
}

/** Writes gathered at most. */
const MAX_PENDING = 5000;
/** Nodes remembered at most. */
const MAX_KNOWN = 20_000;
/** Nodes looked up by one statement. */
const MAX_EXPECTED = 1000;
const NODE = `MATCH (n:${COMMON} {id: $id})`;
const SOME_NODE = `MATCH (n:${COMMON} {id: id})`;
const RELATIONSHIP = 'properties(r), type(r), startNode(r).id, endNode(r).id';

export class Writes extends Reads implements WriteTransaction {
  readonly #unit: Unit;
  readonly #fresh: Fresh;
  readonly #changes: Change[] = [];
  readonly #pending = new Pending();
  /** Nodes as they are in this transaction; nobody else writes meanwhile. null: there is none. */
  readonly #known = new Map<string, GraphNode | null>();
  readonly #links = new Map<string, GraphRelationship>();
  readonly #own = new OwnLinks();
  /** Properties that changes not yet sent replace. */
  readonly #before = new Map<string, RawProperties>();
  /** What takes back the statements sent so far. */
  readonly #undo: Statement[] = [];
  /** Pairs of the catalog that this transaction adds. */
  readonly newPairs: [string, string][] = [];
  /** `anything`: a statement of somebody else has written, and nobody knows what. */
  unlisted: 'labels' | 'anything' | undefined;
  #depth = 0;
  #gaps = false;

  constructor(protected readonly writing: WriteContext) {
    // Reads see everything written before them.
    const run = async (statement: Statement) => {
      await this.flush();
      return writing.unit.run(statement);
    };
    const raw: WriteContext['raw'] = async (statement) => {
      await this.flush();
      return writing.raw(statement);
    };
    super({ ...writing, run, raw });
    this.#unit = writing.unit;
    this.#fresh = writing.fresh;
  }

  override async node(id: string): Promise<GraphNode | undefined> {
    this.context.check();
    const known = this.#known.get(id);
    if (known !== undefined) return known ?? undefined;
    const found = await super.node(id);
    this.#remember(id, found ?? null);
    return found;
  }

  override async nodes(ids: readonly string[]): Promise<(GraphNode | undefined)[]> {
    this.context.check();
    if (ids.every((id) => this.#known.has(id))) return ids.map((id) => this.#known.get(id) ?? undefined);
    const found = await super.nodes(ids);
    for (const [i, id] of ids.entries()) this.#remember(id, found[i] ?? null);
    return found;
  }

  /** What is gathered of other nodes is gathered on: who links a thousand new ones to ten that are there sends one statement a type. */
  protected override async byIds(ids: readonly string[]): Promise<Values[]> {
    if (ids.some((id) => this.#pending.concerns(id))) await this.flush();
    return this.#unit.run(byIds(ids));
  }

  async expect(ids: readonly string[]): Promise<void> {
    const unknown = ids.filter((id) => !this.#known.has(id));
    for (let at = 0; at < unknown.length; at += MAX_EXPECTED) await this.nodes(unknown.slice(at, at + MAX_EXPECTED));
  }

  override async links(
    ids: readonly string[],
    step: Step,
    limit?: number,
  ): Promise<{ relationship: GraphRelationship; node: GraphNode }[][]> {
    const found = await this.#linked(ids, step, (asked) => super.links(asked, step, limit));
    for (const { relationship, node } of found.flat()) {
      if (this.#links.size >= MAX_KNOWN) this.#links.clear();
      this.#links.set(relationship.id, relationship);
      this.#remember(node.id, node);
    }
    return found;
  }

  override related(ids: readonly string[], step: Step, limit?: number): Promise<GraphNode[][]> {
    return this.#linked(ids, step, (asked) => super.related(asked, step, limit));
  }

  /** Lists of nodes, of which the database is asked for those that may be linked. */
  async #linked<T>(
    ids: readonly string[],
    step: Step,
    ask: (asked: readonly string[]) => Promise<T[][]>,
  ): Promise<T[][]> {
    this.context.check();
    // Decided once: other work of the transaction may link them while the database is asked.
    const leads = ids.map((id) => !this.#own.leadsNowhere(id, step));
    if (!leads.includes(false)) return ask(ids);
    const asked = ids.filter((_, i) => leads[i]);
    const found = asked.length === 0 ? [] : await ask(asked);
    let at = 0;
    return leads.map((one) => (one ? (found[at++] ?? []) : []));
  }

  override async find<Q extends Query>(query: Q): Promise<EntityOf<Q>[]> {
    const found = await super.find(query);
    for (const entity of found) if (entity.kind === 'node') this.#remember(entity.id, entity);
    return found;
  }

  override async relationship(id: string): Promise<GraphRelationship | undefined> {
    this.context.check();
    return this.#links.get(id) ?? super.relationship(id);
  }

  #remember(id: string, node: GraphNode | null): void {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(id, node);
  }

  async createNode(node: NewNode): Promise<GraphNode> {
    this.context.check();
    const id = node.id.toWellFormed();
    if (this.#known.get(id) === undefined && !this.#fresh.isNew(id)) await this.node(id);
    if (this.#known.get(id)) throw new GraphError('already_taken', `There is already a node ${id}.`, id);
    this.#fresh.used(id);
    const properties = storedForm(node.properties);
    const entity: GraphNode = { kind: 'node', id, type: node.type.toWellFormed(), properties };
    const raw = encodeProperties(properties, (key) => this.writing.indexed(key));
    const own = { ...raw, id, type: entity.type, [SEQUENCE]: this.#unit.position() };
    this.#pending.createNode(id, entity.type, own, node.traits);
    this.#remember(id, entity);
    this.#own.made(id);
    this.#changes.push({ verb: 'create', entity });
    await this.#written();
    return entity;
  }

  async updateNode(id: string, changes: PropertyChanges): Promise<GraphNode> {
    const node = await this.#existing(id);
    const next = merged(node.properties, changes);
    if (next === undefined) return node;
    const indexed = (key: string): boolean => this.writing.indexed(key);
    const change = encodeChange(node.properties, next.properties, next.keys, indexed);
    const before = encodeChange(next.properties, node.properties, next.keys, indexed);
    if (next.keys.some((key) => indexed(key) && change[propertyName(key)] === null)) this.#leaveGap();
    // The first change of a key knows what was there.
    this.#before.set(id, { ...nulled(change), ...before, ...this.#before.get(id) });
    this.#pending.changeNode(id, change);
    const entity: GraphNode = { ...node, properties: next.properties };
    this.#remember(id, entity);
    this.#changes.push(...changesOf(entity, node.properties, next.keys));
    await this.#written();
    return entity;
  }

  async setNodeType(id: string, wanted: string, traits: readonly string[] = [wanted]): Promise<GraphNode> {
    const node = await this.#existing(id);
    const type = wanted.toWellFormed();
    if (node.type === type) return node;
    const [row] = await this.context.run({ text: `${NODE} RETURN labels(n)`, params: { id } });
    const before = ((row?.[0] ?? []) as string[]).map((label) => `:${quoted(label)}`).join('');
    const after = allLabels(type, traits);
    const retype = (from: string, to: string, name: string): Statement => ({
      text: `${NODE} REMOVE n${from} SET n${to}, n.type = $type`,
      params: { id, type: name },
    });
    this.#leaveGap();
    await this.#send(retype(before, after, type), retype(after, before, node.type));
    const entity: GraphNode = { ...node, type };
    this.#remember(id, entity);
    this.#changes.push({ verb: 'change', entity, key: 'type', previous: node.type, value: type });
    return entity;
  }

  /** A node that was there before lacks a value from now on (gaps.ts). Sent ahead of what follows. */
  #leaveGap(): void {
    if (this.#gaps) return;
    this.#gaps = true;
    this.#unit.dirty = true;
    const text = `MATCH (m:${META} {name: 'writer'}) SET m.gaps = coalesce(m.gaps, 0) + 1`;
    this.#unit.run({ text, params: {} }).catch(ignored);
  }

  async deleteNode(id: string): Promise<void> {
    this.context.check();
    // Sent together, answered in one round trip.
    const [[row], rows] = await Promise.all([
      this.context.run({ text: `${NODE} RETURN properties(n), labels(n)`, params: { id } }),
      this.context.run({
        text: `${NODE} MATCH (n)-[r]-() WITH DISTINCT r ORDER BY r.${SEQUENCE}, r.id RETURN ${RELATIONSHIP}`,
        params: { id },
      }),
    ]);
    if (row === undefined) throw missing('node', id);
    const undo = rows.map((one) => relink(relationshipOf(one), one[0]));
    const own = (row[1] as string[]).map(quoted).join(':');
    // Put back in reverse: the node, then what was linked to it.
    undo.push({ text: `CREATE (n:${own}) SET n = $raw`, params: { raw: row[0] } });
    await this.#send({ text: `${NODE} DETACH DELETE n`, params: { id } }, ...undo);
    for (const one of rows) this.#unlinked(relationshipOf(one));
    this.#remember(id, null);
    this.#own.gone(id);
    this.#changes.push({ verb: 'delete', entity: nodeOf(row[0]) });
  }

  async deleteNodes(ids: readonly string[]): Promise<void> {
    this.#notWithin();
    const some = `UNWIND $ids.all AS id ${SOME_NODE}`;
    const params = { ids: listed(ids) };
    const [nodes, rows] = await Promise.all([
      this.context.run({ text: `${some} RETURN properties(n)`, params }),
      this.context.run({
        text: `${some} MATCH (n)-[r]-() WITH DISTINCT r ORDER BY r.${SEQUENCE}, r.id RETURN ${RELATIONSHIP}`,
        params,
      }),
    ]);
    await this.#send({ text: `${some} DETACH DELETE n`, params });
    for (const row of rows) this.#unlinked(relationshipOf(row));
    for (const [raw] of nodes) {
      const entity = nodeOf(raw);
      this.#remember(entity.id, null);
      this.#changes.push({ verb: 'delete', entity });
    }
  }

  async deleteRelationships(ids: readonly string[]): Promise<void> {
    this.#notWithin();
    const where = { op: 'in', key: 'id', values: ids } as const;
    const found = await this.find({ kind: 'relationships', where });
    for (const relType of new Set(found.map((one) => one.relType))) {
      const own = found.filter((one) => one.relType === relType).map(({ id }) => id);
      const text = `UNWIND $ids.all AS id MATCH ()-[r:${relationshipLabel(relType)} {id: id}]->() DELETE r`;
      await this.#send({ text, params: { ids: listed(own) } });
    }
    for (const one of found) this.#unlinked(one);
  }

  /** What takes thousands back would be as large as they are. */
  #notWithin(): void {
    this.context.check();
    if (this.#depth > 0) throw new GraphError('invalid_query', 'Many are not deleted within a part of a transaction.');
  }

  #unlinked(entity: GraphRelationship): void {
    this.#links.delete(entity.id);
    this.#changes.push({ verb: 'unlink', entity });
  }

  async createRelationship(relationship: NewRelationship): Promise<GraphRelationship> {
    this.context.check();
    const id = relationship.id.toWellFormed();
    const { sourceId, targetId } = relationship;
    const ends = [sourceId, targetId].filter((end) => this.#known.get(end) === undefined);
    if (ends.length > 0) {
      await this.nodes(ends);
    }
    for (const end of [sourceId, targetId]) if (!this.#known.get(end)) throw missing('node', end);
    if (!this.#fresh.isNew(id) && (await this.relationship(id)) !== undefined) {
      throw new GraphError('already_taken', `There is already a relationship ${id}.`, id);
    }
    this.#fresh.used(id);
    const type = relationship.type.toWellFormed();
    const relType = relationship.relType.toWellFormed();
    await this.#catalogued(type, relType);
    const properties = storedForm(relationship.properties);
    const entity: GraphRelationship = { kind: 'relationship', id, type, relType, sourceId, targetId, properties };
    const raw = { ...encodeProperties(properties, () => false), id, type, [SEQUENCE]: this.#unit.position() };
    this.#pending.link({ id, relType, source: sourceId, target: targetId, raw });
    this.#links.set(id, entity);
    this.#own.linked(entity);
    this.#changes.push({ verb: 'link', entity });
    await this.#written();
    return entity;
  }

  async #catalogued(type: string, relType: string): Promise<void> {
    const { catalog } = this.writing;
    if (catalog.isStored(type, relType) || this.newPairs.some(([a, b]) => a === type && b === relType)) return;
    catalog.note(type, relType);
    this.newPairs.push([type, relType]);
    // Stays when a savepoint is undone: that a pair is listed says only that there may be such relationships.
    this.#unit.dirty = true;
    await this.#unit.run({ text: `MERGE (c:${CATALOG} {type: $type, relType: $relType})`, params: { type, relType } });
  }

  async updateRelationship(id: string, changes: PropertyChanges): Promise<GraphRelationship> {
    const relationship = await this.#existingRelationship(id);
    const next = merged(relationship.properties, changes);
    if (next === undefined) return relationship;
    const change = encodeChange(relationship.properties, next.properties, next.keys, () => false);
    const before = encodeChange(next.properties, relationship.properties, next.keys, () => false);
    const text = `MATCH ()-[r:${relationshipLabel(relationship.relType)} {id: $id}]->() SET r += $raw`;
    const back = { ...nulled(change), ...before };
    await this.#send({ text, params: { id, raw: change } }, { text, params: { id, raw: back } });
    const entity: GraphRelationship = { ...relationship, properties: next.properties };
    if (this.#links.has(id)) this.#links.set(id, entity);
    this.#changes.push(...changesOf(entity, relationship.properties, next.keys));
    return entity;
  }

  async deleteRelationship(id: string): Promise<void> {
    const relationship = await this.#existingRelationship(id);
    const match = `MATCH ()-[r:${relationshipLabel(relationship.relType)} {id: $id}]->()`;
    const undo: Statement[] = [];
    if (this.#depth > 0) {
      const [row] = await this.context.run({ text: `${match} RETURN properties(r)`, params: { id } });
      undo.push(relink(relationship, row?.[0]));
    }
    await this.#send({ text: `${match} DELETE r`, params: { id } }, ...undo);
    this.#unlinked(relationship);
  }

  async cypherWrite(statement: CypherStatement): Promise<CypherResult> {
    this.context.check();
    if (this.#depth > 0) {
      throw new GraphError('invalid_query', 'A statement that writes cannot be taken back as a part of a transaction.');
    }
    await this.flush();
    this.#leaveGap();
    this.unlisted = 'anything';
    try {
      return await this.cypher(statement);
    } finally {
      this.#forget();
    }
  }

  async setLabels(id: string, add: readonly string[], remove: readonly string[]): Promise<void> {
    await this.#existing(id);
    const [row] = await this.context.run({ text: `${NODE} RETURN labels(n)`, params: { id } });
    const before = new Set((row?.[0] ?? []) as string[]);
    const fresh = add.filter((label) => !before.has(label));
    const gone = remove.filter((label) => before.has(label));
    const of = (verb: string, labels: readonly string[]): string =>
      labels.length === 0 ? '' : ` ${verb} n${labels.map((label) => `:${quoted(label)}`).join('')}`;
    if (fresh.length + gone.length === 0) return;
    this.unlisted ??= 'labels';
    await this.#send(
      { text: `${NODE}${of('SET', fresh)}${of('REMOVE', gone)}`, params: { id } },
      { text: `${NODE}${of('SET', gone)}${of('REMOVE', fresh)}`, params: { id } },
    );
  }

  /** Neo4j has no savepoints: what was sent since is taken back by statements that do the opposite. */
  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    this.context.check();
    await this.flush();
    const level = ++this.#depth;
    const mark = { changes: this.#changes.length, undo: this.#undo.length };
    let value: T;
    try {
      value = await work();
      if (!this.#unit.ended && this.#depth !== level) throw overlapping();
    } catch (error) {
      if (!this.#unit.ended) {
        if (this.#depth !== level) throw overlapping();
        this.#depth--;
        this.#forget();
        for (const statement of this.#undo.splice(mark.undo).reverse()) await this.#unit.run(statement);
        this.#changes.length = mark.changes;
      }
      throw error;
    }
    this.context.check();
    this.#depth--;
    // Nobody can go back any more.
    if (this.#depth === 0) this.#undo.length = 0;
    return value;
  }

  #forget(): void {
    this.#pending.clear();
    this.#before.clear();
    this.#known.clear();
    this.#links.clear();
    this.#own.clear();
  }

  changes(): readonly Change[] {
    return this.#changes;
  }

  async #written(): Promise<void> {
    if (this.#pending.size >= MAX_PENDING) await this.flush();
  }

  /** Sends what is gathered, all statements at once. */
  async flush(): Promise<void> {
    if (this.#pending.size === 0) return;
    this.#unit.dirty = true;
    const statements = this.#pending.statements();
    if (this.#depth > 0) this.#undo.push(...this.#pending.undo(this.#before).reverse());
    this.#pending.clear();
    this.#before.clear();
    const results = await Promise.allSettled(statements.map(({ statement }) => this.#unit.run(statement)));
    for (const [i, result] of results.entries()) {
      // The first error is the reason of all later ones.
      if (result.status === 'rejected') throw result.reason;
      if (Number(result.value[0]?.[0]) !== statements[i]?.rows) {
        const reason = new GraphError('unavailable', 'Another client of the database removed what was being written.');
        this.#unit.end(reason);
        throw reason;
      }
    }
  }

  /** `undo` in the reverse of the order to run it. */
  async #send(statement: Statement, ...undo: Statement[]): Promise<void> {
    await this.flush();
    this.#unit.dirty = true;
    if (this.#depth > 0) this.#undo.push(...undo);
    await this.#unit.run(statement);
  }

  async #existing(id: string): Promise<GraphNode> {
    const found = await this.node(id);
    if (found === undefined) throw missing('node', id);
    return found;
  }

  async #existingRelationship(id: string): Promise<GraphRelationship> {
    const found = await this.relationship(id);
    if (found === undefined) throw missing('relationship', id);
    return found;
  }
}
