/** Renders a target and sends it (docs/interface/pages.md 2.10, docs/design/pages.md 4, 5). */
import type { EditMode } from '../../files/index.js';
import {
  elsewhereErrors,
  isElsewhere,
  writerElsewhere,
  type GraphNode,
  type ReadTransaction,
} from '../../graph/index.js';
import { acceptsCoding, type Exchange, type PreparedHeaders } from '../../http/index.js';
import { localeOf, type RequestContext } from '../../request/index.js';
import {
  chain,
  repeating,
  ScriptEntity,
  scriptRequest,
  type Awaitable,
  type ScriptRequest,
  type ScriptRun,
  type ScriptValue,
} from '../../scripting/index.js';
import { DEEPEST } from '../model/read-tree.js';
import { exportForm } from '../modes/export.js';
import type { RawMode } from '../modes/raw.js';
import { RENDER_STATE } from '../plan/action-ops.js';
import type { Audience, Plan, RenderMode } from '../plan/plan.js';
import { CopiedOutput, GoneError, SentOutput, type Output } from '../render/output.js';
import { audienceOf, Rendering } from '../render/rendering.js';
import type { PlannedTree } from '../render/trees.js';
import { whenLate } from './head-start.js';
import {
  contentTypeOf,
  datesOf,
  isUnchanged,
  privateHeaders,
  setDates,
  sharedHeaders,
  sourceHeaders,
} from './headers.js';
import { keyOf, KeptPages, watched, type Keep } from './kept-pages.js';
import type { PagesParts } from './parts.js';
import { ReadyText } from './ready-text.js';
import type { Target } from './target.js';

/** Of a part that is asked for by itself. */
const PART_TYPE = 'text/html;charset=UTF-8';

/** Nodes around a part that are looked at for repeaters: what stands for a shared component may be all over the pages. */
const MOST_AROUND = 1000;

/** Modes that show what is stored: no script is run, and everything is shown. */
export function isSource(mode: EditMode): mode is RawMode | 'DEPLOYMENT' {
  return mode === 'WIDGET' || mode === 'RAW' || mode === 'DEPLOYMENT';
}

export class PageSender {
  readonly #ready = new WeakMap<Plan, ReadyText>();
  readonly #shared = new WeakMap<GraphNode, PreparedHeaders>();
  readonly #settled = new WeakMap<ReadyText, PreparedHeaders>();

  readonly #kept: KeptPages;
  /** Pages that turned out to need the main thread, as they are now. */
  readonly #elsewhere = new WeakSet<PlannedTree>();

  constructor(private readonly parts: PagesParts) {
    this.#kept = new KeptPages(parts.graph);
  }

  /** Answers a request with a target. `tree`: of its root. */
  send(request: RequestContext, target: Target, tree: PlannedTree): void | Promise<void> {
    const { exchange, actor } = request;
    if (this.#elsewhere.has(tree) && exchange.handOver()) return exchange.handedOver;
    const { root } = tree.tree;
    const page = root.node;
    const { mode = 'NONE' } = target;
    if (isSource(mode)) return this.#sendSource(request, target, tree, mode);
    const isShared =
      mode === 'NONE' &&
      actor.id === undefined &&
      target.status === 200 &&
      target.values === undefined &&
      target.isPart !== true &&
      page.properties['dontCache'] !== true;
    if (isShared && isUnchanged(exchange, tree.goodFrom)) {
      exchange.status = 304;
      exchange.setHeaders(this.#headersOf(page));
      setDates(exchange, page, tree.goodFrom);
      exchange.end();
      return;
    }
    return chain(planOf(target, tree, mode, audienceOf(request)), (plan) => {
      if (plan.fixed !== undefined && isShared) return this.#sendReady(exchange, tree, plan, plan.fixed);
      const seconds = isShared && exchange.method !== 'POST' ? secondsOf(page) : 0;
      if (seconds > 0) return this.#sendKept(request, target, tree, plan, seconds);
      return this.#render(request, target, tree, plan, isShared, mode);
    });
  }

  async #sendSource(
    request: RequestContext,
    { root, status, isPart = false }: Target,
    tree: PlannedTree,
    mode: RawMode | 'DEPLOYMENT',
  ): Promise<void> {
    const { exchange } = request;
    const source =
      mode === 'DEPLOYMENT'
        ? await this.parts.requests.read(request, (tx) => exportForm(tx, request.schema, root))
        : await tree.source(mode);
    exchange.status = status;
    exchange.setHeaders(sourceHeaders(isPart ? PART_TYPE : contentTypeOf(root)));
    exchange.end(source);
  }

  #headersOf(page: GraphNode): PreparedHeaders {
    let headers = this.#shared.get(page);
    if (headers === undefined) this.#shared.set(page, (headers = sharedHeaders(page)));
    return headers;
  }

