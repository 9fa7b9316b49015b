/**
 * What scripts ask of one object they often ask of all that were read with it: rows of a repeater, results of `find()`. So a relation is
 * read for many of them at once, when the second of them is asked for it: for the first alone nobody reads more than he asks for.
 */
import { sizeOfEntity, type GraphEntity, type GraphNode, type ReadTransaction } from '../../graph/index.js';
import {
  isOrdered,
  onlyReadable,
  relatedInOrder,
  type ObjectAccess,
  type RelationProperty,
} from '../../schema/index.js';
import type { ScriptEntity } from '../language/values.js';

/** Objects whose relation is read at once: at first, and at most; each time more, as somebody goes on. */
const FIRST = 64;
const GROWTH = 4;
const MOST = 1000;
/** The same where others commit meanwhile, so that what is read ahead is soon void. */
const CAUTIOUS = 8;
/** Objects of one list; who has more is asked by himself. */
const LONGEST = 50;
/** Objects that one read brings at most. */
const MOST_FOUND = 10_000;
/** Bytes of texts that one read is to bring, going by what the others have brought. */
const BYTES_AT_ONCE = 1024 * 1024;
/** Bytes that a run keeps, about; each object counts as some more than its texts. */
const MOST_BYTES = 16 * 1024 * 1024;
const OF_OBJECT = 100;

/** Objects that were read together: they are asked for together once more. */
export type Together = readonly GraphEntity[];

export interface RelatedList {
  readonly nodes: readonly GraphNode[];
  /** Those with the ones that were read with them. */
  readonly together: Together;
}

/** When it was read: anything that was written since may have changed it. */
interface State {
  /** Changes of the run. */
  readonly changes: number;
  /** Commits of all. */
  readonly commit: number;
}

/** What was read of one relation of objects that were read together. */
interface Ahead extends State {
  /** With whose rights. */
  readonly access: ObjectAccess;
  /** By id; null: so long that it is read by itself. */
  readonly lists: Map<string, RelatedList | null>;
  /** Objects to be read next at most. */
  most: number;
  /** Of all that was read. */
  brought: number;
}

interface Cohort {
  /** By id. */
  readonly places: ReadonlyMap<string, number>;
  readonly relations: Map<RelationProperty, Ahead>;
}

/** Whose objects they are: a run of scripts. */
interface Holder {
  readonly transaction: { readonly changes: number; read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T> };
  readonly parts: { readonly graph: { readonly commitNumber: number } };
}

/** A relation that an object is asked for. */
export interface Wanted {
  readonly relation: RelationProperty;
  readonly access: ObjectAccess;
  /** Objects of a list at most. */
  readonly limit: number;
  /** Whether the type of another one has the same relation there. */
  readonly isOf: (entity: GraphEntity) => boolean;
}

export class ReadAhead {
  #cohorts = new WeakMap<Together, Cohort>();
  #bytes = 0;

  constructor(private readonly run: Holder) {}

  /** What was read so far counts no more. */
  forget(): void {
    this.#cohorts = new WeakMap();
    this.#bytes = 0;
  }

  /** The objects that a relation of one object shows, as whoever asks may read them. */
  async related(one: ScriptEntity, wanted: Wanted): Promise<RelatedList> {
    const { relation } = wanted;
    // Of those with an order of their own all links are read, however many are wanted.
    const ahead = one.together === undefined || isOrdered(relation) ? undefined : this.#of(one.together, wanted);
    if (one.together === undefined || ahead === undefined) {
      const [nodes = []] = await this.#read([one.id], wanted, wanted.limit);
      return { nodes, together: nodes };
    }
    const known = ahead.lists.get(one.id);
    if (known) return known;
    if (known === undefined && ahead.lists.size > 0) await this.#readMore(one.together, one.id, ahead, wanted);
    const found = ahead.lists.get(one.id);
    if (found) return found;
    const [nodes = []] = await this.#read([one.id], wanted, wanted.limit);
    const list: RelatedList = { nodes, together: nodes };
    this.#keep(ahead, one.id, list, true);
    return list;
  }

  #read(ids: readonly string[], { relation, access }: Wanted, limit: number): Promise<GraphNode[][]> {
    const step = onlyReadable(relation.step, access);
    return this.run.transaction.read((tx) => relatedInOrder(tx, ids, relation, step, limit));
  }

  /** What is known of the relation now. */
  #of(together: Together, { relation, access }: Wanted): Ahead {
    const { relations } = this.#cohort(together);
    const { changes } = this.run.transaction;
    const commit = this.run.parts.graph.commitNumber;
    const known = relations.get(relation);
    if (known?.access === access && known.changes === changes && known.commit === commit) return known;
    if (known !== undefined) this.#bytes = Math.max(0, this.#bytes - known.brought);
    const most = known === undefined ? FIRST : CAUTIOUS;
    const ahead: Ahead = { access, changes, commit, lists: new Map(), most, brought: 0 };
    relations.set(relation, ahead);
    return ahead;
  }

  #cohort(together: Together): Cohort {
    let cohort = this.#cohorts.get(together);
    if (cohort === undefined) {
      cohort = { places: new Map(together.map(({ id }, i) => [id, i])), relations: new Map() };
      this.#cohorts.set(together, cohort);
    }
    return cohort;
  }

  /** For an object and those behind it. */
  async #readMore(together: Together, id: string, ahead: Ahead, wanted: Wanted): Promise<void> {
    const { lists, brought } = ahead;
    const longest = wanted.relation.isCollection ? LONGEST : 1;
    const affordable = BYTES_AT_ONCE / Math.max(1, brought / lists.size);
    const most = Math.floor(Math.min(ahead.most, MOST, MOST_FOUND / longest, affordable));
    if (most < 2) return;
    ahead.most *= GROWTH;
    const ids = new Set<string>();
    for (let at = this.#cohort(together).places.get(id) ?? Infinity; at < together.length && ids.size < most; at++) {
      const next = together[at];
      if (next?.kind === 'node' && !lists.has(next.id) && wanted.isOf(next)) ids.add(next.id);
    }
    const found = await this.#read([...ids], wanted, wanted.relation.isCollection ? longest + 1 : 1);
    const all = new Map<string, GraphNode>();
    for (const nodes of found) for (const node of nodes) all.set(node.id, node);
    const behind = [...all.values()];
    for (const [i, of] of [...ids].entries()) {
      const nodes = found[i] ?? [];
      this.#keep(ahead, of, { nodes, together: behind }, nodes.length <= longest);
    }
  }

  #keep(ahead: Ahead, id: string, list: RelatedList, isWhole: boolean): void {
    if (this.#bytes > MOST_BYTES) this.forget();
    const fits = isWhole && list.nodes.length <= MOST_FOUND;
    ahead.lists.set(id, fits ? list : null);
    let bytes = OF_OBJECT;
    for (const node of list.nodes) bytes += OF_OBJECT + sizeOfEntity(node);
    ahead.brought += bytes;
    this.#bytes += bytes;
  }
}
