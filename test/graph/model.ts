/** A graph of plain Maps that says what the answers are: slow, small and obviously right. */
import type {
  Change,
  GraphEntity,
  GraphNode,
  GraphRelationship,
  NodeQuery,
  Predicate,
  PropertyChanges,
  PropertyMap,
  ScalarValue,
  SortKey,
  Step,
  StoredValue,
} from '../../src/main/graph/index.js';

/** Order of kinds: numbers, texts, Booleans, arrays, missing. */
function rank(value: StoredValue | undefined): number {
  if (value === undefined) return 4;
  if (typeof value === 'object') return 3;
  return typeof value === 'string' ? 1 : typeof value === 'boolean' ? 2 : 0;
}

function compare(a: StoredValue | undefined, b: StoredValue | undefined): number {
  const kind = rank(a);
  if (kind !== rank(b)) return kind - rank(b);
  if (kind >= 3) return 0;
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  const [x, y] = [a as number | boolean | bigint, b as number | boolean | bigint];
  return x < y ? -1 : x > y ? 1 : 0;
}

function equal(a: StoredValue | undefined, b: StoredValue | undefined): boolean {
  if (typeof a === 'object' && typeof b === 'object') {
    return a.length === b.length && a.every((item, i) => equal(item, b[i]));
  }
  return rank(a) < 3 && rank(a) === rank(b) && compare(a, b) === 0;
}

export class Model {
  #nodes = new Map<string, GraphNode>();
  #rels = new Map<string, GraphRelationship>();
  /** Order of creation. */
  #order = new Map<string, number>();
  #next = 1;
  changes: Change[] = [];

