/** One page, or a part of one, on its way to whoever asks (docs/design/pages.md 5, 6). */
import { isElsewhere, type GraphNode } from '../../graph/index.js';
import { shownRule, type Actor, type ObjectAccess } from '../../schema/index.js';
import {
  chain,
  failureText,
  isMap,
  isScriptObject,
  scriptValue,
  ScriptEntity,
  ScriptError,
  WrittenSeries,
  writeScript,
  type Awaitable,
  type PlacedScript,
  type ScriptContext,
  type ScriptRun,
  type ScriptValue,
} from '../../scripting/index.js';
import { textOf, type PageNode } from '../model/page-node.js';
import { namesIn } from '../plan/names.js';
import type { Audience, Constants, Names, Place, Plan, RenderMode, ScriptOp, Visit } from '../plan/plan.js';
import { always } from '../plan/always.js';
import { runOps } from '../plan/run-ops.js';
import { isHarmlessTag } from '../plan/sandbox.js';
import { cypherRows } from './cypher-rows.js';
import { GoneError, PageLimitError, type Output } from './output.js';
import type { PlannedTree } from './trees.js';

/** Parts of pages that show others, one in the other. */
const DEEPEST = 100;
/** Parts that one page shows, each as often as it does, and those of them that are so deep: two that show each other twice would be 2^100. */
const MOST_PARTS = 250_000;
const DEEP = 10;
const MOST_DEEP = 10_000;
/** Parameter that has every repeater show this one object. */
const NODE_ID = 'nodeId';

/** Around texts: in tags, conditions, sources of repeaters. */
const NOWHERE: Place = { escape: (text) => text, writes: false, isCode: false };

export interface Visitor {
  readonly actor: Actor;
  readonly access: ObjectAccess;
}

export function audienceOf({ actor }: Visitor): Audience {
  if (actor.reachesAll || actor.isAdmin) return 'all';
  return actor.id === undefined ? 'nobody' : 'users';
}

/** Runs that render a page, for the functions that their scripts call. */
const renderings = new WeakMap<ScriptRun, Rendering>();

export function renderingOf(run: ScriptRun): Rendering | undefined {
  return renderings.get(run);
}

export class Rendering implements Visit {
  readonly audience: Audience;
  readonly write: (text: string) => void;
  #place: Place = NOWHERE;
  /** Objects that the page is about, which scripts may exchange. */
  current: ScriptValue | undefined;
  readonly #readable = new Map<string, boolean>();
  /** Repeaters that the address says the object of, by their data key; null: it is gone. */
  readonly restored = new Map<string, ScriptValue>();
  /** Data keys that the address says the object of. */
  readonly restoredKeys = new Set<string>();
  /** Trees that it shows parts of. */
  readonly trees: PlannedTree[] = [];
  #depth = 0;
  /** What scripts of nodes know of them. */
  readonly #nodes = new Map<PageNode, Pick<ScriptContext, 'self' | 'title'>>();
  /** Shown by all of the request. */
  readonly #parts: { all: number; deep: number };
  #limit: PageLimitError | undefined;
  readonly #output: Output;
  /** Of the same run, which goes on when this one has ended. */
  readonly #before: Rendering | undefined;

  constructor(
    readonly run: ScriptRun,
    private readonly base: ScriptContext,
    output: Output,
    readonly visitor: Visitor,
    /** Constants of all scripts of the page. */
    readonly constants: Constants,
    readonly mode: RenderMode = 'NONE',
    readonly isPart = false,
  ) {
    this.audience = audienceOf(visitor);
    this.#output = output;
    this.#before = renderings.get(run);
    this.#parts = this.#before === undefined ? { all: 0, deep: 0 } : this.#before.#parts;
    // What shows itself within a value of its own ends, too.
    this.#depth = this.#before === undefined ? 0 : this.#before.#depth + 1;
    this.write = (text) => {
      try {
        this.#output.write(text);
      } catch (error) {
        this.#fail(error);
        throw error;
      }
    };
    renderings.set(run, this);
  }

  get locale(): string {
    return this.run.locale;
  }

