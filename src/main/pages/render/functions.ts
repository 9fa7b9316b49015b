/** What scripts call to put parts of pages into others (docs/interface/pages.md 3.4). */
import type { EditMode } from '../../files/index.js';
import type { GraphNode } from '../../graph/index.js';
import { onlyReadable, type ObjectTransaction } from '../../schema/index.js';
import {
  chain,
  ScriptEntity,
  ScriptError,
  type Awaitable,
  type PageFunctions,
  type Repeated,
  type ScriptContext,
  type ScriptValue,
} from '../../scripting/index.js';
import { buildBelow, buildInstead } from '../imports/build.js';
import { readHtml } from '../imports/read-html.js';
import type { PageNode } from '../model/page-node.js';
import { isMarked } from '../model/stored-values.js';
import { escapeAttribute } from '../model/tags.js';
import { exportForm } from '../modes/export.js';
import { forEachItem, type RenderMode } from '../plan/plan.js';
import { removeChild } from '../tree/place.js';
import { GatheredOutput } from './output.js';
import { always, Rendering, renderingOf } from './rendering.js';
import type { PlannedTree, Trees } from './trees.js';

/** Elements of one name that are looked at; several are none. */
const FEW = 20;

interface Found {
  readonly tree: PlannedTree;
  readonly node: PageNode;
}

export class RenderingFunctions implements PageFunctions {
  constructor(private readonly trees: Trees) {}

  render(nodes: ScriptValue, context: ScriptContext): Awaitable<ScriptValue> {
    const list = (Array.isArray(nodes) ? nodes : [nodes]).filter((one) => one !== null);
    const entities = list.map((one) => {
      if (one instanceof ScriptEntity && one.entity.kind === 'node') return one;
      throw new ScriptError(422, 'render() takes nodes of pages.');
    });
    return this.#writing('render', context, (rendering) =>
      forEachItem(entities, { visit: rendering, constants: context.constants }, (one) =>
        chain(this.#find(one as ScriptEntity, rendering, context), (found) =>
          this.#show(found, undefined, rendering, context),
        ),
      ),
    );
  }

  include(name: string, repeated: Repeated | undefined, context: ScriptContext): Awaitable<ScriptValue> {
    return this.#writing('include', context, async (rendering) => {
      const nodes = await this.#named(name, context);
      const [node] = nodes;
      if (node === undefined) {
        const file = await this.#file(name, context);
        if (file !== undefined) rendering.write(fileTag(file));
        return;
      }
      if (nodes.length > 1) {
        context.run.warn(`${context.title}: include() finds several elements named '${name}', and shows none.`);
        return;
      }
      const found = await this.#find(context.run.entities.of(node), rendering, context);
      await this.#show(found, repeated, rendering, context);
    });
  }

  includeChild(name: string, repeated: Repeated | undefined, context: ScriptContext): Awaitable<ScriptValue> {
    const { self } = context;
    return this.#writing('include-child', context, (rendering) =>
      chain(self === null ? undefined : this.#find(self, rendering, context), (template) => {
        if (template?.node.kind !== 'template') {
          throw new ScriptError(422, 'includeChild() is for templates: it shows one of their children.');
        }
        const children = template.node.children.filter(({ node }) => node.properties['name'] === name);
        const [node] = children;
        if (node === undefined) return;
        if (children.length > 1) {
          context.run.warn(`${context.title}: includeChild() finds several children named '${name}', and shows none.`);
          return;
        }
        return this.#show({ tree: template.tree, node }, repeated, rendering, context);
      }),
    );
  }

  setDetails(value: ScriptValue, { run }: ScriptContext): void {
    const rendering = renderingOf(run);
    if (rendering === undefined) throw new ScriptError(422, 'setDetailsObject() is for scripts of pages.');
    rendering.current = value;
  }

  /** The source of an element, or what it becomes; sources are for administrators, as on pages. */
  source(element: ScriptEntity, mode: EditMode, context: ScriptContext): Awaitable<ScriptValue> {
    const { run, actor } = context;
    const asked = actor.isAdmin ? mode : 'NONE';
    if (asked === 'DEPLOYMENT') return run.transaction.read((tx) => exportForm(tx, run.schema, nodeOf(element)));
    if (asked === 'WIDGET' || asked === 'RAW') {
      return run.transaction.read((tx) => this.trees.source(tx, element.id, asked));
    }
    return this.#aside(asked, context, (rendering) =>
      chain(this.#find(element, rendering, context), (found) => this.#show(found, undefined, rendering, context)),
    );
  }

  async insertHtml(
    parent: ScriptEntity,
    html: string,
    instead: ScriptEntity | undefined,
    context: ScriptContext,
  ): Promise<ScriptValue> {
    const { run, actor, access } = context;
    const nodes = await readHtml(html, { what: 'The function', threads: run.parts.threads, run });
    const objects = await run.transaction.objects(actor, access);
    const above = await nodeNow(objects, parent);
    const made =
      instead === undefined
        ? await buildBelow(objects, above, nodes, 'author')
        : await buildInstead(objects, above, await nodeNow(objects, instead), nodes, 'author');
    return made.map((node) => run.entities.of(node));
  }

  async removeChild(parent: ScriptEntity, child: ScriptEntity, { run, actor, access }: ScriptContext): Promise<void> {
    const objects = await run.transaction.objects(actor, access);
    await removeChild(objects, await nodeNow(objects, parent), await nodeNow(objects, child));
  }

  /** Into the page that is being made, or into a text that is the answer. */
  #writing(
    name: string,
    context: ScriptContext,
    work: (rendering: Rendering) => Awaitable<void>,
  ): Awaitable<ScriptValue> {
    const { run, self } = context;
    const rendering = renderingOf(run);
    if (rendering === undefined) return this.#aside('NONE', context, work);
    const { place } = rendering;
    if (!place.writes) return this.#aside('NONE', context, (aside) => aside.within(place, () => work(aside)));
    const isMarked = rendering.mode === 'PREVIEW';
    const write = (): Awaitable<void> => {
      if (isMarked) rendering.write(`<svc:${name} data-caller-id="${self?.id ?? ''}">`);
      return work(rendering);
    };
    return chain(chain(rendering.emitPrinted(), write), () => {
      if (isMarked) rendering.write(`</svc:${name}>`);
      return null;
    });
  }

  /** Into a text, whatever is being made meanwhile. */
  #aside(
    mode: RenderMode,
    context: ScriptContext,
    work: (rendering: Rendering) => Awaitable<void>,
  ): Awaitable<ScriptValue> {
    const { run, actor, access, constants } = context;
    const output = new GatheredOutput();
    // No page is being made that could load it later.
    const aside = new Rendering(run, context, output, { actor, access }, constants, mode, true);
    return always(
      () => chain(work(aside), () => output.text),
      () => {
        aside.end();
      },
    );
  }

  #find({ id }: ScriptEntity, rendering: Rendering, { run }: ScriptContext): Awaitable<Found | undefined> {
    for (const tree of rendering.trees) {
      const node = tree.tree.byId.get(id);
      if (node !== undefined) return { tree, node };
    }
    const tree = run.transaction.writes ? run.transaction.read((tx) => this.trees.within(tx, id)) : this.trees.of(id);
    return chain(tree, (found) => {
      if (found === undefined) return undefined;
      rendering.trees.push(found);
      return { tree: found, node: found.tree.root };
    });
  }

  #show(
    found: Found | undefined,
    repeated: Repeated | undefined,
    rendering: Rendering,
    { constants }: ScriptContext,
  ): Awaitable<void> {
    if (found === undefined) return;
    const planned = found.tree.planFor(rendering.mode, rendering.audience, found.node, rendering.place.isCode);
    return chain(planned, (plan) => {
      if (repeated === undefined) return rendering.nested(() => rendering.render(plan, constants));
      const { items, dataKey } = repeated;
      const list = Array.isArray(items) ? items.filter((one) => one !== null) : items === null ? [] : [items];
      return forEachItem(list, { visit: rendering, constants }, (item) =>
        rendering.nested(() => rendering.render(plan, new Map(constants).set(dataKey, item))),
      );
    });
  }

  /** Elements of a name that are no references, and not in the recycle bin. */
  async #named(name: string, context: ScriptContext): Promise<readonly GraphNode[]> {
    const { run, access } = context;
    const { schema } = run;
    const type = schema.type('DOMNode');
    if (type === undefined) return [];
    const types = type.concreteTypes.filter((one) => schema.type(one)?.hasTrait('Page') !== true);
    return run.transaction.read(async (tx) => {
      const nodes = await tx.find(
        onlyReadable({ kind: 'nodes', types, where: { op: 'equals', key: 'name', value: name }, limit: FEW }, access),
      );
      const ids = nodes.map(({ id }) => id);
      const [pages, components] = await Promise.all([
        tx.related(ids, { relType: 'PAGE', direction: 'out' }, 1),
        tx.related(ids, { relType: 'SYNC', direction: 'in' }, 1),
      ]);
      return nodes.filter((_, i) => (pages[i] ?? []).length > 0 && (components[i] ?? []).length === 0);
    });
  }

  async #file(name: string, { run, access }: ScriptContext): Promise<GraphNode | undefined> {
    const types = run.schema.type('File')?.concreteTypes ?? [];
    const files = await run.transaction.read((tx) =>
      tx.find(
        onlyReadable({ kind: 'nodes', types, where: { op: 'equals', key: 'name', value: name }, limit: FEW }, access),
      ),
    );
    return files.find((one) => !runsCodeOfOthers(one));
  }
}

