import type { GraphNode } from '../../graph/index.js';
import type { Exchange } from '../../http/index.js';
import type { Contents } from './content.js';
import { sizeOf } from './place.js';

/** The bytes, and the text that is made of them. */
const TIMES_IN_MEMORY = 2;

/**
 * The whole content of a file that may be large, for an answer that is made of it: many who ask at once hold no more than the
 * budget of answers. Throws `HttpError` 503 when it does not fit. `exchange`: absent where a script reads it.
 */
export async function wholeContent(
  contents: Contents,
  file: GraphNode,
  exchange: Exchange | undefined,
): Promise<Buffer> {
  exchange?.answerShare.acquire(TIMES_IN_MEMORY * sizeOf(file));
  return contents.readWhole(file);
}
