/** Where the boxes lie: as they were left, else as the library lays them out, what hangs together beside each other. */
import dagre from '@dagrejs/dagre';
import { clustersOf, type Link } from './clusters.js';
import type { TypeEdge, TypeNode } from './shapes.js';

export interface Place {
  readonly x: number;
  readonly y: number;
}
export type Places = Readonly<Record<string, Place>>;

const GAP = 60;
/** Types that hang together. More than these are laid out in parts: the time that the library takes grows with the square of them and faster. */
const LARGE = 60;
/** Of a part of a large one. */
const PART = 10;
/** Width and height of the whole are to be like those of a window. */
const ASPECT = 2;

interface Block {
  readonly width: number;
  readonly height: number;
  readonly places: ReadonlyMap<string, Place>;
}

/** Ids of nodes that are linked with each other. */
function groupsOf(nodes: readonly TypeNode[], edges: readonly TypeEdge[]): readonly (readonly string[])[] {
  const next = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const { source, target } of edges) {
    next.get(source)?.push(target);
    next.get(target)?.push(source);
  }
  const seen = new Set<string>();
  const groups: string[][] = [];
  for (const { id } of nodes) {
    if (seen.has(id)) continue;
    const group = [id];
    seen.add(id);
    for (const one of group)
      for (const other of next.get(one) ?? [])
        if (!seen.has(other) && next.has(other)) {
          seen.add(other);
          group.push(other);
        }
    groups.push(group);
  }
  return groups.sort((a, b) => b.length - a.length);
}

function layGroup(ids: readonly string[], nodeOf: ReadonlyMap<string, TypeNode>, edges: readonly TypeEdge[]): Block {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({
    ...{ rankdir: 'LR', nodesep: 30, ranksep: 110, acyclicer: 'greedy', ranker: 'tight-tree' },
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) {
    const { width = 0, height = 0 } = nodeOf.get(id) ?? {};
    graph.setNode(id, { width, height });
  }
  const members = new Set(ids);
  const known = new Set<string>();
  for (const { source, target } of edges) {
    // Of several lines between two boxes one is enough to lay them out.
    const pair = `${source} ${target}`;
    if (source === target || !members.has(source) || !members.has(target) || known.has(pair)) continue;
    known.add(pair);
    graph.setEdge(source, target);
  }
  dagre.layout(graph);
  const places = new Map<string, Place>();
  let [width, height] = [0, 0];
  for (const id of ids) {
    const laid = graph.node(id) as {
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
    };
    const place = { x: laid.x - laid.width / 2, y: laid.y - laid.height / 2 };
    places.set(id, place);
    width = Math.max(width, place.x + laid.width);
    height = Math.max(height, place.y + laid.height);
  }
  return { width, height, places };
}

/** Places of nodes, from `top` downwards. */
export function layOut(nodes: readonly TypeNode[], edges: readonly TypeEdge[], top = 0): Places {
  const nodeOf = new Map(nodes.map((node) => [node.id, node]));
  const links = edges.map(({ source, target }): Link => [source, target]);
  const blocks = groupsOf(nodes, edges)
    .flatMap((ids) => (ids.length > LARGE ? clustersOf(ids, links, PART) : [ids]))
    .map((ids) => layGroup(ids, nodeOf, edges));
  const area = blocks.reduce((sum, { width, height }) => sum + (width + GAP) * (height + GAP), 0);
  const least = Math.max(Math.sqrt(area * ASPECT), ...blocks.map(({ width }) => width));
  // Rows are not full, so that the first is often too high.
  const [best] = [1, 1.15, 1.3, 1.5, 1.75, 2]
    .map((factor) => inRows(blocks, least * factor))
    .sort((a, b) => sizeOf(a) - sizeOf(b));
  return Object.fromEntries([...(best?.places ?? [])].map(([id, { x, y }]) => [id, { x, y: y + top }]));
}

/** How wide a window must be to show all of it. */
const sizeOf = ({ width, height }: Block): number => Math.max(width, height * ASPECT);

/** Blocks from left to right and then from top to bottom. */
function inRows(blocks: readonly Block[], widest: number): Block {
  const places = new Map<string, Place>();
  let [x, y, rowHeight, width] = [0, 0, 0, 0];
  for (const block of blocks) {
    if (x > 0 && x + block.width > widest) {
      x = 0;
      y += rowHeight + GAP;
      rowHeight = 0;
    }
    for (const [id, place] of block.places) places.set(id, { x: x + place.x, y: y + place.y });
    width = Math.max(width, x + block.width);
    x += block.width + GAP;
    rowHeight = Math.max(rowHeight, block.height);
  }
  return { width, height: y + rowHeight, places };
}

/** The nodes at their places: those that have none are laid out below the others. */
export function placed(nodes: readonly TypeNode[], edges: readonly TypeEdge[], kept: Places): TypeNode[] {
  const at = (node: TypeNode): Place | undefined => (Object.hasOwn(kept, node.id) ? kept[node.id] : undefined);
  const isNew = nodes.filter((node) => at(node) === undefined);
  const bottom = Math.max(0, ...nodes.map((node) => (at(node)?.y ?? -GAP) + (node.height ?? 0)));
  const laid = isNew.length === 0 ? {} : layOut(isNew, edges, isNew.length === nodes.length ? 0 : bottom + GAP);
  return nodes.map((node) => ({ ...node, position: at(node) ?? laid[node.id] ?? { x: 0, y: 0 } }));
}
