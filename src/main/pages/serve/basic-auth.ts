/** Pages that browsers ask a name and password for (docs/interface/pages.md 2.8, RFC 7617). */
import type { GraphNode } from '../../graph/index.js';
import { challenge } from '../../files/index.js';
import { logger } from '../../../shared/log.js';
import type { RequestContext } from '../../request/index.js';
import { AccessError } from '../../security/index.js';
import { isMarked } from '../model/stored-values.js';
import type { PagesParts } from './parts.js';
import { isShown } from './visibility.js';

const log = logger('pages');

/** The request as that of the user whose name and password came with it. Throws `FilesError` 401 when there is none, or the page is not for them. */
export async function knownByPassword(
  { requests, scripting }: PagesParts,
  request: RequestContext,
  page: GraphNode,
): Promise<RequestContext> {
  let known: RequestContext | undefined;
  try {
    known = await requests.byPassword(request);
  } catch (error) {
    if (!(error instanceof AccessError) || error.status !== 401) throw error;
  }
  if (known === undefined || !(await isShown(page, known, requests)))
    throw challenge(page, await realmOf(scripting, request, page));
  return known;
}

/** Its scripts see what whoever is asked may see, unless somebody has written them who is no administrator. One that fails is logged: the name of the page counts. */
async function realmOf(
  scripting: PagesParts['scripting'],
  { actor, access, exchange }: RequestContext,
  page: GraphNode,
): Promise<string | undefined> {
  const { basicAuthRealm } = page.properties;
  if (typeof basicAuthRealm !== 'string' || !basicAuthRealm.includes('${') || isMarked(page)) return undefined;
  try {
    return (await scripting.evaluateTemplate(page, basicAuthRealm, { actor, access, exchange })).text;
  } catch (error) {
    log.warn(`the realm of page ${page.id} is its name: ${error instanceof Error ? error.message : String(error)}`);
    return '';
  }
}
