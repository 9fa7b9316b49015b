/**
 * Paths of the virtual filesystem (docs/interface/files.md 1.5): from a path to the file and the folders above it, in memory once it was
 * asked for, and forgotten with the commit that changes one of them. That there is nothing at a path is remembered as well,
 * until something comes to be there.
 */
import type { Cache, Change, ChangeKind, Graph, GraphNode, ReadTransaction } from '../../graph/index.js';
import { childAt, DEEPEST_TREE, placeOf, type SchemaService } from '../../schema/index.js';

/** Paths kept in memory, and of these, such as lead to nothing: anybody can ask for any number of them. */
const MOST = 50_000;
const MOST_EMPTY = 5_000;
/** Longer paths are not kept. */
const LONGEST = 2_000;

/** What lies at a path, below the folders it lies in: from the root to itself. A file found by its id is alone. */
export type Chain = readonly GraphNode[];

interface Entry {
  /** Undefined: nothing is there. */
  readonly chain: Chain | undefined;
  /** Ids whose change ends what is known. */
  readonly over: readonly string[];
  /** The `place` that was found empty on the way; something there ends it too. */
  readonly missing: string | undefined;
}

export class Tree {
  readonly #entries = new Map<string, Entry>();
  /** Paths in `#entries` by the ids they depend on, and by the place that is missing. */
  readonly #over = new Map<string, Set<string>>();
  readonly #missing = new Map<string, Set<string>>();
  readonly #cache: Cache;
  #empty = 0;

  constructor(
    graph: Graph,
    private readonly schemas: SchemaService,
  ) {
    this.#cache = graph.caches.keep({
      name: 'files.tree',
      dependsOn: ['AbstractFile', 'CONTAINS', 'schema'],
      concerns: (kind) => this.#concerns(kind),
      concernsOne: (kind, id) => this.#concernsOne(kind, id),
      changed: ({ changes }, commit) => {
        if (changes === 'everything') {
          this.#clear();
          return;
        }
        for (const { kind, id, targetId = id } of changes) this.#forget(kind === 'node' ? id : targetId);
        // Without values nobody knows what has come to be where nothing was; paths are found again fast.
        if (commit === undefined) this.#forgetEmpty();
        else for (const change of commit.changes) this.#fill(change);
      },
    });
    // Other types may be files now.
    schemas.onChange(() => {
      this.#cache.outdated();
      this.#clear();
    });
  }

  #concerns(kind: ChangeKind): boolean {
    if (kind.kind === 'relationship') return kind.relType === 'CONTAINS';
    return kind.verb !== 'create' || this.#isOfTree(kind);
  }

  #concernsOne(kind: ChangeKind, id: string): boolean {
    return kind.kind === 'relationship' || this.#over.has(id) || this.#isOfTree(kind);
  }

  /** One that was a file before says so only by the change of its type. */
  #isOfTree(kind: ChangeKind): boolean {
    return kind.key === 'type' || this.schemas.schema.typeOf(kind).hasTrait('AbstractFile');
  }

  /**
   * What is known of a path (decoded) since it was asked for: what lies there, or null for nothing; undefined: ask `find`.
   */
  known(path: string): Chain | null | undefined {
    const entry = this.#entries.get(path);
    return entry === undefined ? undefined : (entry.chain ?? null);
  }

  /** What lies at a path, whoever may see it; undefined: nothing. A path of one name may be an `id` as well. */
  async find(tx: ReadTransaction, path: string, id?: RegExp): Promise<Chain | undefined> {
    const known = this.#entries.get(path);
    if (known !== undefined) return known.chain;
    const { state } = this.#cache;
    // Not normalised: a path is one only as it is written.
    const names = path.split('/').slice(1);
    if (names.includes('') || names.length > DEEPEST_TREE) return undefined;
    const chain: GraphNode[] = [];
    for (const name of names) {
      const folder = chain.at(-1)?.id;
      const node = await childAt(tx, this.schemas.schema, folder, name);
      if (node !== undefined) {
        chain.push(node);
        continue;
      }
      const byId = names.length === 1 && id?.test(name) === true ? await tx.node(name) : undefined;
      const isFile = byId !== undefined && this.schemas.schema.typeOf(byId).hasTrait('File');
      const over = names.length === 1 ? [name] : chain.map((folder) => folder.id);
      const entry: Entry = { chain: isFile ? [byId] : undefined, over, missing: placeOf(folder, name) };
      if (state === this.#cache.state) this.#keep(path, entry);
      return entry.chain;
    }
    if (state === this.#cache.state) {
      this.#keep(path, { chain, over: chain.map((node) => node.id), missing: undefined });
    }
    return chain;
  }

  #keep(path: string, entry: Entry): void {
    if (path.length > LONGEST || this.#entries.has(path)) return;
    if (this.#entries.size >= MOST) this.#clear();
    if (entry.chain === undefined && ++this.#empty > MOST_EMPTY) {
      this.#forgetEmpty();
      this.#empty = 1;
    }
    this.#entries.set(path, entry);
    for (const id of entry.over) add(this.#over, id, path);
    if (entry.missing !== undefined) add(this.#missing, entry.missing, path);
  }

  /** Where nothing was there is something now. */
  #fill({ verb, entity }: Change): void {
    const { place } = entity.properties;
    if (entity.kind !== 'node' || verb === 'delete' || typeof place !== 'string') return;
    for (const path of this.#missing.get(place) ?? []) this.#drop(path);
  }

  #forget(id: string): void {
    for (const path of this.#over.get(id) ?? []) this.#drop(path);
  }

  #forgetEmpty(): void {
    for (const paths of this.#missing.values()) for (const path of paths) this.#drop(path);
  }

  #drop(path: string): void {
    const entry = this.#entries.get(path);
    if (entry === undefined) return;
    this.#entries.delete(path);
    if (entry.chain === undefined) this.#empty--;
    for (const id of entry.over) remove(this.#over, id, path);
    if (entry.missing !== undefined) remove(this.#missing, entry.missing, path);
  }

  #clear(): void {
    this.#empty = 0;
    this.#entries.clear();
    this.#over.clear();
    this.#missing.clear();
  }
}

function add(index: Map<string, Set<string>>, key: string, path: string): void {
  const paths = index.get(key);
  if (paths === undefined) index.set(key, new Set([path]));
  else paths.add(path);
}

function remove(index: Map<string, Set<string>>, key: string, path: string): void {
  const paths = index.get(key);
  paths?.delete(path);
  if (paths?.size === 0) index.delete(key);
}
