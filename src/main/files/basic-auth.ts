/** Files that browsers ask a name and password for (files.md 4.10, RFC 7617). */
import type { GraphNode } from '../graph/index.js';
import type { Exchange } from '../http/index.js';
import { ALLOW_ALL, type Actor, type ObjectAccess } from '../schema/index.js';
import { AccessError } from '../security/index.js';
import type { FilesContext } from './context.js';
import { FilesError } from './errors.js';
import { mayRead, mayReadNow, type Located } from './locate.js';

/** Whether this file asks strangers for a name and password. */
export function asksForPassword({ config }: FilesContext, { properties }: GraphNode): boolean {
  return properties['enableBasicAuth'] === true && config.get('httpservice.httpbasicauth.enabled');
}

/**
 * What the user may do whose name and password came with the request. Throws `FilesError` 401 when there is none, or
 * when he may not read the file; refusals of too many attempts stay what they are.
 */
export async function knownByPassword(
  { graph, security }: FilesContext,
  exchange: Exchange,
  located: Located,
): Promise<{ readonly actor: Actor; readonly access: ObjectAccess }> {
  let actor: Actor | undefined;
  try {
    actor = await security.authentication.byBasic(exchange);
  } catch (error) {
    if (!(error instanceof AccessError) || error.status !== 401) throw error;
  }
  if (actor === undefined) throw challenge(located.file);
  const access = actor.reachesAll ? ALLOW_ALL : await security.objectAccess.of(actor);
  const may = mayReadNow(access, located) ?? (await graph.read((tx) => mayRead(tx, access, located)));
  if (!may) throw challenge(located.file);
  return { actor, access };
}

function challenge(file: GraphNode): FilesError {
  const { basicAuthRealm, name } = file.properties;
  const realm = typeof basicAuthRealm === 'string' && basicAuthRealm.trim() !== '' ? basicAuthRealm : name;
  const quoted = (typeof realm === 'string' ? realm : file.id)
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .replace(/["\\]/g, '\\$&');
  return new FilesError(401, 'This file is for those with a name and password.', {
    'WWW-Authenticate': `Basic realm="${quoted}", charset="UTF-8"`,
  });
}
