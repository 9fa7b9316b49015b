import type { GraphNode } from '../../graph/index.js';

/** What tells one state of a file's content from others, as a name for marks. */
export function contentName(file: GraphNode): string {
  const { version } = file.properties;
  return `${file.id}-${String(typeof version === 'number' ? version : 0)}`;
}
