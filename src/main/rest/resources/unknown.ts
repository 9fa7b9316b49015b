/**
 * What no other kind of endpoint takes. It needs the permission that a type of this name would need, so that who may not
 * know a type cannot tell by the answer whether there is one (contract, Signature rules; Errors 1).
 */
import type { Resource, RestSettings } from '../context.js';

/** Signatures go into the log and a query. */
const LONGEST = 500;

export function unknown(segments: readonly string[], settings: RestSettings): Resource {
  const signature = segments.map((segment) => (settings.write.idPattern.test(segment) ? '_id' : segment)).join('/');
  return { signature: signature.slice(0, LONGEST), allow: [], verbs: {} };
}
