/** `/me`: the user of the request (docs/interface/rest.md 4, docs/interface/security.md 10.3). */
import type { Resolver, RestRequest } from '../../context.js';
import { sendEmpty, sendEntities } from '../../answer/envelope.js';
import { RestError } from '../../errors.js';
import { refuseNarrowing } from '../../query/narrowing.js';
import { write } from '../../write.js';
import { read } from '../../read.js';
import { mustBeAsRead, tellState } from '../../states.js';
import { findEntity, inputOf, updateEntity } from '../objects/entity.js';

export const resolveMe: Resolver = (segments) => {
  if (segments.length !== 1 || segments[0] !== 'me') return undefined;
  return {
    signature: 'User',
    allow: ['DELETE', 'GET', 'OPTIONS', 'PUT'],
    verbs: { GET: get, PUT: put, DELETE: remove },
  };
};

function own(request: RestRequest): string {
  const { id, isSuperuser } = request.actor;
  if (id === undefined || isSuperuser) throw new RestError(403, 'No user');
  return id;
}

function get(request: RestRequest): Promise<void> {
  const id = own(request);
  return read(request, async (tx) => {
    const found = await findEntity(request, tx, undefined, id);
    tellState(request.exchange, found);
    await sendEntities(request, tx, found, performance.now() - request.startedAt);
  });
}

async function put(request: RestRequest): Promise<void> {
  await updateEntity(request, undefined, own(request), inputOf(request));
  await sendEmpty(request);
}

async function remove(request: RestRequest): Promise<void> {
  refuseNarrowing(request);
  const id = own(request);
  await write(request, request.actor.type, async (objects) => {
    const node = await findEntity(request, objects.tx, undefined, id);
    mustBeAsRead(request, node);
    if (node.kind === 'node') await objects.delete(node);
  });
  await sendEmpty(request);
}
