/**
 * What finds a page: names, start pages, error pages, routes and sites (docs/interface/pages.md 2). All of it is read at once and kept until
 * a commit changes something of it.
 */
import type { Cache, Graph, GraphNode, ReadTransaction, Step } from '../../graph/index.js';
import type { Schema, SchemaService } from '../../schema/index.js';
import { makeRoute, type Route } from './routes.js';
import { isServed, type Host, type Site } from './sites.js';

export interface PageEntry {
  readonly node: GraphNode;
  readonly name: string;
  /** Undefined: it is no start page. */
  readonly position: number | undefined;
  readonly errorCodes: string;
  readonly sites: readonly Site[];
}

const SITES: Step = { relType: 'CONTAINS', direction: 'in' };
const PATHS: Step = { relType: 'HAS_PATH', direction: 'out' };
const PARAMETERS: Step = { relType: 'HAS_PARAMETER', direction: 'out' };
/** Keys of pages that change with all that is below them, and find nothing. */
const PASSING: ReadonlySet<string> = new Set(['version', 'lastModifiedDate', 'lastModifiedBy']);
const RELATIONS: ReadonlySet<string> = new Set([
  'SiteCONTAINSPage',
  'PageHAS_PATHPagePath',
  'PagePathHAS_PARAMETERPagePathParameter',
]);
const TYPES = ['Page', 'Site', 'PagePath', 'PagePathParameter'] as const;

/** All of one state. */
export class Directory {
  readonly byName = new Map<string, PageEntry[]>();
  readonly byId = new Map<string, PageEntry>();
  /** In their order. */
  readonly startPages: readonly PageEntry[];
  /** In their order. */
  readonly routes: readonly Route[];
  /** Those that others than administrators have made. */
  readonly routesOfOthers: readonly Route[];
  readonly #errorPages: readonly PageEntry[];

  constructor(
    readonly pages: readonly PageEntry[],
    routes: readonly Route[],
    readonly sites: readonly Site[],
  ) {
    for (const page of pages) {
      this.byId.set(page.node.id, page);
      const named = this.byName.get(page.name);
      if (named === undefined) this.byName.set(page.name, [page]);
      else named.push(page);
    }
    const order = (a: PageEntry, b: PageEntry): number => (a.position ?? 0) - (b.position ?? 0);
    this.routes = routes.filter((one) => !one.isOfOthers);
    this.routesOfOthers = routes.filter((one) => one.isOfOthers);
    this.startPages = pages.filter(({ position }) => position !== undefined).sort(order);
    this.#errorPages = pages.filter(({ errorCodes }) => errorCodes.trim() !== '');
  }

  /** Pages that are shown for a status. */
  errorPages(status: number): readonly PageEntry[] {
    return this.#errorPages.filter(({ errorCodes }) => errorCodes.includes(String(status)));
  }

  /** Whether a page is one of those that are shown under this host. */
  serves(page: PageEntry, host: Host): boolean {
    return isServed(page.sites, this.sites, host);
  }
}

export class Directories {
  #known: Directory | undefined;
  #loading: Promise<Directory> | undefined;
  readonly #cache: Cache;

  constructor(
    private readonly graph: Graph,
    private readonly schemas: SchemaService,
  ) {
    this.#cache = graph.caches.keep({
      name: 'pages.directory',
      dependsOn: [...TYPES, 'schema'],
      concerns: ({ kind, type, key, verb }) => {
        if (kind === 'relationship') return RELATIONS.has(type);
        if (verb === 'change' && key === 'type') return true;
        return !(verb === 'change' && key !== undefined && PASSING.has(key)) && this.#isConcerned(type);
      },
      changed: () => {
        this.#forget();
      },
    });
    schemas.onChange(() => {
      this.#cache.outdated();
      this.#forget();
    });
  }

  /** Whoever asks from now on gets what is read from now on. */
  #forget(): void {
    this.#known = undefined;
    this.#loading = undefined;
  }

  #isConcerned(name: string): boolean {
    const type = this.schemas.schema.type(name);
    return type !== undefined && TYPES.some((trait) => type.hasTrait(trait));
  }

  /** As it is now. At once where it is known. */
  get now(): Directory | Promise<Directory> {
    if (this.#known !== undefined) return this.#known;
    if (this.#loading !== undefined) return this.#loading;
    const loading = this.#load().finally(() => {
      if (this.#loading === loading) this.#loading = undefined;
    });
    this.#loading = loading;
    return loading;
  }

  #load(): Promise<Directory> {
    return this.#cache.read(
      () => this.graph.read((tx) => readDirectory(tx, this.schemas.schema), { snapshot: true }),
      (found) => {
        this.#known = found;
      },
    );
  }
}

async function readDirectory(tx: ReadTransaction, schema: Schema): Promise<Directory> {
  const typesOf = (trait: string): readonly string[] => schema.type(trait)?.concreteTypes ?? [];
  const pageTypes = typesOf('Page').filter((name) => schema.type(name)?.hasTrait('ShadowDocument') !== true);
  const [pageNodes, siteNodes] = await Promise.all([
    tx.find({ kind: 'nodes', trait: 'Page', types: pageTypes }),
    tx.find({ kind: 'nodes', trait: 'Site', types: typesOf('Site') }),
  ]);
  const ids = pageNodes.map(({ id }) => id);
  const [sitesOf, pathsOf] = await Promise.all([
    tx.related(ids, { ...SITES, types: typesOf('Site') }),
    tx.links(ids, { ...PATHS, types: typesOf('PagePath') }),
  ]);
  const paths = pathsOf.flat();
  const parameters = await tx.links(
    paths.map(({ node }) => node.id),
    { ...PARAMETERS, types: typesOf('PagePathParameter') },
  );
  const parametersOf = new Map(paths.map(({ node }, i) => [node.id, parameters[i] ?? []]));
  const sites = new Map(siteNodes.map((node) => [node.id, siteOf(node)]));
  const pages: PageEntry[] = [];
  const routes: Route[] = [];
  pageNodes.forEach((node, i) => {
    const page = entryOf(
      node,
      (sitesOf[i] ?? []).flatMap(({ id }) => sites.get(id) ?? []),
    );
    pages.push(page);
    for (const path of pathsOf[i] ?? []) {
      const route = makeRoute(path, parametersOf.get(path.node.id) ?? [], node.id);
      if (route !== undefined) routes.push(route);
    }
  });
  routes.sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
  return new Directory(pages, routes, [...sites.values()]);
}

function siteOf({ id, properties }: GraphNode): Site {
  const { hostname, port } = properties;
  return {
    id,
    hostname: typeof hostname === 'string' ? hostname.trim().toLowerCase() : '',
    port: typeof port === 'number' ? port : undefined,
  };
}

function entryOf(node: GraphNode, sites: readonly Site[]): PageEntry {
  const { name, position, showOnErrorCodes } = node.properties;
  return {
    node,
    name: typeof name === 'string' ? name : '',
    position: typeof position === 'number' ? position : undefined,
    errorCodes: typeof showOnErrorCodes === 'string' ? showOnErrorCodes : '',
    sites,
  };
}
