/**
 * What they may do: the permission for an endpoint (contract, Resource Access Permission). Administrators need none.
 * Nobody else has one yet: the permission objects are evaluated by a later issue, which takes this place.
 */
import type { Actor, ObjectAccess } from '../schema/index.js';
import { ALLOW_ALL } from '../schema/index.js';
import { logger } from '../../shared/log.js';
import { AccessError } from './errors.js';

const log = logger('security.access');

/** Throws `AccessError` when `actor` may not use `method` on the endpoint with this signature. */
export function checkEndpoint(actor: Actor, signature: string, method: string, path: string): void {
  if (actor.isAdmin) return;
  const who = actor.id === undefined ? 'anonymous users' : `user '${actor.name}'`;
  log.warn(
    `no resource access permission found for ${who} with signature '${signature}' and method '${method}' (URI: ${path})`,
  );
  throw new AccessError('Access denied');
}

/** Decisions about objects for one actor. */
export function objectAccess(_actor: Actor): ObjectAccess {
  return ALLOW_ALL;
}
