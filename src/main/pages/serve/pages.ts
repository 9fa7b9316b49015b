/** Answers paths of pages, and hands on those that are of files (docs/interface/pages.md 2). */
import { happened, whoOf } from '../../../shared/happened.js';
import { logger } from '../../../shared/log.js';
import { bringsForm, HttpError, sentFields, type Exchange, type Handler } from '../../http/index.js';
import { isElsewhere } from '../../graph/index.js';
import { Arrival, type RequestContext } from '../../request/index.js';
import { Directories, type Directory, type PageEntry } from '../directory/directory.js';
import { scriptRequest } from '../../scripting/index.js';
import { Formats } from '../formats/formats.js';
import { treeMethodsOfScripts } from '../tree/script-methods.js';
import { RenderingFunctions } from '../render/functions.js';
import { Trees } from '../render/trees.js';
import { knownByPassword } from './basic-auth.js';
import { TargetFinder } from './find-target.js';
import type { PagesParts } from './parts.js';
import { isSource, PageSender } from './send-page.js';
import { pathOf, type Target } from './target.js';
import { templateValues } from './template-values.js';

const log = logger('pages');

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);

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
  readonly #finder: TargetFinder;
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
    this.#finder = new TargetFinder(parts);
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
    const sought = this.#finder.atPath(path, directory);
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

  /** For what no file is at: parts by name, pages with details objects, error pages. False: there is nothing. */
  async otherwise(request: RequestContext, path: string): Promise<boolean> {
    const { exchange } = request;
    if (!METHODS.has(exchange.method)) return false;
    const directory = await this.#directories.now;
    const target = await this.#finder.behindFiles(path, request, directory);
    if (target === undefined) return this.#showError(request, 404);
    await this.#send(request, target);
    return true;
  }

  /** Answers a request for a page or a file that has failed: with the page for the status of the error, else with its body. */
  async failed(request: RequestContext, error: unknown): Promise<void> {
    const { exchange, actor } = request;
    if (isElsewhere(error) || exchange.aborted || exchange.responded) {
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
      const target = await this.#finder.firstShown(pages, request, directory, status);
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
      const target = await this.#finder.firstShown(pages, request, directory, status);
      if (target === undefined) return false;
      await this.#send(request, { ...target, headers });
      return true;
    } catch (error) {
      if (exchange.responded || exchange.aborted || isElsewhere(error)) throw error;
      log.warn(`the page for the status ${String(status)} failed: ${messageOf(error)}`);
      return false;
    }
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
    if (root === undefined || !(await this.#finder.isShown(root, request))) throw nothingAt(request);
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
    const asked = { ...target, mode: this.#finder.modeOf(request) };
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
