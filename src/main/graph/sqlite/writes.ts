/** The write half of a transaction: rows, index entries, counters and the list of changes, kept together. */
import type { NewNode, NewRelationship, WriteTransaction } from '../graph.js';
import type { GraphNode, GraphRelationship, PropertyChanges } from '../types.js';
import { formOf, storedForm } from './connection/codec.js';
import type { RowEnds } from './indexes/access-table.js';
import { UnitWrites } from './writing/unit-writes.js';
import { merged } from './connection/property-changes.js';
import { idOf, REL_AT, REL_COLUMNS, storedId, storedIn, WIDTH } from './connection/records.js';
import { packNode, packRelationship } from './connection/stamps.js';
import type { Row } from './connection/connection.js';
import { GraphError } from '../errors.js';
import { nextTurn, wholeTurn } from './connection/pace.js';
import { carriesRights } from './indexes/rights.js';
import { type StoredLink } from './writing/pending.js';

/** A node with so many relationships is deleted in parts. */
const TURN = 300;
/** Relationships that are read for a part, and milliseconds that a part of a deletion may keep the loop. */
const PART = 100;
const PART_TIME = 4;
const INSERT_NODE = 'INSERT INTO node(pk,id,type,made,maker,changed,props) VALUES (?,?,?,?,?,?,?)';
const UPDATE = (table: 'node' | 'rel'): string => `UPDATE ${table} SET made=?,maker=?,changed=?,props=? WHERE pk=?`;
const INSERT_REL =
  'INSERT INTO rel(pk,id,type,relType,source,target,made,maker,changed,props) VALUES (?,?,?,?,?,?,?,?,?,?)';
const RELS_OF_NODE = `SELECT ${REL_COLUMNS} FROM
  (SELECT pk FROM rel WHERE source=? UNION SELECT pk FROM rel WHERE target=? ORDER BY pk LIMIT ${String(TURN)}) q
  CROSS JOIN rel r ON r.pk=q.pk CROSS JOIN node a ON a.pk=r.source CROSS JOIN node b ON b.pk=r.target`;
/** How many there are, as far as that matters. */
const HOW_MANY = `SELECT (SELECT count(*) FROM (SELECT 1 FROM rel WHERE source=? LIMIT ${String(TURN)}))
  + (SELECT count(*) FROM (SELECT 1 FROM rel WHERE target=? LIMIT ${String(TURN)}))`;
/** Some of those at one end, in the order of the index: to sort what a hub has for each part would take longer than the part. */
const SOME_RELS = (where: string): string => `SELECT ${REL_COLUMNS} FROM
  (SELECT pk FROM rel WHERE ${where} LIMIT ${String(PART)}) q
  CROSS JOIN rel r ON r.pk=q.pk CROSS JOIN node a ON a.pk=r.source CROSS JOIN node b ON b.pk=r.target`;
/** Those that lead from the node to itself are among the first. */
const SOME_OUT = SOME_RELS('source=?');
const SOME_IN = SOME_RELS('target=? AND source<>target');

/** Nodes that a small transaction deletes at most. */
const MANY = 200;
/** Entities that are deleted by one statement. */
const SOME = 250;
const RELS_BY_ID = `SELECT ${REL_COLUMNS},r.source,b.type,r.target FROM json_each(?) j
  CROSS JOIN rel r ON r.id=${storedIn('j.value')} CROSS JOIN node a ON a.pk=r.source CROSS JOIN node b ON b.pk=r.target`;
const LINKED = `SELECT ${idOf('n')} FROM json_each(?) j CROSS JOIN node n ON n.id=${storedIn('j.value')}
  WHERE EXISTS(SELECT 1 FROM rel WHERE source=n.pk) OR EXISTS(SELECT 1 FROM rel WHERE target=n.pk)`;
const DELETE_SOME = (table: 'node' | 'rel'): string =>
  `DELETE FROM ${table} WHERE pk IN (SELECT value FROM json_each(?))`;

