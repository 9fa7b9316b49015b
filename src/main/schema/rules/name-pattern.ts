import type { GraphNode } from '../../graph/index.js';
import type { ErrorToken } from '../errors.js';

/** One `must_match` token when a name does not have its form. */
export function mustMatch(node: GraphNode, property: string, value: unknown, pattern: RegExp): ErrorToken[] {
  if (typeof value === 'string' && pattern.test(value)) return [];
  return [
    {
      type: node.type,
      property,
      token: 'must_match',
      ...(value === undefined ? {} : { value }),
      detail: `Property value must match the following pattern: '${pattern.source}'.`,
    },
  ];
}
