/** Makes a plan of a tree (docs/design/pages.md 4, docs/interface/pages.md 3). */
import { TimeSlice } from '../../../shared/time-slice.js';
import type { GraphNode } from '../../graph/index.js';
import type { Schema } from '../../schema/index.js';
import {
  chain,
  failureText,
  isMap,
  ScriptEntity,
  ScriptError,
  scriptValue,
  type Awaitable,
  type ScriptValue,
} from '../../scripting/index.js';
import { isRawText, tagsAround } from '../formats/wanted.js';
import { isSandboxed, shownChildren, textOf, type PageNode } from '../model/page-node.js';
import { escapeText, INLINE, isTag, VOID } from '../model/tags.js';
import { actionOps, renderingMode, type ActionOps } from './action-ops.js';
import { attributeOps } from './attributes.js';
import { conditioned } from './conditions.js';
import { editable, editingAttributes } from './editing.js';
import { namesIn } from './names.js';
import { merged, type Audience, type Op, type Plan, type RenderMode, type Scope } from './plan.js';
import { forEachItem, runOps } from './run-ops.js';
import { isHarmlessTag } from './sandbox.js';
import { commentOps, textOps, type Converting } from './texts.js';

export interface CompileOptions {
  readonly schema: Schema;
  readonly audience: Audience;
  /** `html.indentation` */
  readonly indentation: boolean;
  readonly converting: Converting;
  /** Absent: NONE. */
  readonly mode?: RenderMode;
  /** It is shown where text is no HTML, wherever in a page it is itself. */
  readonly isCode?: boolean;
}

type Visible = 'yes' | 'no' | 'ask';

/** A plan for a page as a whole, or for any node by itself, at depth 0. A promise only where it takes longer than the loop is to be held. */
export function compile(root: PageNode, options: CompileOptions): Awaitable<Plan> {
  const compiler = new Compiler(options, root);
  return chain(inSlices(root.kind === 'page' ? compiler.page(root) : compiler.node(root, 0)), (all) => {
    const ops = merged(all);
    const [only = ''] = ops;
    return {
      ops,
      asks: compiler.asks,
      fixed: ops.length < 2 && typeof only === 'string' && compiler.asks.length === 0 ? only : undefined,
    };
  });
}

/** Work of many steps; it goes on where it is told to breathe. */
type Steps<T> = Generator<void, T>;

function inSlices<T>(steps: Steps<T>, slice = new TimeSlice()): Awaitable<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (slice.due) return slice.pause().then(() => inSlices(steps, slice));
  }
}

const NO_ACTIONS: ActionOps = { names: new Set(), ops: [] };
/** Of an element that is edited: the service says its id. */
const EDITED: ActionOps = { names: new Set(['data-svc-id']), ops: [] };

class Compiler {
  readonly asks: GraphNode[] = [];
  /** Tags of the elements around what is being compiled, the nearest one last; of a reference, not those around its component. */
  readonly #around: string[];

  constructor(
    private readonly options: CompileOptions,
    private readonly root: PageNode,
  ) {
    this.#around = [...(options.isCode === true ? ['script'] : []), ...tagsAround(root)];
  }

