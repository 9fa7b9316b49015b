/** What of the pages a request leads to, and is shown (docs/interface/pages.md 2.2, 2.4). */
import type { GraphNode, ReadTransaction } from '../../graph/index.js';
import { askedMode, asksForPassword, type EditMode } from '../../files/index.js';
import type { RequestContext } from '../../request/index.js';
import { allowed } from '../../schema/index.js';
import type { Directory, PageEntry } from '../directory/directory.js';
import { routesTo } from '../directory/routes.js';
import { hostOf, type Host } from '../directory/sites.js';
import { knownByPassword } from './basic-auth.js';
import { detailsByProperty } from './details.js';
import type { PagesParts } from './parts.js';
import { isSource } from './send-page.js';
import { segmentsOf, withoutPrefix, type Target } from './target.js';
import { isShown } from './visibility.js';

const DEFAULT_PORTS = { http: 80, https: 443 } as const;
/** Elements of one name. */
const FEW = 20;

export class TargetFinder {
  constructor(private readonly parts: PagesParts) {}

  /** What looks for a page at a path, before files are looked for; undefined: no page can be there. */
  atPath(path: string, directory: Directory): ((request: RequestContext) => Promise<Target | undefined>) | undefined {
    const segments = segmentsOf(path);
    const [first] = segments;
    if (first === undefined) {
      if (directory.startPages.length === 0) return undefined;
      return (request) => this.firstShown(directory.startPages, request, directory);
    }
    const isId = segments.length === 1 && this.#isId(first);
    const routes = routesTo(directory.routes, path);
    const named = segments.length === 1 ? (directory.byName.get(first) ?? []) : [];
    if (!isId && routes.length === 0 && named.length === 0) return undefined;
    return async (request) => {
      if (isId) {
        const part = await this.#part(first, request, directory);
        if (part !== undefined) return part;
      }
      for (const { route, values } of routes) {
        const page = directory.byId.get(route.pageId);
        if (page === undefined) continue;
        const target = await this.firstShown([page], request, directory);
        if (target !== undefined) return { ...target, values };
      }
      return this.firstShown(named, request, directory);
    };
  }

  /** What a path leads to that no file is at: parts by name, pages with details objects, routes of others than administrators. */
  async behindFiles(path: string, request: RequestContext, directory: Directory): Promise<Target | undefined> {
    const within = withoutPrefix(path);
    return (
      (await this.#partOrDetails(segmentsOf(within), request, directory)) ??
      (await this.#byRoutesOfOthers(within, request, directory))
    );
  }

  /** The first of several pages that whoever asks is shown, for a status. */
  async firstShown(
    pages: readonly PageEntry[],
    request: RequestContext,
    directory: Directory,
    status = 200,
  ): Promise<Target | undefined> {
    const host = requestHost(request);
    const mode = this.modeOf(request);
    for (const page of pages) {
      // Who edits pages is not at the address of their sites.
      if (mode !== 'CONTENT' && !directory.serves(page, host)) continue;
      if (status === 200 && mode === 'NONE' && asksForPassword(this.parts, page.node)) {
        return { root: page.node, status, by: await knownByPassword(this.parts, request, page.node) };
      }
      if (await this.isShown(page.node, request)) return { root: page.node, status };
    }
    return undefined;
  }

  /** Users who are no administrators edit nothing. */
  modeOf({ actor, exchange }: RequestContext): EditMode {
    if (!actor.isAdmin) return 'NONE';
    return askedMode(exchange, this.parts.config.get('application.legacy.requestparameters.enabled'));
  }

  /** Sources show everything. */
  isShown(node: GraphNode, request: RequestContext): boolean | Promise<boolean> {
    return isSource(this.modeOf(request)) || isShown(node, request, this.parts.requests);
  }

  /** A node of a page by its id. */
  async #part(id: string, request: RequestContext, directory: Directory): Promise<Target | undefined> {
    const node = await this.parts.requests.read(request, (tx) => tx.node(id));
    if (node === undefined || !request.schema.typeOf(node).hasTrait('DOMNode')) return undefined;
    return this.#partOf(node, request, directory);
  }

  /** A node by itself, where it is shown: the sites of its page count, and whether that asks for a password. */
  async #partOf(node: GraphNode, request: RequestContext, directory: Directory): Promise<Target | undefined> {
    const { requests } = this.parts;
    const [pages = []] = await requests.read(request, (tx) =>
      tx.related([node.id], { relType: 'PAGE', direction: 'out' }, 1),
    );
    const owners = [node, ...pages];
    const mode = this.modeOf(request);
    const host = requestHost(request);
    const entries = owners.flatMap(({ id }) => directory.byId.get(id) ?? []);
    if (mode !== 'CONTENT' && !entries.every((page) => directory.serves(page, host))) return undefined;
    const part = { root: node, status: 200, isPart: true };
    const asking = mode === 'NONE' ? owners.find((one) => asksForPassword(this.parts, one)) : undefined;
    if (asking === undefined) return (await this.isShown(node, request)) ? part : undefined;
    const by = await knownByPassword(this.parts, request, asking);
    return (await this.isShown(node, by)) ? { ...part, by } : undefined;
  }