export class Writes extends UnitWrites implements WriteTransaction {
  /** Nodes that were deleted. */
  #deleted = 0;
  readonly #numbers = this.store.names.numbering(this.store.writer);

  /** Deletes what this transaction inserted before it had a savepoint; it has failed and does nothing else any more. */
  protected override readonly takeBack = (): void => {
    const { writer, names, index, texts, access } = this.store;
    for (const change of [...this.unit.unsecured].reverse()) {
      if (change.verb === 'link') {
        const pk = Number(writer.get('SELECT pk FROM rel WHERE id=?', [storedId(change.entity.id)])?.[0]);
        this.#unlink(pk, change.entity);
      } else if (change.verb === 'create') {
        const { entity } = change;
        const pk = Number(writer.get('SELECT pk FROM node WHERE id=?', [storedId(entity.id)])?.[0]);
        writer.run('DELETE FROM node WHERE pk=?', [pk]);
        const type = names.intern(entity.type, writer);
        index.removed(type, pk, entity.properties);
        texts.removed('nodes', entity.type, pk);
        access.removed(type, pk, entity.properties, this.unit.delta);
      }
    }
  };

  async createNode(node: NewNode): Promise<GraphNode> {
    const { properties, text } = formOf(node);
    if (this.store.pace.handled(text.length)) await wholeTurn();
    const ready = this.ready('nodes', node.type);
    if (ready !== undefined) await ready;
    return this.insert(node.id, () => {
      const { writer, names, index, texts, access } = this.store;
      const type = names.intern(node.type, writer);
      const pk = ++this.store.lastRow.node;
      this.insertRow(INSERT_NODE, 'node', node.id, [
        pk,
        storedId(node.id),
        type,
        ...packNode(properties, text, this.#numbers),
      ]);
      const entity: GraphNode = { kind: 'node', id: node.id, type: node.type, properties };
      // Before anything else can fail: taking back goes by it.
      this.unit.changes.push({ verb: 'create', entity });
      index.added(type, pk, properties);
      texts.added('nodes', node.type, pk, properties);
      access.added(type, pk, properties, this.unit.delta);
      this.ends.set(node.id, { pk, type });
      this.unit.delta.add('node', type, 1);
      this.keepNode(pk, undefined, entity, text.length);
      return entity;
    });
  }

  async updateNode(id: string, changes: PropertyChanges): Promise<GraphNode> {
    const ready = this.readyForNode(id);
    if (ready !== undefined) await ready;
    return this.write(id, () => {
      const { writer, names, index, texts, access, columns } = this.store;
      const { pk, node } = this.existing(id);
      const next = merged(node.properties, changes);
      if (next === undefined) return node;
      this.store.pace.handled(next.text.length);
      writer.write(UPDATE('node'), [...packNode(next.properties, next.text, this.#numbers), pk]);
      const type = names.intern(node.type, writer);
      index.changed(type, pk, node.properties, next.properties);
      texts.changed('nodes', node.type, pk, node.properties, next.properties);
      columns.changed(node.type, pk);
      access.changed(type, pk, node.properties, next.properties, this.unit.delta);
      const entity: GraphNode = { kind: 'node', id, type: node.type, properties: next.properties };
      this.keepNode(pk, node, entity, next.text.length);
      this.changed(entity, node.properties, next.properties, next.keys);
      return entity;
    });
  }

  async setNodeType(id: string, type: string): Promise<GraphNode> {
    const ready = this.readyForNode(id);
    if (ready !== undefined) await ready;
    if (this.store.texts.keeps('nodes', type)) await this.store.commit.shown(this.unit);
    return this.write(id, () => {
      const { writer, names, index, texts, access, columns } = this.store;
      const { pk, node } = this.existing(id);
      if (node.type === type) return node;
      const before = names.intern(node.type, writer);
      const after = names.intern(type, writer);
      writer.write('UPDATE node SET type=? WHERE pk=?', [after, pk]);
      this.ends.delete(id);
      access.retyped(pk, before, after, node.properties, this.unit.delta);
      index.removed(before, pk, node.properties);
      index.added(after, pk, node.properties);
      texts.removed('nodes', node.type, pk);
      texts.added('nodes', type, pk, node.properties);
      columns.changed(node.type, pk);
      columns.changed(type, pk);
      this.unit.delta.add('node', before, -1);
      this.unit.delta.add('node', after, 1);
      const entity: GraphNode = { ...node, type };
      this.keepNode(pk, node, entity, storedForm(node.properties).text.length);
      this.unit.changes.push({ verb: 'change', entity, key: 'type', previous: node.type, value: type });
      return entity;
    });
  }

  async deleteNode(id: string, known?: readonly GraphRelationship[]): Promise<void> {
    const { commit } = this.store;
    commit.room?.deleting();
    const ready = this.readyForNode(id);
    if (ready !== undefined) await ready;
    if (this.context.small === true && ++this.#deleted > MANY) throw large();
    const { pk } = this.now(id, () => this.existing(id));
    if (commit.recording && known !== undefined && !this.#inTexts(known)) {
      await this.#deleteWith(id, pk, known);
      return;
    }
    if (commit.recording) {
      const links = this.#allLinks(id, pk);
      if (links !== undefined) {
        await this.write(id, () => {
          for (const one of links) this.#unlink(one.pk, one.relationship);
          this.#remove(id);
        });
        return;
      }
      await commit.shown(this.unit);
    }
    if (this.context.small === true && this.#howMany(pk) >= TURN) throw large();
    // A node may have any number of relationships: few are removed in the order they were linked, many in parts.
    while (this.now(id, () => this.#unlinkSome(pk))) await wholeTurn();
    await this.write(id, () => {
      this.#remove(id);
    });
  }

  /** Deletes a node whose relationships are known, without reading them, while what is written is recorded. */
  async #deleteWith(id: string, pk: number, links: readonly GraphRelationship[]): Promise<void> {
    const { access, commit, names, writer } = this.store;
    /** Nodes whose rights on this one go with it, and those on which it has some. */
    const [holders, held] = [new Set<string>(), new Set<string>()];
    await this.write(id, () => {
      if (links.some(({ sourceId }) => sourceId === id)) writer.write('DELETE FROM rel WHERE source=?', [pk]);
      if (links.some(({ targetId }) => targetId === id)) writer.write('DELETE FROM rel WHERE target=?', [pk]);
    });
    // That is the thread's work for a while, as much as what follows is the loop's.
    if (links.length > TURN) await commit.handPiece(this.unit);
    for (let at = 0; at < links.length; at += PART) {
      const some = links.slice(at, at + PART);
      await this.write(id, () => {
        for (const one of some) {
          const { type, relType, sourceId, targetId } = one;
          if (carriesRights(relType)) {
            if (sourceId === id) held.add(targetId);
            else holders.add(sourceId);
          }
          this.unit.delta.add('rel', names.intern(type, writer), -1);
          this.unit.changes.push({ verb: 'unlink', entity: one });
          this.keepLink(0, one, undefined);
        }
      });
    }
    for (const targetId of held) {
      await this.write(id, () => {
        const { pk: target, type } = this.end(targetId);
        access.holderGone(pk, type, target);
      });
      const ready = commit.ready(this.unit);
      if (ready !== undefined) await ready;
    }
    await this.write(id, () => {
      const type = names.intern(this.existing(id).node.type, writer);
      for (const sourceId of holders) access.holderGone(this.end(sourceId).pk, type, pk);
      this.#remove(id);
    });
  }

  #inTexts(links: readonly GraphRelationship[]): boolean {
    const { texts } = this.store;
    return texts.any && links.some(({ type }) => texts.keeps('relationships', type));
  }

  async deleteNodes(ids: readonly string[]): Promise<void> {
    const { commit, writer } = this.store;
    commit.room?.deleting();
    await commit.shown(this.unit);
    for (let at = 0; at < ids.length; at += SOME) {
      const part = ids.slice(at, at + SOME);
      const linked = new Set(writer.all(LINKED, [JSON.stringify(part)]).map(([id]) => String(id)));
      for (const id of linked) await this.deleteNode(id);
      this.now(undefined, () => {
        const keys: number[] = [];
        for (const id of part) {
          const found = linked.has(id) ? undefined : this.store.node(id, this.unit);
          if (found === undefined) continue;
          this.unit.host.touch(id);
          keys.push(found.pk);
          this.#unindex(found.pk, found.node);
        }
        writer.write(DELETE_SOME('node'), [JSON.stringify(keys)]);
      });
      await nextTurn();
    }
  }

  /** After its relationships. */
  #remove(id: string): void {
    const { pk, node } = this.existing(id);
    this.store.writer.write('DELETE FROM node WHERE pk=?', [pk]);
    this.#unindex(pk, node);
  }

  /** All of a node that goes but for its row. */
  #unindex(pk: number, node: GraphNode): void {
    const { writer, names, index, texts, access, columns } = this.store;
    const type = names.intern(node.type, writer);
    this.ends.delete(node.id);
    index.removed(type, pk, node.properties);
    columns.changed(node.type, pk);
    texts.removed('nodes', node.type, pk);
    access.removed(type, pk, node.properties, this.unit.delta);
    this.unit.delta.add('node', type, -1);
    this.unit.changes.push({ verb: 'delete', entity: node });
    this.keepNode(pk, node, undefined);
  }

  /**
   * The relationships of a node in the order they were linked, while not all of them are on one connection. Undefined: that is for the
   * connection on the loop, as there are many, or they are in full-text indexes.
   */
  #allLinks(id: string, node: number): readonly StoredLink[] | undefined {
    const { store } = this;
    const rows = store.connection(undefined).all(RELS_OF_NODE, [node, node]);
    const written = store.commit.layers(this.unit).linksOf(id);
    if (rows.length === TURN || written.size > TURN) {
      if (this.context.small === true) throw large();
      return undefined;
    }
    const links: StoredLink[] = [];
    for (const row of rows) {
      const relationship = store.relationshipOf(row);
      if (!written.has(relationship.id)) links.push({ pk: Number(row[0]), relationship });
    }
    for (const { now } of written.values()) {
      const ends = [now?.relationship.sourceId, now?.relationship.targetId];
      if (now !== undefined && ends.includes(id)) links.push(now);
    }
    if (links.some(({ relationship }) => store.texts.keeps('relationships', relationship.type))) return undefined;
    return links.sort((a, b) => a.pk - b.pk);
  }

  /** Relationships of a node; of many, some number from `TURN` on. */
  #howMany(pk: number): number {
    return Number(this.store.writer.get(HOW_MANY, [pk, pk])?.[0]);
  }

  /** A part of a node's relationships; whether there may be more. */
  #unlinkSome(pk: number): boolean {
    const { writer } = this.store;
    const unlink = (row: Row): void => this.#unlink(Number(row[0]), this.store.relationshipOf(row));
    if (this.#howMany(pk) < TURN) {
      for (const row of writer.all(RELS_OF_NODE, [pk, pk])) unlink(row);
      return false;
    }
    const end = performance.now() + PART_TIME;
    for (const rows of [writer.all(SOME_OUT, [pk]), writer.all(SOME_IN, [pk])]) {
      for (const row of rows) {
        unlink(row);
        if (performance.now() > end) return true;
      }
    }
    return true;
  }

  async createRelationship(relationship: NewRelationship): Promise<GraphRelationship> {
    const ready = this.ready('relationships', relationship.type);
    if (ready !== undefined) await ready;
    return this.insert(undefined, () => {
      const { writer, names } = this.store;
      const source = this.end(relationship.sourceId).pk;
      const target = this.end(relationship.targetId);
      const type = names.intern(relationship.type, writer);
      const relType = names.intern(relationship.relType, writer);
      const { properties, text } = formOf(relationship);
      const pk = ++this.store.lastRow.rel;
      const row = [
        pk,
        storedId(relationship.id),
        type,
        relType,
        source,
        target.pk,
        ...packRelationship(properties, text, this.#numbers),
      ];
      this.insertRow(INSERT_REL, 'relationship', relationship.id, row);
      const entity: GraphRelationship = {
        kind: 'relationship',
        id: relationship.id,
        type: relationship.type,
        relType: relationship.relType,
        sourceId: relationship.sourceId,
        targetId: relationship.targetId,
        properties,
      };
      this.unit.changes.push({ verb: 'link', entity });
      this.store.access.linked(source, target.type, target.pk, entity);
      this.store.texts.added('relationships', relationship.type, pk, properties);
      this.unit.delta.add('rel', type, 1);
      this.keepLink(pk, undefined, entity);
      return entity;
    });
  }

  async updateRelationship(id: string, changes: PropertyChanges): Promise<GraphRelationship> {
    const ready = this.readyForRelationship(id);
    if (ready !== undefined) await ready;
    return this.write(undefined, () => {
      const { pk, relationship } = this.existingRelationship(id);
      const next = merged(relationship.properties, changes);
      if (next === undefined) return relationship;
      const packed = packRelationship(next.properties, next.text, this.#numbers);
      this.store.writer.write(UPDATE('rel'), [...packed, pk]);
      const entity: GraphRelationship = { ...relationship, properties: next.properties };
      if (carriesRights(entity.relType)) this.store.access.regranted(this.#rowEnds(entity), entity);
      this.keepLink(pk, relationship, entity);
      this.store.texts.changed('relationships', entity.type, pk, relationship.properties, next.properties);
      this.changed(entity, relationship.properties, next.properties, next.keys);
      return entity;
    });
  }

  async deleteRelationship(id: string): Promise<void> {
    this.store.commit.room?.deleting();
    const ready = this.readyForRelationship(id);
    if (ready !== undefined) await ready;
    await this.write(undefined, () => {
      const { pk, relationship } = this.existingRelationship(id);
      this.#unlink(pk, relationship);
    });
  }

  async deleteRelationships(ids: readonly string[]): Promise<void> {
    const { access, commit, names, texts, writer } = this.store;
    commit.room?.deleting();
    await commit.shown(this.unit);
    for (let at = 0; at < ids.length; at += SOME) {
      this.now(undefined, () => {
        const keys: number[] = [];
        const rights = new Map<string, RowEnds>();
        for (const row of writer.all(RELS_BY_ID, [JSON.stringify(ids.slice(at, at + SOME))])) {
          const relationship = this.store.relationshipOf(row);
          const { type, relType } = relationship;
          const [pk, source, targetType, target] = [row[0], ...row.slice(REL_AT + WIDTH)].map(Number) as [
            number,
            number,
            number,
            number,
          ];
          keys.push(pk);
          if (carriesRights(relType))
            rights.set(`${String(source)} ${String(target)}`, { source, type: targetType, target });
          texts.removed('relationships', type, pk);
          this.unit.delta.add('rel', names.intern(type, writer), -1);
          this.unit.changes.push({ verb: 'unlink', entity: relationship });
        }
        writer.write(DELETE_SOME('rel'), [JSON.stringify(keys)]);
        for (const ends of rights.values()) access.unlinked(ends);
      });
      await nextTurn();
    }
  }

  #unlink(pk: number, relationship: GraphRelationship): void {
    const { writer, names } = this.store;
    if (carriesRights(relationship.relType)) this.store.access.unlinking(pk, this.#rowEnds(relationship), relationship);
    this.store.texts.removed('relationships', relationship.type, pk);
    writer.write('DELETE FROM rel WHERE pk=?', [pk]);
    this.unit.delta.add('rel', names.intern(relationship.type, writer), -1);
    this.unit.changes.push({ verb: 'unlink', entity: relationship });
    this.keepLink(pk, relationship, undefined);
  }

  #rowEnds({ sourceId, targetId }: GraphRelationship): RowEnds {
    const { pk: target, type } = this.end(targetId);
    return { source: this.end(sourceId).pk, type, target };
  }
}

function large(): GraphError {
  return new GraphError('large', 'So much is deleted that others are to go on meanwhile.');
}
