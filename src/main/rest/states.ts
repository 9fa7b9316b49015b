/** States of one object, which clients name as the condition of a write (docs/interface/rest.md 4.6). */
import type { GraphEntity } from '../graph/index.js';
import { fitsState, type Exchange } from '../http/index.js';
import type { RestRequest } from './context.js';
import { RestError } from './errors.js';

/**
 * The tag of the state of an object. `lastModifiedDate` grows with every transaction that changes a value of it, by a millisecond at
 * least. Undefined: another program has made the object, and it has no such date.
 */
function stateOf({ properties }: GraphEntity): string | undefined {
  const { lastModifiedDate } = properties;
  return typeof lastModifiedDate === 'number' ? `"${lastModifiedDate.toString(36)}"` : undefined;
}

/** Tells who reads an object by which tag to name what it is now. */
export function tellState(exchange: Pick<Exchange, 'setHeader'>, entity: GraphEntity): void {
  const state = stateOf(entity);
  if (state !== undefined) exchange.setHeader('ETag', state);
}

/**
 * Throws 412 when the request has a condition (`If-Match`) and the object is not in that state. `found` is what the transaction of the
 * write has read, so that nobody comes between.
 */
export function mustBeAsRead({ exchange }: RestRequest, found: GraphEntity): void {
  if (fitsState(exchange.header('if-match'), stateOf(found))) return;
  throw new RestError(412, `The object ${found.id} has changed since it was read: nothing was written. Read it again.`);
}
