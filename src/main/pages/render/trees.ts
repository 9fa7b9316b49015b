/** Trees of pages, components and elements, with the plans made of them, kept until a commit touches one of their nodes. */
import type { Cache, ChangeNotice, Graph, ReadTransaction } from '../../graph/index.js';
import type { Schema, SchemaService } from '../../schema/index.js';
import type { Awaitable } from '../../scripting/index.js';
import type { Formats } from '../formats/formats.js';
import { textsToConvert } from '../formats/wanted.js';
import type { PageNode } from '../model/page-node.js';
import { TARGET_RELATIONS } from '../model/action-mapping.js';
import { readTree, type Tree } from '../model/read-tree.js';
import { rawSource, type RawMode } from '../modes/raw.js';
import { compile, type CompileOptions } from '../plan/compile.js';
import type { Audience, Plan, RenderMode } from '../plan/plan.js';
import type { Converting } from '../plan/texts.js';

/** Nodes of all trees that are kept. */
const MOST_NODES = 400_000;
/** Plans of parts of one tree (`render(children)`), by their characters. */
const MOST_PARTS = 20_000;

/** Milliseconds: the rest of the second, and one more. */
const SETTLED = 2000;

/** Changes of a commit times trees: with more of them all are forgotten, which holds nobody up. */
const MOST_LOOKS = 100_000;

/** Relationships that a tree is made of. */
const RELATIONS: ReadonlySet<string> = new Set([
  'DOMNodeCONTAINSDOMNode',
  'DOMNodeSYNCDOMNode',
  'LinkSourceLINKLinkable',
  'DOMElementRELOADSDOMElement',
  'DOMElementTRIGGERED_BYActionMapping',
  'DOMElementINPUT_ELEMENTParameterMapping',
  'ActionMappingPARAMETERParameterMapping',
  ...TARGET_RELATIONS,
]);
/** What files and folders lie in: paths of linked files are theirs. */
const PLACES: ReadonlySet<string> = new Set(
  ['AbstractFile', 'File', 'Folder', 'Image'].map((type) => `FolderCONTAINS${type}`),
);
/** Traits of the nodes that a tree is made of, and of those that it names the version or the path of. */
const TRAITS = ['DOMNode', 'ActionMapping', 'ParameterMapping', 'Linkable', 'Folder'] as const;

interface ReadTree {
  readonly tree: Tree;
  readonly schema: Schema;
  /** When reading began, ms. */
  readonly readAt: number;
}

export type PlanOptions = Pick<CompileOptions, 'indentation'>;

/** A tree, and what was made of it. */
export class PlannedTree {
  /**
   * `Last-Modified` of what is shared of it, in whole seconds: later than it was read, by what other instances may need to hear of a
   * change. It is told when it is over, so that no two states of a page are ever told with the same date.
   */
  readonly goodFrom: number;
  readonly #plans = new Map<string, Awaitable<Plan>>();

  constructor(
    readonly tree: Tree,
    private readonly options: Omit<CompileOptions, 'audience' | 'mode'>,
    readAt: number,
  ) {
    this.goodFrom = Math.floor(readAt / 1000) * 1000 + SETTLED;
  }

  /** The same for those who edit it; nobody asks for it twice. */
  planFor(mode: RenderMode, audience: Audience, node: PageNode = this.tree.root, isCode = false): Awaitable<Plan> {
    return mode === 'NONE'
      ? this.plan(audience, node, isCode)
      : compile(node, { ...this.options, audience, mode, isCode });
  }

  source(mode: RawMode): Promise<string> {
    return rawSource(this.tree.root, mode, this.options.schema, this.options.indentation);
  }

  /** The whole, or one of its nodes by itself. `isCode`: where text is no HTML. */
  plan(audience: Audience, node: PageNode = this.tree.root, isCode = false): Awaitable<Plan> {
    const name = `${audience} ${isCode ? 'code ' : ''}${node.node.id}`;
    const known = this.#plans.get(name);
    if (known !== undefined) return known;
    const plan = compile(node, { ...this.options, audience, isCode });
    this.#keep(name, plan);
    // What is being made is known as well: nobody makes it beside it.
    if (plan instanceof Promise) {
      plan.then(
        (made) => {
          this.#keep(name, made);
        },
        () => this.#plans.delete(name),
      );
    }
    return plan;
  }

  #keep(name: string, plan: Awaitable<Plan>): void {
    if (this.#plans.size >= MOST_PARTS) this.#plans.clear();
    this.#plans.set(name, plan);
  }
}

