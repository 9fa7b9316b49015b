/** Answers paths of pages, and hands on those that are of files (docs/interface/pages.md 2). */
import { happened, whoOf } from '../../../shared/happened.js';
import { logger } from '../../../shared/log.js';
import type { GraphNode, ReadTransaction } from '../../graph/index.js';
import { askedMode, asksForPassword, type EditMode } from '../../files/index.js';
import { bringsForm, HttpError, sentFields, type Exchange, type Handler } from '../../http/index.js';
import { Arrival, type RequestContext } from '../../request/index.js';
import { allowed } from '../../schema/index.js';
import { Directories, type Directory, type PageEntry } from '../directory/directory.js';
import { routesTo } from '../directory/routes.js';
import { hostOf, type Host } from '../directory/sites.js';
import { scriptRequest } from '../../scripting/index.js';
import { Formats } from '../formats/formats.js';
import { treeMethodsOfScripts } from '../tree/script-methods.js';
import { RenderingFunctions } from '../render/functions.js';
import { Trees } from '../render/trees.js';
import { knownByPassword } from './basic-auth.js';
import { detailsByProperty } from './details.js';
import type { PagesParts } from './parts.js';
import { isSource, PageSender } from './send-page.js';
import { pathOf, segmentsOf, withoutPrefix, type Target } from './target.js';
import { templateValues } from './template-values.js';
import { isShown } from './visibility.js';

const log = logger('pages');

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);
const DEFAULT_PORTS = { http: 80, https: 443 } as const;
/** Elements of one name. */
const FEW = 20;

/** No permission is asked for: what somebody is shown is decided by the page and its nodes. */
class PageArrival extends Arrival {
  find(): undefined {
    return undefined;
  }

  signature(): undefined {
    return undefined;
  }
}

export class Pages {
  readonly #directories: Directories;
  readonly #trees: Trees;
  readonly #sender: PageSender;
  /** Requests that were shown a page for an error, or for which that was tried. */
  readonly #shownErrors = new WeakSet<Exchange>();

