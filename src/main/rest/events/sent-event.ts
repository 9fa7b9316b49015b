import type { GraphNode } from '../../graph/index.js';
import type { EventInput } from '../../pages/index.js';
import type { RestRequest } from '../context.js';

/** Something that has happened in a page, on its way. */
export interface SentEvent extends EventInput {
  readonly request: RestRequest;
  readonly element: GraphNode;
  /** Of the element, and visible to the caller. */
  readonly mapping: GraphNode;
}
