/** What the graph says of the places of nodes, where the transaction's own changes do not; asked for many nodes at a time. */
import type { GraphNode } from '../../../../graph/index.js';
import type { ObjectTransaction } from '../../../writing/object-transaction.js';
import { inParts, stepsOf, type TreeSteps } from './links.js';
import type { TreeState } from './state.js';

export class TreeReads {
  readonly steps: TreeSteps;
  readonly #nodes = new Map<string, GraphNode | undefined>();

  constructor(
    readonly objects: ObjectTransaction,
    readonly state: TreeState,
  ) {
    this.steps = stepsOf(objects.schema);
  }

  /** Has the parents of these nodes known. */
  async parents(ids: Iterable<string>): Promise<void> {
    const { parent } = this.state;
    for (const part of inParts(this.#unknown(ids, parent))) {
      await this.objects.breathe();
      const found = await this.objects.tx.related(part, this.steps.parent, 1);
      part.forEach((id, i) => {
        const above = found[i]?.[0];
        parent.set(id, above?.id);
        if (above !== undefined) this.#nodes.set(above.id, above);
      });
    }
  }

  /** Has the pages of these nodes known. */
  async pages(ids: Iterable<string>): Promise<void> {
    const { page } = this.state;
    for (const part of inParts(this.#unknown(ids, page))) {
      await this.objects.breathe();
      const found = await this.objects.tx.links(part, this.steps.page, 1);
      part.forEach((id, i) => {
        const link = found[i]?.[0];
        page.set(id, link === undefined ? undefined : { id: link.node.id, link: link.relationship.id });
        if (link !== undefined) this.#nodes.set(link.node.id, link.node);
      });
    }
  }

  /** Has these nodes known. */
  async nodes(ids: Iterable<string>): Promise<void> {
    for (const part of inParts(this.#unknown(ids, this.#nodes))) {
      await this.objects.breathe();
      const found = await this.objects.tx.nodes(part);
      part.forEach((id, i) => this.#nodes.set(id, found[i]));
    }
  }

  /** As it was when it was read first: for its type, and what does not change here. */
  node(id: string): GraphNode | undefined {
    return this.state.created.get(id) ?? this.#nodes.get(id);
  }

  has(id: string | undefined, trait: string): boolean {
    const node = id === undefined ? undefined : this.node(id);
    return node !== undefined && this.objects.schema.typeOf(node).hasTrait(trait);
  }

  parent(id: string): string | undefined {
    return this.state.parent.get(id);
  }

  /** A page is of itself. */
  page(id: string): string | undefined {
    return this.has(id, 'Page') ? id : this.state.page.get(id)?.id;
  }

  *#unknown(ids: Iterable<string>, known: ReadonlyMap<string, unknown>): Generator<string> {
    const asked = new Set<string>();
    for (const id of ids) {
      if (known.has(id) || asked.has(id) || this.state.created.has(id)) continue;
      asked.add(id);
      yield id;
    }
  }
}
