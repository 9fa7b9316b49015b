/** Pages that browsers ask a name and password for (docs/interface/pages.md 2.8, RFC 7617). */
import type { GraphNode } from '../../graph/index.js';
import { HttpError } from '../../http/index.js';
import type { RequestContext } from '../../request/index.js';
import { AccessError } from '../../security/index.js';
import type { PagesParts } from './parts.js';
import { isShown } from './visibility.js';

/** Whether this page asks for a name and password. */
export function asksForPassword({ config }: PagesParts, { properties }: GraphNode): boolean {
  return properties['enableBasicAuth'] === true && config.get('httpservice.httpbasicauth.enabled');
}

/** The request as that of the user whose name and password came with it. Throws `HttpError` 401 when there is none, or the page is not for them. */
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

function challenge({ id, properties }: GraphNode): HttpError {
  const { basicAuthRealm, name } = properties;
  const realm = typeof basicAuthRealm === 'string' && basicAuthRealm.trim() !== '' ? basicAuthRealm : name;
  const quoted = (typeof realm === 'string' ? realm : id)
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .replace(/["\\]/g, '\\$&');
  return new HttpError(401, 'This page is for those with a name and password.', {
    'WWW-Authenticate': `Basic realm="${quoted}", charset="UTF-8"`,
  });
}