  pressure(): Promise<void> | undefined {
    if (this.#limit !== undefined) throw this.#limit;
    try {
      return this.#output.pressure();
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** A page of which a part is too long is none, also where a script has caught the error. */
  #fail(error: unknown): void {
    if (!(error instanceof PageLimitError)) return;
    this.#limit ??= error;
    if (this.#before !== undefined) this.#before.#fail(error);
  }

  /** Throws what a script has caught and must not. */
  mustBeWhole(): void {
    if (this.#limit !== undefined) throw this.#limit;
  }

  parameter(name: string): string | undefined {
    const value = this.run.options.request?.parameters.get(name);
    return typeof value === 'string' ? value : value?.[0];
  }

  *parameters(): Iterable<readonly [string, string]> {
    for (const name of this.run.options.request?.parameters.keys() ?? []) yield [name, this.parameter(name) ?? ''];
  }

  details(constants: Constants): string | undefined {
    const details = this.current ?? constants.get('current');
    return details instanceof ScriptEntity ? details.id : undefined;
  }

  state(constants: Constants): Readonly<Record<string, string>> {
    const state = new Map<string, string>();
    for (const [key, value] of constants) {
      const isRepeated = this.restoredKeys.has(key) || this.constants.get(key) !== value;
      if (isRepeated && value instanceof ScriptEntity) state.set(key, value.id);
    }
    return Object.fromEntries(state);
  }

  mayRead(id: string): boolean {
    return this.#readable.get(id) === true;
  }

  warn(error: unknown, { node }: PageNode): void {
    if (error instanceof GoneError || error instanceof PageLimitError || isElsewhere(error)) throw error;
    this.run.warn(failureText(error, titleOf(node)));
  }

  /** Renders a plan here. */
  render({ ops, asks }: Plan, constants: Constants): Awaitable<void> {
    const unknown = asks.filter(({ id }) => !this.#readable.has(id));
    const go = (): Awaitable<void> =>
      this.within({ ...NOWHERE, isCode: this.#place.isCode }, () => runOps(ops, { visit: this, constants }));
    return unknown.length === 0 ? go() : this.#ask(unknown).then(go);
  }

  async #ask(nodes: readonly GraphNode[]): Promise<void> {
    const rule = shownRule(this.visitor.access);
    const answers = rule === undefined ? undefined : await this.run.transaction.read((tx) => tx.permitted(nodes, rule));
    nodes.forEach(({ id }, i) => this.#readable.set(id, answers === undefined || answers[i] === true));
  }

  series(count: number, at: (index: number) => PlacedScript): WrittenSeries {
    return new WrittenSeries(this.run.parts.config, count, at);
  }

  contextOf(node: PageNode, constants: Constants, names: Names): ScriptContext {
    const { run, base } = this;
    const of = (one: GraphNode): ScriptEntity => run.entities.of(one);
    let own: Constants = constants;
    if (names.children || names.parent || names.link || names.template || this.current !== undefined) {
      const more = new Map(constants);
      if (names.children)
        more.set(
          'children',
          node.children.map((child) => of(child.node)),
        );
      if (names.parent) more.set('parent', node.parent === undefined ? null : of(node.parent.node));
      if (names.link) {
        const link = this.#mayPointTo(node) ? node.link : undefined;
        more.set('link', link === undefined ? null : run.entities.asBefore(link));
      }
      if (names.template) more.set('template', templateOf(node, of));
      if (this.current !== undefined) more.set('current', this.current);
      own = more;
    }
    const { self, title } = this.#known(node);
    // Written out: a copy by spreading takes as long as a short script.
    return {
      run,
      actor: base.actor,
      access: base.access,
      self,
      parameters: base.parameters,
      constants: own,
      title,
    };
  }

  #known(node: PageNode): Pick<ScriptContext, 'self' | 'title'> {
    let known = this.#nodes.get(node);
    if (known === undefined) {
      this.#nodes.set(node, (known = { self: this.run.entities.of(node.node), title: titleOf(node.node) }));
    }
    return known;
  }

  script({ script, node, names, place, form }: ScriptOp, constants: Constants): Awaitable<void> {
    const before = this.#place;
    this.#place = place;
    let isLater = false;
    try {
      const done = writeScript(script, this.contextOf(node, constants, names), form, this.write);
      if (!(done instanceof Promise)) return;
      isLater = true;
      return done.finally(() => {
        this.#place = before;
      });
    } finally {
      if (!isLater) this.#place = before;
    }
  }

  /** What others have linked is not loaded as code. */
  #mayPointTo(node: PageNode): boolean {
    if (!node.isLinkOfOthers) return true;
    return !this.#place.isCode && (node.kind !== 'element' || isHarmlessTag(textOf(node, 'tag')));
  }

  /** Where the script stands that runs now. */
  get place(): Place {
    return this.#place;
  }

  within<T>(place: Place, work: () => Awaitable<T>): Awaitable<T> {
    const before = this.#place;
    this.#place = place;
    return always(work, () => {
      this.#place = before;
    });
  }

  /** What a script has printed goes before what it renders. */
  emitPrinted(): Awaitable<void> {
    const { printed } = this.run;
    if (printed === '') return;
    this.run.printed = '';
    return chain(this.#place.escape(printed), this.write);
  }

  /** Parts that show each other. Throws `ScriptError` 422 when they do so for ever, `PageLimitError` when they are too many. */
  nested(work: () => Awaitable<void>): Awaitable<void> {
    if (this.#depth >= DEEPEST) {
      throw new ScriptError(422, `Parts of the page show each other more than ${String(DEEPEST)} levels deep.`);
    }
    this.#count();
    this.#depth++;
    const leave = (): void => {
      this.#depth--;
    };
    return always(work, leave);
  }

  #count(): void {
    const parts = this.#parts;
    if (this.#depth >= DEEP) parts.deep++;
    if (++parts.all <= MOST_PARTS && parts.deep <= MOST_DEEP) return;
    const many = `${String(MOST_PARTS)} parts, or more than ${String(MOST_DEEP)} that are ${String(DEEP)} levels deep in others`;
    const error = new PageLimitError(`The page shows more than ${many}.`);
    this.#fail(error);
    throw error;
  }

  /** The run goes on without it. */
  end(): void {
    if (this.#before === undefined) renderings.delete(this.run);
    else renderings.set(this.run, this.#before);
  }

  itemsOf(node: PageNode, dataKey: string, constants: Constants): Awaitable<readonly ScriptValue[]> {
    const restored = this.restored.get(dataKey);
    if (restored !== undefined) {
      this.restored.delete(dataKey);
      return restored === null ? [] : [restored];
    }
    const asked = this.parameter(NODE_ID);
    const sources = (): Awaitable<readonly ScriptValue[]> => this.#sources(node, dataKey, constants);
    if (asked === undefined || asked === '') return sources();
    return this.run.entities.byId(asked, undefined, this.base).then((one) => (one === undefined ? sources() : [one]));
  }

  /** The first that brings some. */
  #sources(node: PageNode, dataKey: string, constants: Constants): Awaitable<readonly ScriptValue[]> {
    const other = (): Awaitable<readonly ScriptValue[]> => {
      const source = textOf(node, 'functionQuery');
      const outer = (): Awaitable<readonly ScriptValue[]> => this.#outer(dataKey, constants, node);
      if (node.hasFlow === true)
        this.warn(new ScriptError(501, 'Repeaters by flows are not part of this version.'), node);
      if (source.trim() === '') return outer();
      return this.#rows(node, () => scriptValue(source, this.contextOf(node, constants, namesIn(source))), outer);
    };
    const query = textOf(node, 'cypherQuery');
    if (query.trim() === '') return other();
    return this.#rows(node, () => cypherRows(query, this.contextOf(node, constants, namesIn(query))), other);
  }

  /** What a source brings; what `otherwise` does where it brings nothing, or fails, which is logged. */
  #rows(
    node: PageNode,
    source: () => Awaitable<ScriptValue>,
    otherwise: () => Awaitable<readonly ScriptValue[]>,
  ): Awaitable<readonly ScriptValue[]> {
    const failed = (error: unknown): Awaitable<readonly ScriptValue[]> => {
      this.warn(error, node);
      return otherwise();
    };
    const found = (value: ScriptValue): Awaitable<readonly ScriptValue[]> =>
      chain(itemsIn(value), (items) => (items.length > 0 ? items : otherwise()));
    try {
      const value = source();
      return value instanceof Promise ? value.then(found).catch(failed) : found(value);
    } catch (error) {
      return failed(error);
    }
  }

  /** What an outer repeater of the same key stands for has a property of that name. */
  #outer(dataKey: string, constants: Constants, node: PageNode): Awaitable<readonly ScriptValue[]> {
    const outer = constants.get(dataKey);
    if (isMap(outer ?? null)) return itemsIn((outer as ReadonlyMap<string, ScriptValue>).get(dataKey) ?? null);
    if (!(outer instanceof ScriptEntity)) return [];
    const context = this.contextOf(node, constants, NO_NAMES);
    return chain(this.run.entities.get(outer, dataKey, context), (value) => itemsIn(value ?? null));
  }
}

const NO_NAMES: Names = { children: false, parent: false, link: false, template: false };

/** Objects and maps alone can be what a repeater shows; a single one is a list of one. */
function itemsIn(value: ScriptValue): Awaitable<readonly ScriptValue[]> {
  if (value === null) return [];
  if (Array.isArray(value)) return value.filter((one) => one !== null);
  if (value instanceof ScriptEntity || isMap(value)) return [value];
  if (isScriptObject(value) && value.elements !== undefined) {
    return chain(value.elements(), (all) => all.filter((one) => one !== null));
  }
  return [];
}

function templateOf(node: PageNode, of: (node: GraphNode) => ScriptEntity): ScriptValue {
  for (let one: PageNode | undefined = node; one !== undefined; one = one.parent) {
    if (one.kind === 'template') return of(one.node);
  }
  return null;
}

function titleOf({ type, id, properties }: GraphNode): string {
  const { name } = properties;
  return typeof name === 'string' && name !== '' ? `${type}[${id}] ${name}` : `${type}[${id}]`;
}