  #setHeaders(
    exchange: Exchange,
    { root, isPart = false, headers = {} }: Target,
    tree: PlannedTree,
    isShared: boolean,
  ): void {
    for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
    if (isShared) {
      const page = tree.tree.root.node;
      exchange.setHeaders(this.#headersOf(page));
      setDates(exchange, page, tree.goodFrom);
    } else exchange.setHeaders(privateHeaders(isPart ? PART_TYPE : contentTypeOf(root)));
  }

  #sendReady(exchange: Exchange, tree: PlannedTree, plan: Plan, text: string): void | Promise<void> {
    const page = tree.tree.root.node;
    let ready = this.#ready.get(plan);
    if (ready === undefined) this.#ready.set(plan, (ready = new ReadyText(text, this.#headersOf(page))));
    return ready.send(
      exchange,
      this.#packs(exchange),
      this.#settledOf(tree, ready) ??
        (() => {
          setDates(exchange, page, tree.goodFrom);
        }),
    );
  }

  /** All headers of a text, once its dates change no more; undefined: they do. */
  #settledOf({ goodFrom, tree: { root } }: PlannedTree, ready: ReadyText): PreparedHeaders | undefined {
    let settled = this.#settled.get(ready);
    if (settled !== undefined) return settled;
    const dates = datesOf(root.node, goodFrom);
    if (dates !== undefined) this.#settled.set(ready, (settled = ready.headersWith(dates)));
    return settled;
  }

  /** From what is kept, or is being made for somebody else; else it is made, for all who ask meanwhile. */
  async #sendKept(
    request: RequestContext,
    target: Target,
    tree: PlannedTree,
    plan: Plan,
    seconds: number,
  ): Promise<void> {
    const { exchange } = request;
    const page = tree.tree.root.node;
    const key = keyOf(exchange, page.id, this.#localeOf(request, scriptRequest(exchange)));
    while (!exchange.aborted && this.#kept.mayKeep(tree)) {
      const found = this.#kept.find(key, tree);
      if (found === undefined) {
        await this.#kept.make(key, tree, seconds, (made) =>
          this.#render(request, target, tree, plan, true, 'NONE', made),
        );
        return;
      }
      const made = found instanceof Promise ? await found : found;
      if (made === 'left') continue;
      if (made === 'own') break;
      await made.text.send(exchange, this.#packs(exchange), () => {
        setDates(exchange, page, tree.goodFrom, made.madeAt);
      });
      return;
    }
    if (!exchange.aborted) await this.#render(request, target, tree, plan, true, 'NONE');
  }

  #localeOf(request: RequestContext, { parameters }: ScriptRequest): string {
    const { config, scripting, security } = this.parts;
    const asked = parameters.get(config.get('application.legacy.requestparameters.enabled') ? 'locale' : '_locale');
    return localeOf(request, security, typeof asked === 'string' ? asked : undefined, scripting.locale);
  }

  #packs(exchange: Exchange): boolean {
    return (
      this.parts.config.get('httpservice.gzip.enabled') && acceptsCoding(exchange.header('accept-encoding'), 'gzip')
    );
  }

  async #render(
    request: RequestContext,
    target: Target,
    tree: PlannedTree,
    plan: Plan,
    isShared: boolean,
    mode: RenderMode,
    made?: Keep,
  ): Promise<void> {
    const { scripting } = this.parts;
    const { exchange, actor } = request;
    const page = tree.tree.root.node;
    let isPersonal = false;
    const seen =
      made === undefined
        ? exchange
        : watched(exchange, () => {
            isPersonal = true;
          });
    const script = scriptRequest(seen, target.form);
    const options = { request: script, locale: this.#localeOf(request, script) };
    let copied: (() => Parameters<Keep>[0]) | undefined;
    const isRaw = page.properties['pageCreatesRawData'] === true;
    let sentHead = '';
    const { count } = elsewhereErrors;
    const isReader = this.parts.graph.isReader === true;
    const finished = await repeating<SentOutput>({
      begin: (locking) => scripting.open({ ...options }, { locking, reason: 'page', actor }),
      isOver: () => exchange.aborted,
      work: async (run) => {
        const sent = new SentOutput(
          exchange,
          () => {
            // What has left cannot be made anew when others come in between.
            if (!isReader) run.transaction.reachesOut('the client, by a part of the page');
            exchange.status = target.status;
            this.#setHeaders(exchange, target, tree, isShared);
            run.response.applyTo(exchange);
            sentHead = run.response.head;
          },
          // What has left could not be handed over.
          () => !isReader && !isRaw && !run.transaction.writes && exchange.method !== 'HEAD',
        );
        const copy =
          made === undefined
            ? undefined
            : new CopiedOutput(exchange, sent, () => {
                made('personal');
              });
        const rendering = await this.#rendering(request, target, tree, run, copy ?? sent, mode);
        copied = () => {
          if (isPersonal || run.transaction.writes || !run.response.isUntouched) return 'personal';
          if (run.warned) return 'own';
          return copy?.text === undefined ? 'personal' : new ReadyText(copy.text, this.#headersOf(page));
        };
        const stopWaiting = whenLate(() => {
          sent.sendEarly();
        });
        const letGo = scripting.linger(run);
        try {
          await rendering.render(plan, rendering.constants);
          rendering.mustBeWhole();
        } finally {
          letGo();
          stopWaiting();
          if (sent.hasBegun && run.response.head !== sentHead) {
            run.warn(
              `${titleOf(page)}: status, headers or cookies were set when the first part had left, and are not sent.`,
            );
          }
        }
        return sent;
      },
    }).catch((error: unknown) => {
      if (isElsewhere(error)) this.#elsewhere.add(tree);
      if (error instanceof GoneError || exchange.aborted) return undefined;
      throw error;
    });
    // A script may have caught one.
    if (count !== elsewhereErrors.count) throw writerElsewhere();
    if (made !== undefined) {
      const text = finished === undefined ? 'left' : copied?.();
      made(text ?? 'own');
    }
    await finished?.end();
  }

  async #rendering(
    request: RequestContext,
    target: Target,
    tree: PlannedTree,
    run: ScriptRun,
    output: Output,
    mode: RenderMode,
  ): Promise<Rendering> {
    const { scripting } = this.parts;
    const { root } = tree.tree;
    const page = await this.#pageOf(run, root.node);
    const constants = new Map<string, ScriptValue>(target.values ?? []);
    constants.set('page', page === undefined ? null : run.entities.of(page));
    constants.set('current', target.details === undefined ? null : run.entities.of(target.details));
    const base = scripting.context(run, request, titleOf(root.node));
    const rendering = new Rendering(run, { ...base, constants }, output, request, constants, mode, target.isPart);
    rendering.trees.push(tree);
    if (target.isPart === true) await restore(rendering, run, constants, root.node);
    return rendering;
  }

  /** The page that a node is a part of. */
  async #pageOf(run: ScriptRun, node: GraphNode): Promise<GraphNode | undefined> {
    if (run.schema.typeOf(node).hasTrait('Page')) return node;
    const [pages = []] = await run.transaction.read((tx) =>
      tx.related([node.id], { relType: 'PAGE', direction: 'out' }, 1),
    );
    return pages[0];
  }
}

