/** Files that browsers ask a name and password for (docs/interface/files.md 5.9, RFC 7617). */
import type { GraphNode } from '../../graph/index.js';
import type { RequestContext } from '../../request/index.js';
import { AccessError } from '../../security/index.js';
import type { FilesContext } from '../context.js';
import { FilesError } from '../errors.js';
import { mayRead, mayReadNow, type Located } from '../tree/locate.js';

/** Whether this file, or page, asks strangers for a name and password. */
export function asksForPassword({ config }: Pick<FilesContext, 'config'>, { properties }: GraphNode): boolean {
  return properties['enableBasicAuth'] === true && config.get('httpservice.httpbasicauth.enabled');
}

/**
 * The request as that of the user whose name and password came with it. Throws `FilesError` 401 when there is none, or
 * when he may not read the file; refusals of too many attempts stay what they are.
 */
export async function knownByPassword(
  { requests }: FilesContext,
  request: RequestContext,
  located: Located,
): Promise<RequestContext> {
  let known: RequestContext | undefined;
  try {
    known = await requests.byPassword(request);
  } catch (error) {
    if (!(error instanceof AccessError) || error.status !== 401) throw error;
  }
  if (known === undefined) throw challenge(located.file);
  const { access } = known;
  const may = mayReadNow(access, located) ?? (await requests.read(known, (tx) => mayRead(tx, access, located)));
  if (!may) throw challenge(located.file);
  return known;
}

/** What browsers ask for a name and password for. `basicAuthRealm`: in place of the one that is stored. */
export function challenge(file: GraphNode, basicAuthRealm = file.properties['basicAuthRealm']): FilesError {
  const { name } = file.properties;
  const realm = typeof basicAuthRealm === 'string' && basicAuthRealm.trim() !== '' ? basicAuthRealm : name;
  const quoted = (typeof realm === 'string' ? realm : file.id)
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .replace(/["\\]/g, '\\$&');
  return new FilesError(401, 'This is for those with a name and password.', {
    'WWW-Authenticate': `Basic realm="${quoted}", charset="UTF-8"`,
  });
}
