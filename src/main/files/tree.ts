/**
 * Paths of the virtual filesystem (files.md 1.8): from a path to the file and the folders above it, in memory once it was
 * asked for, and forgotten with the commit that changes one of them.
 */
import type { Change, Graph, GraphNode, ReadTransaction } from '../graph/index.js';
import { childAt, segmentsOf, type SchemaService } from '../schema/index.js';

/** Paths kept in memory. */
const MOST = 50_000;
/** Names in a path beyond which there is nothing. */
const DEEPEST = 256;

/** What lies at a path, below the folders it lies in: from the root to itself. */
export type Chain = readonly GraphNode[];

export class Tree {
  readonly #chains = new Map<string, Chain>();
  /** Paths in `#chains` that lead over a node. */
  readonly #over = new Map<string, Set<string>>();
  #generation = 0;

  constructor(
    graph: Graph,
    private readonly schemas: SchemaService,
  ) {
    graph.onCommit((changes) => {
      for (const change of changes) this.#forget(idOf(change));
    });
    graph.watch({
      concerns: ({ entity }) =>
        entity.kind === 'node' ? schemas.schema.typeOf(entity).hasTrait('AbstractFile') : entity.relType === 'CONTAINS',
      changed: (entities) => {
        // Links tell which relationship, not which file; and paths are found again fast.
        if (entities === 'everything' || entities.some((entity) => entity.kind === 'relationship')) this.#clear();
        else for (const { id } of entities) this.#forget(id);
      },
    });
  }

  /** What was found at this path (decoded) and not changed since; undefined: ask `find`. */
  known(path: string): Chain | undefined {
    return this.#chains.get(path);
  }

  /** What lies at a path, whoever may see it; undefined: nothing. */
  async find(tx: ReadTransaction, path: string): Promise<Chain | undefined> {
    const known = this.#chains.get(path);
    if (known !== undefined) return known;
    const generation = this.#generation;
    const names = segmentsOf(path);
    if (names.length === 0 || names.length > DEEPEST) return undefined;
    const chain: GraphNode[] = [];
    for (const name of names) {
      const node = await childAt(tx, this.schemas.schema, chain.at(-1)?.id, name);
      if (node === undefined) return undefined;
      chain.push(node);
    }
    if (generation === this.#generation) this.#keep(path, chain);
    return chain;
  }

  #keep(path: string, chain: Chain): void {
    if (this.#chains.size >= MOST) this.#clear();
    this.#chains.set(path, chain);
    for (const { id } of chain) {
      const paths = this.#over.get(id);
      if (paths === undefined) this.#over.set(id, new Set([path]));
      else paths.add(path);
    }
  }

  #forget(id: string): void {
    this.#generation++;
    const paths = this.#over.get(id);
    if (paths === undefined) return;
    for (const path of paths) {
      for (const node of this.#chains.get(path) ?? []) if (node.id !== id) this.#over.get(node.id)?.delete(path);
      this.#chains.delete(path);
    }
    this.#over.delete(id);
  }

  #clear(): void {
    this.#generation++;
    this.#chains.clear();
    this.#over.clear();
  }
}

/** The node whose paths a change may end; of a link, that of what is in the folder. */
function idOf({ entity }: Change): string {
  return entity.kind === 'node' ? entity.id : entity.relType === 'CONTAINS' ? entity.targetId : '';
}
