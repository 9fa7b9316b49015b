/**
 * Writes of a transaction that have not been sent. Creating and changing is gathered and sent in a few statements
 * before the next read that could see it, so that writing a thousand objects costs a few round trips.
 */
import type { RawProperties } from '../connection/codec.js';
import { CHUNK, type Counted, creations, type Link, type NewNodeRow } from './creation.js';
import { allLabels, COMMON, relationshipLabel } from '../connection/names.js';
import { listed, type Statement } from '../connection/statement.js';

export class Pending {
  readonly #nodes = new Map<string, NewNodeRow>();
  /** Objects of one type come one after the other, with the same list of traits. */
  #last: { type: string; traits: readonly string[] | undefined; labels: string } | undefined;
  readonly #changes = new Map<string, RawProperties>();
  readonly #links = new Map<string, Link>();

  get size(): number {
    return this.#nodes.size + this.#changes.size + this.#links.size;
  }

  /** Whether something of this node itself is gathered: it is made, or has properties changed. */
  concerns(id: string): boolean {
    return this.#nodes.has(id) || this.#changes.has(id);
  }

  createNode(id: string, type: string, raw: RawProperties, traits?: readonly string[]): void {
    if (this.#last?.type !== type || this.#last.traits !== traits)
      this.#last = { type, traits, labels: allLabels(type, traits ?? [type]) };
    this.#nodes.set(id, { labels: this.#last.labels, raw });
  }

  /** `change` as for `SET n += $map`. */
  changeNode(id: string, change: RawProperties): void {
    const created = this.#nodes.get(id);
    if (created !== undefined) {
      for (const name of Object.keys(change)) {
        if (change[name] === null) Reflect.deleteProperty(created.raw, name);
        else created.raw[name] = change[name];
      }
      return;
    }
    const known = this.#changes.get(id);
    if (known === undefined) this.#changes.set(id, change);
    else Object.assign(known, change);
  }

  link(link: Link): void {
    this.#links.set(link.id, link);
  }

  clear(): void {
    this.#nodes.clear();
    this.#changes.clear();
    this.#links.clear();
  }

  /** What to send, in order; each answers with the number of rows it has written. */
  statements(): Counted[] {
    const { statements: all, rest } = creations(this.#nodes, this.#links.values());
    const add = (text: string, rows: readonly unknown[]): void => {
      for (let at = 0; at < rows.length; at += CHUNK) {
        const part = rows.slice(at, at + CHUNK);
        all.push({ statement: { text, params: { rows: listed(part) } }, rows: part.length });
      }
    };
    const changes = [...this.#changes].map(([id, raw]) => ({ id, raw }));
    add(`UNWIND $rows.all AS row MATCH (n:${COMMON} {id: row.id}) SET n += row.raw RETURN count(*)`, changes);
    for (const [relType, links] of grouped(rest, (link) => link.relType)) {
      const text =
        `UNWIND $rows.all AS row MATCH (a:${COMMON} {id: row.source}) MATCH (b:${COMMON} {id: row.target}) ` +
        `CREATE (a)-[r:${relationshipLabel(relType)}]->(b) SET r = row.raw RETURN count(*)`;
      add(text, links);
    }
    return all;
  }

  /** Statements that take back what `statements` write, in the order to run them. `before`: properties to put back. */
  undo(before: ReadonlyMap<string, RawProperties>): Statement[] {
    const all: Statement[] = [];
    for (const [relType, links] of grouped([...this.#links.values()], (link) => link.relType)) {
      const ids = links.map((link) => link.id);
      const text = `UNWIND $ids.all AS id MATCH ()-[r:${relationshipLabel(relType)} {id: id}]->() DELETE r`;
      all.push({ text, params: { ids: listed(ids) } });
    }
    const rows = [...this.#changes.keys()].map((id) => ({ id, raw: before.get(id) ?? {} }));
    if (rows.length > 0) {
      all.push({
        text: `UNWIND $rows.all AS row MATCH (n:${COMMON} {id: row.id}) SET n += row.raw`,
        params: { rows: listed(rows) },
      });
    }
    if (this.#nodes.size > 0) {
      const ids = [...this.#nodes.keys()];
      all.push({
        text: `UNWIND $ids.all AS id MATCH (n:${COMMON} {id: id}) DETACH DELETE n`,
        params: { ids: listed(ids) },
      });
    }
    return all;
  }
}

function grouped<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}
