/** Along which relationships rights come to a node (docs/interface/security.md 9.5), for who asks why somebody has them. */
import type { AccessRule, GraphNode, PropagationStep, ReadTransaction } from '../../graph/index.js';
import { ruleAtEnd } from './rule-parts.js';

/** Nodes that are looked at; beyond them the rule still decides, and no path is told. */
const MOST = 5_000;

/** One relationship of a path, seen from the node before it. */
export interface PathStep {
  readonly relType: string;
  readonly direction: 'in' | 'out';
  readonly node: GraphNode;
}

interface Reached {
  readonly node: GraphNode;
  readonly path: readonly PathStep[];
}

/** The shortest way from the node to one that the rule allows by itself; undefined: there is none, or it is too far to be looked for. */
export async function pathOf(
  tx: ReadTransaction,
  rule: AccessRule,
  node: GraphNode,
): Promise<readonly PathStep[] | undefined> {
  const { propagation } = rule;
  if (propagation === undefined) return undefined;
  const allows = ruleAtEnd(rule);
  const known = new Set([node.id]);
  let level: readonly Reached[] = [{ node, path: [] }];
  for (let depth = 0; depth < propagation.depth && level.length > 0 && known.size < MOST; depth++) {
    const next: Reached[] = [];
    for (const step of propagation.steps)
      for (const reached of await taken(tx, step, propagation.fan, level)) {
        if (known.has(reached.node.id)) continue;
        known.add(reached.node.id);
        next.push(reached);
      }
    const permitted = await tx.permitted(
      next.map((one) => one.node),
      allows,
    );
    const found = next.find((_, i) => permitted[i] === true);
    if (found !== undefined) return found.path;
    level = next;
  }
  return undefined;
}

async function taken(
  tx: ReadTransaction,
  { relType, direction, types, nearTypes }: PropagationStep,
  fan: number,
  level: readonly Reached[],
): Promise<readonly Reached[]> {
  const from = level.filter(({ node }) => nearTypes?.includes(node.type) ?? true);
  if (from.length === 0) return [];
  const ends = await tx.related(
    from.map(({ node }) => node.id),
    { relType, direction },
    fan,
  );
  return from.flatMap(({ path }, i) => {
    const nodes = ends[i] ?? [];
    if (nodes.length >= fan) return [];
    return nodes
      .filter((node) => types?.includes(node.type) ?? true)
      .map((node) => ({ node, path: [...path, { relType, direction, node }] }));
  });
}
