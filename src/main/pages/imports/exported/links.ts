/** Links between what an application's files have made and anything else, made when all of it is there (docs/interface/deployment.md 3.6). */
import type { GraphNode } from '../../../graph/index.js';
import { childAt, segmentsOf, typesOf, type ObjectTransaction } from '../../../schema/index.js';
import type { ExportedTrees } from './trees.js';
import type { Relation, Warn } from './values.js';

/** Makes them; what leads nowhere is told and left out. Throws `SchemaError`. */
export async function linkAll(objects: ObjectTransaction, trees: ExportedTrees, warn: Warn): Promise<void> {
  const targets = new Targets(objects);
  for (const { node, place, link, isLinkOfOthers, relations } of trees.later) {
    await objects.breathe();
    if (link !== undefined) {
      const target = link.kind === 'page' ? await targets.page(link.path) : await targets.file(link.path);
      if (target !== undefined) await trees.lead(node, target, isLinkOfOthers);
      else warn('Missing link target(s)', `${place}: there is no ${link.kind} ${link.path.slice(0, 300)}.`);
    }
    for (const relation of relations) await relate(objects, node, relation, place, warn);
  }
}

async function relate(
  objects: ObjectTransaction,
  node: GraphNode,
  { key, value }: Relation,
  place: string,
  warn: Warn,
): Promise<void> {
  const ids = value.match(/[\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi) ?? [];
  const found = (await objects.tx.nodes(ids)).flatMap((one) => (one === undefined ? [] : [one.id]));
  if (found.length < ids.length || ids.length === 0)
    warn('Missing object(s)', `${place}: ${key} leads to ${value.slice(0, 300)}, which is not there.`);
  const property = objects.schema.typeOf(node).properties.get(key);
  if (property?.kind !== 'relation' || found.length === 0) return;
  await objects.update(node, { [key]: property.isCollection ? found : (found[0] ?? null) });
}

/** Pages and files by what instructions call them. */
class Targets {
  #pages: Map<string, GraphNode> | undefined;
  readonly #files = new Map<string, GraphNode | undefined>();

  constructor(private readonly objects: ObjectTransaction) {}

  async page(path: string): Promise<GraphNode | undefined> {
    this.#pages ??= await this.#allPages();
    return this.#pages.get(path) ?? this.#pages.get(path.replace(/^\//, ''));
  }

  /** By id first, then by path, then by name. */
  async #allPages(): Promise<Map<string, GraphNode>> {
    const { tx, schema } = this.objects;
    const pages: GraphNode[] = [];
    for await (const batch of tx.stream({ kind: 'nodes', trait: 'Page', ...typesOf(schema, 'Page') }))
      pages.push(...batch);
    pages.sort((a, b) => (a.id < b.id ? -1 : 1));
    const paths = await tx.related(
      pages.map(({ id }) => id),
      { relType: 'HAS_PATH', direction: 'out' },
    );
    const known = new Map(pages.map((page) => [page.id, page]));
    const add = (name: unknown, page: GraphNode): void => {
      if (typeof name === 'string' && name !== '' && !known.has(name)) known.set(name, page);
    };
    pages.forEach((page, i) => {
      for (const path of paths[i] ?? []) add(path.properties['name'], page);
    });
    for (const page of pages) add(page.properties['name'], page);
    return known;
  }

  async file(path: string): Promise<GraphNode | undefined> {
    if (this.#files.has(path)) return this.#files.get(path);
    const { tx, schema } = this.objects;
    let node: GraphNode | undefined;
    for (const name of segmentsOf(path)) {
      node = await childAt(tx, schema, node?.id, name);
      if (node === undefined) break;
    }
    const found = node !== undefined && schema.typeOf(node).hasTrait('Linkable') ? node : undefined;
    this.#files.set(path, found);
    return found;
  }
}