  async #partOrDetails(
    segments: readonly string[],
    request: RequestContext,
    directory: Directory,
  ): Promise<Target | undefined> {
    const last = segments.at(-1);
    const [first] = segments;
    if (last === undefined || first === undefined) return undefined;
    if (segments.length === 1) return this.#isId(last) ? undefined : this.#partNamed(last, request, directory);
    const head = segments.at(-2) ?? first;
    const page =
      segments.length === 2 ? await this.firstShown(directory.byName.get(first) ?? [], request, directory) : undefined;
    const target =
      page ??
      (this.#isId(head) ? await this.#part(head, request, directory) : await this.#partNamed(head, request, directory));
    if (target === undefined) return undefined;
    const details = await this.parts.requests.read(request, (tx) =>
      this.#details(
        tx,
        last,
        segments.some((one) => this.#isId(one)),
        request,
      ),
    );
    return { ...target, details };
  }

  async #details(
    tx: ReadTransaction,
    text: string,
    hasId: boolean,
    { access, schema }: RequestContext,
  ): Promise<GraphNode | undefined> {
    if (hasId) {
      if (!this.#isId(text)) return undefined;
      const node = await tx.node(text);
      return node !== undefined && (await allowed(tx, access, 'read', node)) ? node : undefined;
    }
    const setting = this.parts.config.get('htmlservlet.resolveproperties');
    return detailsByProperty(tx, schema, access, setting, text);
  }

  /** An element by its name, unless it is in the recycle bin. */
  async #partNamed(name: string, request: RequestContext, directory: Directory): Promise<Target | undefined> {
    const { schema } = request;
    const types = (schema.type('DOMNode')?.concreteTypes ?? []).filter(
      (one) => schema.type(one)?.hasTrait('Page') !== true,
    );
    const nodes = await this.parts.requests.read(request, async (tx) => {
      const found = await tx.find({
        kind: 'nodes',
        types,
        where: { op: 'equals', key: 'name', value: name },
        limit: FEW,
      });
      const pages = await tx.related(
        found.map(({ id }) => id),
        { relType: 'PAGE', direction: 'out' },
        1,
      );
      return found.filter((_, i) => (pages[i] ?? []).length > 0);
    });
    for (const node of nodes) {
      const part = await this.#partOf(node, request, directory);
      if (part !== undefined) return part;
    }
    return undefined;
  }

  /** By routes that others than administrators have made: at addresses that mean nothing else. What they say of values is not for the scripts of the page. */
  async #byRoutesOfOthers(path: string, request: RequestContext, directory: Directory): Promise<Target | undefined> {
    for (const { route } of routesTo(directory.routesOfOthers, path)) {
      const page = directory.byId.get(route.pageId);
      const target = page === undefined ? undefined : await this.firstShown([page], request, directory);
      if (target !== undefined) return { ...target, values: new Map() };
    }
    return undefined;
  }

  #isId(text: string): boolean {
    return this.parts.idPattern().test(text);
  }
}

/** What a request calls the server by. */
function requestHost({ exchange }: RequestContext): Host {
  return hostOf(exchange.header('host'), DEFAULT_PORTS[exchange.scheme]);
}