  /** Events are for visitors. */
  get #isEditing(): boolean {
    return (this.options.mode ?? 'NONE') !== 'NONE';
  }

  *page(page: PageNode): Steps<Op[]> {
    const ops: Op[] = [];
    for (const child of page.children) {
      if (child.node.type === 'Html') ops.push('<!DOCTYPE html>\n');
      ops.push(...(yield* this.node(child, 0)));
    }
    return ops;
  }

  /** A node as it is shown to the audience. */
  *node(node: PageNode, depth: number): Steps<readonly Op[]> {
    yield;
    // In code, what stands where is code itself.
    if (node.isPlacedByOthers && isRawText(this.#around)) return [];
    // Of comments the flags of those at the top count alone.
    const visible = node.kind === 'comment' && node.parent?.kind !== 'page' ? 'yes' : this.#visible(node.node);
    if (visible === 'no' || node.node.properties['hidden'] === true) return [];
    if (node.kind === 'comment') return this.#asked(node, visible, commentOps(node));
    // Who writes a node says by its key what names mean in those below it, which others may have written.
    const dataKey = isSandboxed(node) ? '' : textOf(node, 'dataKey').trim();
    const level = dataKey === '' ? depth : depth + 1;
    const ops = conditioned(node, merged(yield* this.#body(node, level, dataKey)));
    return this.#asked(node, visible, dataKey === '' ? ops : [repeater(node, dataKey, ops)]);
  }

  /** By the flags, or those of the type that stand in their place. */
  #visible(node: GraphNode): Visible {
    const { audience, schema } = this.options;
    if (audience === 'all') return 'yes';
    const { visibility } = schema.typeOf(node);
    const { visibleToPublicUsers, visibleToAuthenticatedUsers } = node.properties;
    if (audience === 'nobody') return (visibility?.toPublic ?? visibleToPublicUsers === true) ? 'yes' : 'no';
    return (visibility?.toUsers ?? visibleToAuthenticatedUsers === true) ? 'yes' : 'ask';
  }

  #asked(node: PageNode, visible: Visible, ops: readonly Op[]): readonly Op[] {
    if (visible === 'yes') return ops;
    this.asks.push(node.node);
    const { id } = node.node;
    return [(scope) => (scope.visit.mayRead(id) ? runOps(ops, scope) : undefined)];
  }

  *#body(node: PageNode, depth: number, dataKey: string): Steps<Op[]> {
    switch (node.kind) {
      case 'page':
        return yield* this.page(node);
      case 'element':
        return yield* this.#element(node, depth, dataKey);
      default:
        return [
          ...configuration(node, isRawText(this.#around)),
          ...this.#editable(node, textOps(node, this.options.converting, this.#around)),
        ];
    }
  }

  #editable(node: PageNode, ops: readonly Op[]): readonly Op[] {
    return this.options.mode === 'CONTENT' ? editable(node, ops) : ops;
  }

  *#element(node: PageNode, depth: number, dataKey: string): Steps<Op[]> {
    const { schema, indentation } = this.options;
    const tag = textOf(node, 'tag');
    const sandboxed = isSandboxed(node);
    if (!isTag(tag) || (sandboxed && !isHarmlessTag(tag))) return [];
    const { type } = node.node;
    const line = indentation ? `\n${'\t'.repeat(depth)}` : '';
    const ops: Op[] = [depth > 0 && !INLINE.has(type) ? line : ''];
    const opening = textOf(node, 'customOpeningTag');
    if (opening !== '' && !sandboxed && type === 'Html') ops.push(opening);
    else {
      const isEdited = this.options.mode === 'CONTENT';
      const actions = this.#isEditing ? (isEdited ? EDITED : NO_ACTIONS) : actionOps(node);
      ops.push(`<${tag}`, ...attributeOps(node, schema.typeOf(node.node), dataKey, actions.names));
      ops.push(...selectedOps(node, dataKey), ...actions.ops, ...(isEdited ? editingAttributes(node, depth) : []));
      // What a template stands for is known by it, so that the next one takes its place.
      if (node === this.root && node.parent?.node.type === 'TemplateElement') {
        ops.push(` data-svc-template-id="${node.parent.node.id}"`);
      }
      ops.push('>');
    }
    if (VOID.has(type)) return ops;
    this.#around.push(tag.toLowerCase());
    const children = this.#childrenOf(node);
    ops.push(...configuration(node, isRawText(this.#around)));
    ops.push(...(yield* this.#inside(node, children, depth, line)), `</${tag}>`);
    this.#around.pop();
    return ops;
  }

  #childrenOf(node: PageNode): readonly PageNode[] {
    return node.isReferenceOfOthers && isRawText(this.#around) ? node.children : shownChildren(node);
  }

  *#inside(node: PageNode, children: readonly PageNode[], depth: number, line: string): Steps<readonly Op[]> {
    // Who edits a page is to see all of it.
    const isLater = !this.#isEditing && renderingMode(node) !== '';
    if (isLater && this.root.kind === 'page') return [];
    const all: Op[] = [];
    for (const child of children) for (const op of yield* this.node(child, depth + 1)) all.push(op);
    const inside = merged(all);
    const ops = inside.some((op) => typeof op === 'function') ? [guarded(node, inside)] : inside;
    if (children.some((child) => child.kind === 'element' && !INLINE.has(child.node.type))) ops.push(line);
    // What is put into a page by a script is a part of that page.
    return isLater ? [(scope) => (scope.visit.isPart ? runOps(ops, scope) : undefined)] : ops;
  }
}

/** ` selected` of an option that is one of the selected values (docs/interface/pages.md 3.2). */
function selectedOps(node: PageNode, dataKey: string): Op[] {
  const source = textOf(node, 'selectedValues');
  const isManaged =
    node.node.type === 'Option' && dataKey !== '' && node.node.properties['_html_selected'] === undefined;
  if (!isManaged || source.trim() === '' || isSandboxed(node)) return [];
  const names = namesIn(source);
  return [
    ({ visit, constants }) => {
      const mark = (selected: ScriptValue): void => {
        if (isSelected(selected, constants.get(dataKey) ?? null)) visit.write(' selected');
      };
      const failed = (error: unknown): void => {
        visit.warn(error, node);
      };
      try {
        const value = scriptValue(source, visit.contextOf(node, constants, names));
        return value instanceof Promise ? value.then(mark, failed) : mark(value);
      } catch (error) {
        failed(error);
      }
    },
  ];
}

function isSelected(selected: ScriptValue, item: ScriptValue): boolean {
  const isSame = (one: ScriptValue): boolean =>
    one === item || (one instanceof ScriptEntity && item instanceof ScriptEntity && one.id === item.id);
  if (Array.isArray(selected)) return selected.some(isSame);
  if (isSame(selected)) return true;
  return isMap(item) && item.size === 1 && item.has('value') && item.get('value') === selected;
}

/** Evaluated before what it configures is shown. */
function configuration(node: PageNode, isCode: boolean): Op[] {
  const source = textOf(node, 'sharedComponentConfiguration');
  if (source.trim() === '' || isSandboxed(node)) return [];
  const names = namesIn(source);
  const place = { escape: (text: string) => text, writes: true, isCode };
  return [
    ({ visit, constants }) => {
      const failed = (error: unknown): void => {
        visit.warn(error, node);
      };
      try {
        const value = visit.within(place, () => scriptValue(source, visit.contextOf(node, constants, names)));
        return value instanceof Promise ? value.then(() => undefined, failed) : undefined;
      } catch (error) {
        failed(error);
      }
    },
  ];
}

/** The node once for each of its objects, known by the key meanwhile. */
function repeater(node: PageNode, dataKey: string, ops: readonly Op[]): Op {
  return (scope) =>
    chain(scope.visit.itemsOf(node, dataKey, scope.constants), (items) =>
      forEachItem(items, scope, (item) =>
        runOps(ops, { visit: scope.visit, constants: new Map(scope.constants).set(dataKey, item) }),
      ),
    );
}

/** What fails in an element is told in it; the page goes on. */
function guarded(node: PageNode, ops: readonly Op[]): Op {
  return (scope: Scope): Awaitable<void> => {
    const failed = (error: unknown): void => {
      if (!(error instanceof ScriptError)) throw error;
      scope.visit.warn(error, node);
      scope.visit.write(
        escapeText(`Error while rendering node ${node.node.id}: ${failureText(error, node.node.type)}`),
      );
    };
    try {
      const done = runOps(ops, scope);
      return done instanceof Promise ? done.catch(failed) : done;
    } catch (error) {
      failed(error);
    }
  };
}