  snapshot(): () => void {
    const [nodes, rels, order, changes] = [
      new Map(this.#nodes),
      new Map(this.#rels),
      new Map(this.#order),
      [...this.changes],
    ];
    return () => {
      this.#nodes = nodes;
      this.#rels = rels;
      this.#order = order;
      this.changes = changes;
    };
  }

  node(id: string): GraphNode | undefined {
    return this.#nodes.get(id);
  }

  createNode(id: string, type: string, properties: PropertyMap): boolean {
    if (this.#nodes.has(id)) return false;
    const entity: GraphNode = { kind: 'node', id, type, properties };
    this.#nodes.set(id, entity);
    this.#order.set(id, this.#next++);
    this.changes.push({ verb: 'create', entity });
    return true;
  }

  update(id: string, changes: PropertyChanges): boolean {
    const before: GraphEntity | undefined = this.#nodes.get(id) ?? this.#rels.get(id);
    if (before === undefined) return false;
    // Without a prototype: `__proto__` is a key like any other.
    const properties = Object.assign(Object.create(null) as object, before.properties) as Record<string, StoredValue>;
    const changed: string[] = [];
    for (const [key, value] of Object.entries(changes)) {
      if (value === null ? !(key in properties) : key in properties && equal(properties[key], value)) continue;
      if (value === null) Reflect.deleteProperty(properties, key);
      else properties[key] = value;
      changed.push(key);
    }
    const entity: GraphEntity = { ...before, properties };
    if (entity.kind === 'node') this.#nodes.set(id, entity);
    else this.#rels.set(id, entity);
    for (const key of changed) {
      this.changes.push({
        verb: 'change',
        entity,
        key,
        previous: before.properties[key] ?? null,
        value: changes[key] ?? null,
      });
    }
    return true;
  }

  setType(id: string, type: string): boolean {
    const before = this.#nodes.get(id);
    if (before === undefined) return false;
    if (before.type === type) return true;
    const entity = { ...before, type };
    this.#nodes.set(id, entity);
    this.changes.push({ verb: 'change', entity, key: 'type', previous: before.type, value: type });
    return true;
  }

  deleteNode(id: string): boolean {
    const entity = this.#nodes.get(id);
    if (entity === undefined) return false;
    for (const rel of [...this.#rels.values()]) {
      if (rel.sourceId === id || rel.targetId === id) this.unlink(rel.id);
    }
    this.#nodes.delete(id);
    this.#order.delete(id);
    this.changes.push({ verb: 'delete', entity });
    return true;
  }

  link(id: string, relType: string, sourceId: string, targetId: string): boolean {
    if (this.#rels.has(id) || !this.#nodes.has(sourceId) || !this.#nodes.has(targetId)) return false;
    const entity: GraphRelationship = {
      kind: 'relationship',
      id,
      type: `X${relType}`,
      relType,
      sourceId,
      targetId,
      properties: {},
    };
    this.#rels.set(id, entity);
    this.changes.push({ verb: 'link', entity });
    return true;
  }

  unlink(id: string): boolean {
    const entity = this.#rels.get(id);
    if (entity === undefined) return false;
    this.#rels.delete(id);
    this.changes.push({ verb: 'unlink', entity });
    return true;
  }

  /** Ids at the other end, in the order they were linked (a Map keeps the order of insertion). */
  related(id: string, step: Step): string[] {
    const found: string[] = [];
    for (const rel of this.#rels.values()) {
      const [near, far] = step.direction === 'out' ? [rel.sourceId, rel.targetId] : [rel.targetId, rel.sourceId];
      if (rel.relType !== step.relType || near !== id) continue;
      if (step.types?.includes(this.#nodes.get(far)?.type ?? '') ?? true) found.push(far);
    }
    return found;
  }

  find(query: NodeQuery): string[] {
    const from = query.from === undefined ? undefined : new Set(this.related(query.from.id, query.from.step));
    const found = [...this.#nodes.values()].filter(
      (node) =>
        (query.types?.includes(node.type) ?? true) &&
        (from?.has(node.id) ?? true) &&
        (query.where === undefined || this.#matches(node, query.where)),
    );
    const sort: readonly SortKey[] = query.sort ?? [];
    const ties = sort[sort.length - 1]?.descending === true ? -1 : 1;
    found.sort((a, b) => {
      for (const key of sort) {
        const order = compare(valueOf(a, key.key), valueOf(b, key.key));
        if (order !== 0) return key.descending === true ? -order : order;
      }
      return ties * ((this.#order.get(a.id) ?? 0) - (this.#order.get(b.id) ?? 0));
    });
    return found.map((node) => node.id);
  }

  #matches(node: GraphNode, p: Predicate): boolean {
    switch (p.op) {
      case 'and':
        return p.terms.every((term) => this.#matches(node, term));
      case 'or':
        return p.terms.some((term) => this.#matches(node, term));
      case 'not':
        return !this.#matches(node, p.term);
      case 'relatedNone':
        return this.related(node.id, p.step).length === 0;
      case 'relatedAll':
        return p.ids.every((id) => this.related(node.id, p.step).includes(id));
      case 'relatedExactly': {
        const [have, want] = [new Set(this.related(node.id, p.step)), new Set(p.ids)];
        return have.size === want.size && [...want].every((id) => have.has(id));
      }
      case 'relatedSome':
        return this.related(node.id, p.step).some((id) => {
          const other = this.#nodes.get(id);
          return other !== undefined && this.#matches(other, p.where);
        });
      case 'distance':
        return false;
      default:
        return matchesValue(valueOf(node, p.key), p);
    }
  }
}

function valueOf(node: GraphNode, key: string): StoredValue | undefined {
  return key === 'id' ? node.id : key === 'type' ? node.type : node.properties[key];
}

function matchesValue(
  value: StoredValue | undefined,
  p: Exclude<
    Predicate,
    { op: 'and' | 'or' | 'not' | 'distance' | 'relatedNone' | 'relatedAll' | 'relatedExactly' | 'relatedSome' }
  >,
): boolean {
  switch (p.op) {
    case 'equals':
      return equal(value, p.value) || (p.orNull === true && value === undefined);
    case 'in':
      return p.values.some((one) => equal(value, one));
    case 'isNull':
      return value === undefined;
    case 'isEmpty':
      return value === undefined || value === '' || (typeof value === 'object' && value.length === 0);
    case 'contains':
    case 'startsWith':
    case 'endsWith': {
      if (typeof value !== 'string') return false;
      const [text, wanted] = p.ignoreCase === true ? [value.toLowerCase(), p.value.toLowerCase()] : [value, p.value];
      return p.op === 'contains'
        ? text.includes(wanted)
        : p.op === 'startsWith'
          ? text.startsWith(wanted)
          : text.endsWith(wanted);
    }
    case 'range': {
      const below = (bound: ScalarValue, exclusive: boolean | undefined, sign: number): boolean => {
        if (rank(value) !== rank(bound)) return false;
        const order = sign * compare(value, bound);
        return exclusive === true ? order > 0 : order >= 0;
      };
      if (value === undefined) return false;
      return (
        (p.from === undefined || below(p.from, p.fromExclusive, 1)) &&
        (p.to === undefined || below(p.to, p.toExclusive, -1))
      );
    }
    case 'arrayEquals':
      return typeof value === 'object' && equal(value, p.values);
    case 'arrayContains':
      if (typeof value !== 'object') return false;
      return p.partial === true
        ? value.some((one) => typeof one === 'string' && one.toLowerCase().includes(String(p.value).toLowerCase()))
        : value.some((one) => equal(one, p.value));
  }
}