  constructor(private readonly parts: PagesParts) {
    const { config, graph, schemas, scripting } = parts;
    this.#directories = new Directories(graph, schemas);
    this.#trees = new Trees(graph, schemas, new Formats(config), () => ({
      indentation: config.get('html.indentation'),
    }));
    config.onChange('html.indentation', () => {
      this.#trees.forget();
    });
    this.#sender = new PageSender(parts);
    scripting.parts.pages.current = new RenderingFunctions(this.#trees);
    scripting.parts.pages.methods = treeMethodsOfScripts;
  }

  /** All paths that belong to no other room. */
  readonly serve: Handler = (exchange) => {
    if (!METHODS.has(exchange.method)) return this.parts.serveFile(exchange);
    const failed = (error: unknown): void => {
      this.parts.sendError(exchange, error);
    };
    try {
      const path = pathOf(exchange.path);
      if (path === undefined) return this.parts.serveFile(exchange);
      const directory = this.#directories.now;
      return directory instanceof Promise
        ? directory.then((known) => this.#begin(exchange, path, known)).catch(failed)
        : this.#begin(exchange, path, directory);
    } catch (error) {
      failed(error);
    }
  };

  #begin(exchange: Exchange, path: string, directory: Directory): void | Promise<void> {
    const sought = this.#sought(path, directory);
    if (sought === undefined) return this.parts.serveFile(exchange);
    const answering = async (): Promise<void> => {
      let request: RequestContext | undefined;
      try {
        request = await this.parts.requests.enter(new PageArrival(exchange));
        const target = await sought(request);
        if (target === undefined) await this.parts.serveFile(exchange);
        else await this.#send(request, target);
      } catch (error) {
        // Who sends wrong credentials is nobody, to whom no page is shown either.
        if (request === undefined) this.parts.sendError(exchange, error);
        else await this.failed(request, error);
      }
    };
    return answering();
  }

  /** What looks for a page at a path, before files are looked for; undefined: no page can be there. */
  #sought(path: string, directory: Directory): ((request: RequestContext) => Promise<Target | undefined>) | undefined {
    const segments = segmentsOf(path);
    const [first] = segments;
    if (first === undefined) {
      if (directory.startPages.length === 0) return undefined;
      return (request) => this.#firstShown(directory.startPages, request, directory);
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
        const target = await this.#firstShown([page], request, directory);
        if (target !== undefined) return { ...target, values };
      }
      return this.#firstShown(named, request, directory);
    };
  }

  #isId(text: string): boolean {
    return this.parts.idPattern().test(text);
  }

  async #firstShown(
    pages: readonly PageEntry[],
    request: RequestContext,
    directory: Directory,
    status = 200,
  ): Promise<Target | undefined> {
    const host = requestHost(request);
    const mode = this.#modeOf(request);
    for (const page of pages) {
      // Who edits pages is not at the address of their sites.
      if (mode !== 'CONTENT' && !directory.serves(page, host)) continue;
      if (status === 200 && mode === 'NONE' && asksForPassword(this.parts, page.node)) {
        return { root: page.node, status, by: await knownByPassword(this.parts, request, page.node) };
      }
      if (await this.#isShown(page.node, request)) return { root: page.node, status };
    }
    return undefined;
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
    const mode = this.#modeOf(request);
    const host = requestHost(request);
    const entries = owners.flatMap(({ id }) => directory.byId.get(id) ?? []);
    if (mode !== 'CONTENT' && !entries.every((page) => directory.serves(page, host))) return undefined;
    const part = { root: node, status: 200, isPart: true };
    const asking = mode === 'NONE' ? owners.find((one) => asksForPassword(this.parts, one)) : undefined;
    if (asking === undefined) return (await this.#isShown(node, request)) ? part : undefined;
    const by = await knownByPassword(this.parts, request, asking);
    return (await this.#isShown(node, by)) ? { ...part, by } : undefined;
  }

  /** For what no file is at: parts by name, pages with details objects, error pages. False: there is nothing. */
  async otherwise(request: RequestContext, path: string): Promise<boolean> {
    const { exchange } = request;
    if (!METHODS.has(exchange.method)) return false;
    const directory = await this.#directories.now;
    const within = withoutPrefix(path);
    const target =
      (await this.#behindFiles(segmentsOf(within), request, directory)) ??
      (await this.#byRoutesOfOthers(within, request, directory));
    if (target === undefined) return this.#showError(request, 404);
    await this.#send(request, target);
    return true;
  }

  /** By routes that others than administrators have made: at addresses that mean nothing else. What they say of values is not for the scripts of the page. */
  async #byRoutesOfOthers(path: string, request: RequestContext, directory: Directory): Promise<Target | undefined> {
    for (const { route } of routesTo(directory.routesOfOthers, path)) {
      const page = directory.byId.get(route.pageId);
      const target = page === undefined ? undefined : await this.#firstShown([page], request, directory);
      if (target !== undefined) return { ...target, values: new Map() };
    }
    return undefined;
  }

  /** Answers a request for a page or a file that has failed: with the page for the status of the error, else with its body. */
  async failed(request: RequestContext, error: unknown): Promise<void> {
    const { exchange, actor } = request;
    if (exchange.aborted || exchange.responded) {
      this.parts.sendError(exchange, error, actor);
      return;
    }
    const explained = this.parts.explainError(error);
    if (!(await this.#showError(request, explained.status, explained.headers))) explained.send(exchange, actor);
  }

  /** The path of the page that a status shows whoever sends a request; undefined: there is none. For forms that are no pages. */
  readonly errorPath = async (exchange: Exchange, status: number): Promise<string | undefined> => {
    try {
      const directory = await this.#directories.now;
      const pages = directory.errorPages(status);
      if (pages.length === 0) return undefined;
      const request = await this.parts.requests.enter(new PageArrival(exchange));
      const target = await this.#firstShown(pages, request, directory, status);
      const page = target === undefined ? undefined : directory.byId.get(target.root.id);
      return page === undefined ? undefined : pathTo(page, directory);
    } catch (error) {
      log.warn(`the page for the status ${String(status)} is not known: ${messageOf(error)}`);
      return undefined;
    }
  };

  /** Shows the page for a status to whoever has asked for something that is no page; false: there is none, and nothing is answered. */
  readonly showErrorPage = async (exchange: Exchange, status: number): Promise<boolean> => {
    try {
      const request = await this.parts.requests.enter(new PageArrival(exchange));
      return await this.#showError(request, status);
    } catch (error) {
      if (exchange.responded || exchange.aborted) throw error;
      return false;
    }
  };

  /**
   * Shows the page for a status. False: there is none, or it has failed itself, and nothing is answered. A request is shown one at most: what
   * goes wrong with it is no reason for another.
   */
  async #showError(
    request: RequestContext,
    status: number,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<boolean> {
    const { exchange } = request;
    if (!METHODS.has(exchange.method) || this.#shownErrors.has(exchange)) return false;
    try {
      const directory = await this.#directories.now;
      const pages = directory.errorPages(status);
      if (pages.length === 0) return false;
      this.#shownErrors.add(exchange);
      const target = await this.#firstShown(pages, request, directory, status);
      if (target === undefined) return false;
      await this.#send(request, { ...target, headers });
      return true;
    } catch (error) {
      if (exchange.responded || exchange.aborted) throw error;
      log.warn(`the page for the status ${String(status)} failed: ${messageOf(error)}`);
      return false;
    }
  }

  async #behindFiles(
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
      segments.length === 2 ? await this.#firstShown(directory.byName.get(first) ?? [], request, directory) : undefined;
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

  /** Users who are no administrators edit nothing. */
  #modeOf({ actor, exchange }: RequestContext): EditMode {
    if (!actor.isAdmin) return 'NONE';
    return askedMode(exchange, this.parts.config.get('application.legacy.requestparameters.enabled'));
  }

  /** Sources show everything. */
  #isShown(node: GraphNode, request: RequestContext): boolean | Promise<boolean> {
    return isSource(this.#modeOf(request)) || isShown(node, request, this.parts.requests);
  }

  /** Takes the form that was sent to a page. What was decided before is decided again: its sender may have taken his time. */
  async #withForm(
    entered: RequestContext,
    sought: Target,
  ): Promise<{ readonly request: RequestContext; readonly target: Target }> {
    const { requests } = this.parts;
    const form = await sentFields(entered.exchange);
    const again = await requests.again(new PageArrival(entered.exchange), { ...entered, target: undefined });
    const request = sought.by === undefined ? again : await knownByPassword(this.parts, again, sought.root);
    const root = await requests.read(request, (tx) => tx.node(sought.root.id));
    if (root === undefined || !(await this.#isShown(root, request))) throw nothingAt(request);
    return { request, target: { ...sought, root, form } };
  }

  async #send(entered: RequestContext, sought: Target): Promise<void> {
    const { request, target } =
      sought.status === 200 && bringsForm(entered.exchange)
        ? await this.#withForm(entered, sought)
        : { request: sought.by ?? entered, target: sought };
    tell(request, target);
    const known = this.#trees.of(target.root.id);
    const tree = known instanceof Promise ? await known : known;
    // It was there a moment ago.
    if (tree === undefined) throw nothingAt(request);
    const asked = { ...target, mode: this.#modeOf(request) };
    if (target.isPart === true && target.root.type === 'TemplateElement' && !isSource(asked.mode)) {
      const values = await templateValues(request.exchange, scriptRequest(request.exchange, target.form));
      await this.#sender.send(request, { ...asked, values }, tree);
    } else await this.#sender.send(request, asked, tree);
  }
}

/** Says which page is shown, to those who count and to those who look for what has happened. */
function tell({ exchange, actor }: RequestContext, { root, status }: Target): void {
  const { name } = root.properties;
  const shown = typeof name === 'string' && name !== '' ? name : root.id;
  // The page for an error is no page that was asked for.
  if (status === 200) exchange.place = `/svc/html/${root.type === 'Page' ? shown : `<${root.type}>`}`;
  happened('Http', shown, whoOf(actor));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** By its name where that leads to it, else by its id. */
function pathTo({ name, node }: PageEntry, { byName }: Directory): string {
  const leads = byName.get(name)?.length === 1 && /^[^/]+$/.test(name) && !/^(?:\.{1,2}|svc|html)$/.test(name);
  return `/${leads ? encodeURIComponent(name) : node.id}`;
}

function nothingAt({ exchange }: RequestContext): HttpError {
  return new HttpError(404, `There is no page at ${exchange.path}.`);
}

/** What a request calls the server by. */
function requestHost({ exchange }: RequestContext): Host {
  return hostOf(exchange.header('host'), DEFAULT_PORTS[exchange.scheme]);
}
