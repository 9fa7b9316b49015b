/** What is stored in an object, wherever it is. */
import type { GraphEntity, GraphNode } from '../../graph/index.js';

/** A text of an object; empty when it has none. */
export function textIn({ properties }: GraphNode, key: string): string {
  const value = properties[key];
  return typeof value === 'string' ? value : '';
}

/** Whether somebody else than an administrator wrote an object, or made a link (`schema/rules/pages/sandbox.ts`). */
export function isMarked({ properties }: GraphEntity): boolean {
  return properties['sandboxed'] === true;
}
