import type { GraphNode } from '../../../graph/index.js';
import type { ErrorToken } from '../../model/errors.js';

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

/** Names are in URLs, index keys and log lines; longer ones are refused. */
const MAX_LENGTH = 200;

/** One `must_be_shorter_than` token for a name that is too long. */
export function tooLong(node: GraphNode, property: string): ErrorToken[] {
  const value = node.properties[property];
  if (typeof value !== 'string' || value.length <= MAX_LENGTH) return [];
  return [{ type: node.type, property, token: 'must_be_shorter_than', detail: MAX_LENGTH }];
}
