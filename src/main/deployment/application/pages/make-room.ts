/** What is there of pages, and goes when others come (docs/interface/deployment.md 3.2). */
import type { GraphNode } from '../../../graph/index.js';
import { idsIn } from '../../../pages/index.js';
import { inParts, typesOf, type ObjectTransaction } from '../../../schema/index.js';
import { DeploymentError } from '../../common/errors.js';
import { allOf, type Importing } from '../section.js';
import type { KeptLinks } from './kept-links.js';
import type { ReadPages } from './read-pages.js';

/** Removes all nodes of pages, or those that what was read stands for, and whatever else has an id that comes. Throws `DeploymentError`. */
export async function makeRoom(
  { objects }: Importing,
  read: ReadPages,
  isAll: boolean,
  kept: KeptLinks,
): Promise<void> {
  const { tx, schema } = objects;
  const gone = new Map<string, GraphNode>();
  const add = (nodes: readonly (GraphNode | undefined)[]): void => {
    for (const node of nodes) if (node !== undefined) gone.set(node.id, node);
  };
  if (isAll) add(await allOf(tx, schema, 'DOMNode'));
  else {
    const names = new Set(read.pages.map(({ name }) => name));
    const ids = new Set(read.pages.map(({ id }) => id));
    const pages = (await allOf(tx, schema, 'Page')).filter(
      (page) =>
        !schema.typeOf(page).hasTrait('ShadowDocument') &&
        (ids.has(page.id) || names.has((page.properties['name'] as string | undefined) ?? null)),
    );
    add(pages);
    add(await below(objects, pages));
    const items = [...read.components, ...read.templates];
    const there = await nodesAt(objects, new Map(items.map(({ id, place }) => [id, place])));
    add(there);
    const components = new Set(read.components.map(({ id }) => id));
    add(
      await below(
        objects,
        there.filter(({ id }) => components.has(id)),
      ),
    );
  }
  const left = (places: Iterable<readonly [string, string]>): Map<string, string> =>
    new Map([...places].filter(([id]) => !gone.has(id)));
  add(await nodesAt(objects, left(read.templates.map(({ id, place }) => [id, place]))));
  for (const { id: own, place, nodes } of [...read.components, ...read.pages]) {
    const places = new Map([[own, place]]);
    for (const { id, where } of idsIn(nodes)) places.set(id, `${place}, ${where}`);
    add(await nodesAt(objects, left(places)));
  }
  await kept.note(objects, gone, isAll);
  await removeOnly(objects, [...gone.values()]);
}

/** Those that have these ids, which stand at these places. Throws `DeploymentError` for what is no node of pages: it is not to be replaced. */
async function nodesAt(
  { tx, schema }: ObjectTransaction,
  places: ReadonlyMap<string, string>,
): Promise<readonly GraphNode[]> {
  const nodes: GraphNode[] = [];
  for (const part of inParts([...places.keys()]))
    nodes.push(...(await tx.nodes(part)).filter((node) => node !== undefined));
  for (const node of nodes) {
    if (schema.typeOf(node).hasTrait('DOMNode')) continue;
    throw new DeploymentError(`${places.get(node.id) ?? ''}: the id ${node.id} is that of a ${node.type}.`);
  }
  return nodes;
}

async function below(objects: ObjectTransaction, roots: readonly GraphNode[]): Promise<GraphNode[]> {
  const step = { relType: 'CONTAINS', direction: 'out', ...typesOf(objects.schema, 'DOMNode') } as const;
  const all = new Map<string, GraphNode>();
  for (let level = [...roots]; level.length > 0;) {
    const next: GraphNode[] = [];
    for (const part of inParts(level)) {
      const ids = part.map(({ id }) => id);
      for (const node of (await objects.tx.related(ids, step)).flat()) {
        if (all.has(node.id)) continue;
        all.set(node.id, node);
        next.push(node);
      }
    }
    level = next;
  }
  return [...all.values()];
}

/** What belongs to pages and is no node of one stays: it has sections of its own. */
async function removeOnly(objects: ObjectTransaction, nodes: readonly GraphNode[]): Promise<void> {
  const { switches } = objects;
  const { cascades } = switches;
  switches.cascades = false;
  try {
    for (const node of nodes) await objects.delete(node);
  } finally {
    switches.cascades = cascades;
  }
}
