/** What views show of related objects, read for many objects at a time. */
import type { GraphNode } from '../../graph/index.js';
import { onlyReadable } from '../model/actor.js';
import { relatedInOrder } from '../model/ordered.js';
import type { RelationProperty } from '../model/relation-property.js';
import type { Property, Type } from '../model/schema.js';
import { relationOf } from '../model/lookup.js';
import type { RenderOptions } from './render-options.js';

/** Related objects by relation and id of the object that shows them. */
export type Loaded = Map<RelationProperty, Map<string, GraphNode[]>>;
export const NOTHING: Loaded = new Map();

/** The relation to read for a property; undefined: none. */
export function relationToRead(
  property: Property,
  type: Type,
  depth: number,
  options: RenderOptions,
): RelationProperty | undefined {
  if (property.kind === 'notion') return relationOf(type, property);
  if (property.kind !== 'relation') return undefined;
  // Lists beyond the nesting depth are written empty whatever they hold.
  const isEmpty = property.notion === undefined && property.isCollection && depth + 1 > options.nestingDepth;
  return isEmpty ? undefined : property;
}

/** Lists, and objects in them, that one answer remembers. */
const MOST = 100_000;

/**
 * What one answer reads of related objects. What is below its objects may be there many times, as the one parent of all of them with all its
 * children: such lists are read once, as far as they are few.
 */
export class RelatedLists {
  readonly #known = new Map<RelationProperty, Map<string, GraphNode[]>>();
  #size = 0;

  constructor(private readonly options: RenderOptions) {}

  /** These relations of these objects (by id), one call a relation. `again`: of objects that may be asked for again. */
  async read(wanted: ReadonlyMap<RelationProperty, readonly string[]>, again: boolean): Promise<Loaded> {
    const loaded: Loaded = new Map();
    for (const [relation, ids] of wanted) {
      const known = this.#known.get(relation);
      const missing = known === undefined ? ids : ids.filter((id) => !known.has(id));
      const byId = new Map<string, GraphNode[]>();
      if (known !== undefined) for (const id of ids) byId.set(id, known.get(id) ?? []);
      const found = missing.length === 0 ? [] : await this.#found(relation, missing);
      for (const [i, id] of missing.entries()) {
        const list = found[i] ?? [];
        byId.set(id, list);
        if (again) this.#keep(relation, id, list);
      }
      loaded.set(relation, byId);
    }
    return loaded;
  }

  #found(relation: RelationProperty, ids: readonly string[]): Promise<GraphNode[][]> {
    const { tx, access, arrayLimit } = this.options;
    const limit = relation.isCollection ? arrayLimit : 1;
    const step = onlyReadable(relation.step, access);
    return relatedInOrder(tx, ids, relation, step, Number.isFinite(limit) ? limit : undefined);
  }

  #keep(relation: RelationProperty, id: string, list: GraphNode[]): void {
    this.#size += 1 + list.length;
    if (this.#size > MOST) {
      this.#known.clear();
      this.#size = 1 + list.length;
      if (this.#size > MOST) return;
    }
    let known = this.#known.get(relation);
    if (known === undefined) this.#known.set(relation, (known = new Map<string, GraphNode[]>()));
    known.set(id, list);
  }
}
