/**
 * `/_sessions`, `/_sessions/<id>`: where a user is logged in, and how to end it. Ids are those of `User.sessionIds`.
 * Administrators name another user by `?user=<uuid>`.
 */
import type { Resolver, RestRequest } from '../../context.js';
import { sendEmpty, sendValue } from '../../answer/envelope.js';
import { RestError } from '../../errors.js';

const ID = /^[0-9a-f]{64}$/;

export const resolveSessions: Resolver = (segments) => {
  const [first, id] = segments;
  if (first !== '_sessions' || segments.length > 2) return undefined;
  if (id === undefined) {
    return {
      signature: '_sessions',
      allow: ['DELETE', 'GET', 'OPTIONS'],
      verbs: { GET: list, DELETE: (request) => end(request, undefined) },
    };
  }
  if (!ID.test(id)) return undefined;
  return {
    signature: '_sessions/_id',
    allow: ['DELETE', 'OPTIONS'],
    verbs: { DELETE: (request) => end(request, id) },
  };
};

/** Whose sessions: those of the user himself, or for an administrator of anybody. Throws `RestError` 403. */
function userOf(request: RestRequest): string {
  const { actor, parameters } = request;
  for (const [key] of parameters.filters) if (key !== 'user') throw new RestError(400, `Unknown search key ${key}`);
  const named = parameters.filters[0]?.[1];
  if (named !== undefined && named !== actor.id && !actor.isAdmin)
    throw new RestError(403, 'The sessions of other users are for administrators.');
  const id = named ?? (actor.isSuperuser ? undefined : actor.id);
  if (id === undefined) throw new RestError(403, 'No user');
  return id;
}

async function list(request: RestRequest): Promise<void> {
  const sessions = await request.services.security.sessions.list(userOf(request));
  const result = sessions.map(({ id, begun, lastAccess }) => ({
    id,
    begun: begun.toISOString(),
    lastAccess: lastAccess.toISOString(),
  }));
  await sendValue(request, result, result.length, performance.now() - request.startedAt);
}

async function end(request: RestRequest, id: string | undefined): Promise<void> {
  const ids = id === undefined ? undefined : new Set([id]);
  const ended = await request.services.security.sessions.revoke(userOf(request), request.actor, ids);
  if (id !== undefined && ended === 0) throw new RestError(404, `No session ${id} found.`);
  await sendEmpty(request);
}