/** `cacheForSeconds`; 0: it is not kept. */
function secondsOf({ properties: { cacheForSeconds } }: GraphNode): number {
  return typeof cacheForSeconds === 'number' && cacheForSeconds > 0 ? cacheForSeconds : 0;
}

function titleOf({ id, properties }: GraphNode): string {
  return `Page ${String(properties['name'] ?? id)}`;
}

/** Of a template what it stands for is shown, its first element. */
function planOf({ isPart }: Target, tree: PlannedTree, mode: RenderMode, audience: Audience): Awaitable<Plan> {
  const { root } = tree.tree;
  if (isPart !== true || root.node.type !== 'TemplateElement') return tree.planFor(mode, audience);
  const first = root.children.find(({ kind }) => kind === 'element');
  return first === undefined ? EMPTY : tree.planFor(mode, audience, first);
}

const EMPTY: Plan = { ops: [], asks: [], fixed: '' };

/**
 * What repeaters around a part stood for, as the address says. Names that no repeater around it has are left out: else anybody could say what `me` is.
 */
async function restore(
  rendering: Rendering,
  run: ScriptRun,
  constants: Map<string, ScriptValue>,
  node: GraphNode,
): Promise<void> {
  const encoded = run.options.request?.parameters.get(RENDER_STATE);
  if (typeof encoded !== 'string' || encoded === '') return;
  let state: unknown;
  try {
    state = JSON.parse(Buffer.from(encoded, 'base64').toString());
  } catch {
    return;
  }
  if (typeof state !== 'object' || state === null) return;
  const keys = await run.transaction.read((tx) => dataKeysAround(tx, node));
  const context = { ...rendering.visitor, title: 'page' };
  for (const [key, id] of Object.entries(state)) {
    if (typeof id !== 'string' || !keys.has(key)) continue;
    const one = (await run.entities.byId(id, undefined, context)) ?? null;
    rendering.restored.set(key, one);
    if (!(one instanceof ScriptEntity)) continue;
    constants.set(key, one);
    rendering.restoredKeys.add(key);
  }
}

/** Of a node and those above it; above shared components is what stands for them. */
async function dataKeysAround(tx: ReadTransaction, node: GraphNode): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const seen = new Set<string>();
  let level: readonly GraphNode[] = [node];
  for (let depth = 0; level.length > 0 && depth <= DEEPEST && seen.size < MOST_AROUND; depth++) {
    for (const { id, properties } of level) {
      seen.add(id);
      const { dataKey, sandboxed } = properties;
      if (typeof dataKey === 'string' && dataKey.trim() !== '' && sandboxed !== true) keys.add(dataKey.trim());
    }
    const ids = level.map(({ id }) => id);
    const [above, references] = await Promise.all([
      tx.related(ids, { relType: 'CONTAINS', direction: 'in' }, 1),
      tx.related(ids, { relType: 'SYNC', direction: 'out' }, MOST_AROUND),
    ]);
    const next = [...above.flat(), ...references.flat()].filter(({ id }) => !seen.has(id));
    level = [...new Map(next.map((one) => [one.id, one])).values()].slice(0, MOST_AROUND);
  }
  return keys;
}