/** A node as it is within the transaction. */
async function nodeNow(objects: ObjectTransaction, { id, type }: ScriptEntity): Promise<GraphNode> {
  const node = await objects.tx.node(id);
  if (node === undefined) throw new ScriptError(404, `${type} ${id} is deleted.`);
  return node;
}

function nodeOf({ entity }: ScriptEntity): GraphNode {
  if (entity.kind !== 'node') throw new ScriptError(422, 'A relationship has no source.');
  return entity;
}

/** Names of files may be taken by anybody: what would run in the page has to be of an administrator. */
function runsCodeOfOthers(file: GraphNode): boolean {
  return isMarked(file) && !typeOf(file).startsWith('image/');
}

function typeOf({ properties: { contentType } }: GraphNode): string {
  return typeof contentType === 'string' ? (contentType.split(';')[0]?.trim() ?? '') : '';
}

/** How a page shows a file. */
function fileTag(file: GraphNode): string {
  const { id, properties } = file;
  const { name, version } = properties;
  const type = typeOf(file);
  const address = escapeAttribute(`/${id}${typeof version === 'number' ? `?${String(version)}` : ''}`);
  switch (type) {
    case 'text/css':
      return `<link href="${address}" rel="stylesheet" type="text/css">`;
    case 'text/javascript':
    case 'application/javascript':
    case 'application/x-javascript':
      return `<script src="${address}" type="text/javascript"></script>`;
    default:
      if (!type.startsWith('image/')) return '';
      return `<img src="${address}" alt="${escapeAttribute(typeof name === 'string' ? name : '')}">`;
  }
}
