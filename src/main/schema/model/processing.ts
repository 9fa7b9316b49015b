/** Background work on the content of files (docs/design/media.md 3): the media room does it, this room marks files that have new content. */
import type { GraphNode } from '../../graph/index.js';

/** `processingState` of a file whose content waits to be worked on. */
export const QUEUED = 'QUEUED';
/** The same of one whose content is being worked on. */
export const RUNNING = 'RUNNING';
/** The same of one whose content could not be worked on; `processingMessage` says why. */
export const FAILED = 'FAILED';

/** Where this room finds who does it, once that is there. */
export interface ProcessingPlace {
  /**
   * Whether something is to be done with the content of a file, whose type has these traits. Asked within transactions: it looks at nothing
   * else.
   */
  wants: ((file: GraphNode, hasTrait: (name: string) => boolean) => boolean) | undefined;
}
