/** Pages that browsers ask a name and password for (docs/interface/pages.md 2.8, RFC 7617). */
import type { GraphNode } from '../../graph/index.js';
import { challenge } from '../../files/index.js';
import type { RequestContext } from '../../request/index.js';
import { AccessError } from '../../security/index.js';
import type { PagesParts } from './parts.js';
import { isShown } from './visibility.js';

/** The request as that of the user whose name and password came with it. Throws `FilesError` 401 when there is none, or the page is not for them. */
export async function knownByPassword(
  { requests }: PagesParts,
  request: RequestContext,
  page: GraphNode,
): Promise<RequestContext> {
  let known: RequestContext | undefined;
  try {
    known = await requests.byPassword(request);
  } catch (error) {
    if (!(error instanceof AccessError) || error.status !== 401) throw error;
  }
  if (known === undefined || !(await isShown(page, known, requests))) throw challenge(page);
  return known;
}