export class Trees {
  /** The last used is the last. */
  readonly #known = new Map<string, PlannedTree>();
  readonly #loading = new Map<string, Promise<PlannedTree | undefined>>();
  #nodes = 0;
  readonly #cache: Cache;

  constructor(
    private readonly graph: Graph,
    private readonly schemas: SchemaService,
    private readonly formats: Formats,
    private readonly options: () => PlanOptions,
  ) {
    this.#cache = graph.caches.keep({
      name: 'pages.trees',
      dependsOn: [...TRAITS, 'schema', 'settings'],
      concerns: ({ kind, type, key, verb }) => {
        if (kind === 'relationship') return RELATIONS.has(type) || PLACES.has(type);
        if (verb === 'change' && key === 'type') return true;
        const known = this.schemas.schema.type(type);
        return known !== undefined && TRAITS.some((trait) => known.hasTrait(trait));
      },
      changed: ({ changes }) => {
        // Whoever asks from now on gets what is read from now on.
        this.#loading.clear();
        if (changes === 'everything' || changes.length * this.#known.size > MOST_LOOKS) this.forget();
        else for (const change of changes) this.#touched(change);
      },
    });
    schemas.onChange(() => {
      this.#cache.outdated();
      this.forget();
    });
  }

  readonly #convert: Converting['convert'] = (dialect, text) => this.formats.convert(dialect, text);

  forget(): void {
    this.#loading.clear();
    this.#known.clear();
    this.#nodes = 0;
  }

  #touched({ id, kind, type, sourceId, targetId }: ChangeNotice): void {
    // What else comes into a folder is nothing to a page that names one file in it.
    const ends = kind === 'node' ? [id] : PLACES.has(type) ? [targetId] : [sourceId, targetId];
    for (const [root, { tree }] of this.#known) {
      if (ends.some((end) => end !== undefined && tree.ids.has(end))) this.#drop(root);
    }
  }

  #drop(root: string): void {
    const known = this.#known.get(root);
    if (known === undefined) return;
    this.#known.delete(root);
    this.#nodes -= known.tree.byId.size;
  }

  /** What is known of it at once; undefined: it has to be read. */
  peek(id: string): PlannedTree | undefined {
    const known = this.#known.get(id);
    if (known === undefined) return undefined;
    this.#known.delete(id);
    this.#known.set(id, known);
    return known;
  }

  /** The tree below a node; undefined: there is no such node, or it is none of a page. Throws `TreeError`. */
  of(id: string): PlannedTree | Promise<PlannedTree | undefined> {
    const known = this.peek(id);
    if (known !== undefined) return known;
    const before = this.#loading.get(id);
    if (before !== undefined) return before;
    const loading = this.#load(id).finally(() => {
      if (this.#loading.get(id) === loading) this.#loading.delete(id);
    });
    this.#loading.set(id, loading);
    return loading;
  }

  /** The same within a transaction that has changed something nobody else sees. */
  async within(tx: ReadTransaction, id: string): Promise<PlannedTree | undefined> {
    return this.#planned(await this.#read(tx, id));
  }

  /** The source of a node; null: there is no such node of a page. */
  async source(tx: ReadTransaction, id: string, mode: RawMode): Promise<string | null> {
    const read = await this.#read(tx, id);
    return read === undefined ? null : rawSource(read.tree.root, mode, read.schema, this.options().indentation);
  }

  async #read(tx: ReadTransaction, id: string): Promise<ReadTree | undefined> {
    const { schema } = this.schemas;
    const readAt = Date.now();
    const root = await tx.node(id);
    if (root === undefined || !schema.typeOf(root).hasTrait('DOMNode')) return undefined;
    return { schema, tree: await readTree(tx, schema, root), readAt };
  }

  async #planned(read: ReadTree | undefined): Promise<PlannedTree | undefined> {
    if (read === undefined) return undefined;
    const { tree, schema, readAt } = read;
    const { type, id } = tree.root.node;
    const converted = await this.formats.convertAll(textsToConvert(tree.byId.values()), `${type} ${id}`);
    const converting = { converted, convert: this.#convert };
    return new PlannedTree(tree, { ...this.options(), schema, converting }, readAt);
  }

  #load(id: string): Promise<PlannedTree | undefined> {
    return this.#cache.read(
      // Nothing of the graph is held while texts are converted.
      async () => this.#planned(await this.graph.read((tx) => this.#read(tx, id), { snapshot: true })),
      (found) => {
        if (found === undefined) return;
        this.#drop(id);
        this.#known.set(id, found);
        this.#nodes += found.tree.byId.size;
        for (const root of this.#known.keys()) {
          if (this.#nodes <= MOST_NODES || root === id) break;
          this.#drop(root);
        }
      },
    );
  }
}
