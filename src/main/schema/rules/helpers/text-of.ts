import type { GraphNode } from '../../../graph/index.js';

/** A text property of a node that says something. */
export function textOf(node: GraphNode | undefined, key: string): string | undefined {
  const value = node?.properties[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
