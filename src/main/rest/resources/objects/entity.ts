/** `/<Type>/<uuid>` and `/<uuid>`: one object (docs/interface/rest.md 4). */
import type { GraphEntity, ReadTransaction } from '../../../graph/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import {
  allowed,
  deleteRelationship,
  SchemaError,
  updateRelationship,
  type ObjectTransaction,
  type Type,
} from '../../../schema/index.js';
import type { Resolver, Resource, RestRequest } from '../../context.js';
import { sendEmpty, sendEntities } from '../../answer/envelope.js';
import { RestError } from '../../errors.js';
import { objectText } from '../../prompt/prompt-texts.js';
import { refuseNarrowing } from '../../query/narrowing.js';
import { refuseSearch } from '../../query/query.js';
import { prepare, write } from '../../write.js';
import { read } from '../../read.js';
import { mustBeAsRead, tellState } from '../../states.js';
import { areEndsPresent } from './present-ends.js';

export const resolveEntity: Resolver = (segments, schema, settings) => {
  const [name = '', id = ''] = segments;
  if (segments.length !== 2 || !settings.write.idPattern.test(id)) return undefined;
  const type = schema.type(name);
  return type === undefined ? undefined : entityOf(type, id);
};

export const resolveAnyEntity: Resolver = (segments, _schema, settings) => {
  const [id = ''] = segments;
  return segments.length === 1 && settings.write.idPattern.test(id) ? entityOf(undefined, id) : undefined;
};

/** The object of a type (absent: of any) with this id. */
export function entityOf(type: Type | undefined, id: string): Resource {
  return {
    signature: type === undefined ? '_id' : `${type.name}/_id`,
    anywhere: { type },
    ...(type === undefined ? {} : { oneOf: type }),
    allow: ['DELETE', 'GET', 'OPTIONS', 'PATCH', 'PUT'],
    atOnce: (request) => objectText(request, type, id),
    verbs: {
      GET: (request) => get(request, type, id),
      PUT: (request) => update(request, type, id),
      PATCH: (request) => update(request, type, id),
      DELETE: (request) => remove(request, type, id),
    },
  };
}

/** The object with this id as long as it is of the type and may be read; 404 otherwise. */
export async function findEntity(
  request: RestRequest,
  tx: ReadTransaction,
  type: Type | undefined,
  id: string,
): Promise<GraphEntity> {
  let found: GraphEntity | undefined;
  if (type?.kind !== 'relationship') found = await tx.node(id);
  if (found === undefined && type?.kind !== 'node') found = await tx.relationship(id);
  // Objects whose type is no longer defined are not there for clients (docs/interface/schema.md 13.3).
  const current = found === undefined ? undefined : request.schema.type(found.type);
  if (
    found === undefined ||
    current === undefined ||
    (type !== undefined && !current.hasTrait(type.name)) ||
    (found.kind === 'relationship' && !(await areEndsPresent(tx, request.schema, found))) ||
    !(await allowed(tx, request.access, 'read', found))
  ) {
    throw new RestError(404, `No ${type?.name ?? 'object'} with UUID ${id} found.`);
  }
  return found;
}

function get(request: RestRequest, type: Type | undefined, id: string): Promise<void> {
  refuseSearch(request.parameters);
  return read(request, async (tx) => {
    const found = await findEntity(request, tx, type, id);
    tellState(request.exchange, found);
    await sendEntities(request, tx, found, performance.now() - request.startedAt);
  });
}

async function update(request: RestRequest, type: Type | undefined, id: string): Promise<void> {
  await updateEntity(request, type, id, inputOf(request));
  await sendEmpty(request);
}

/** The one object a PUT or PATCH body stands for. Throws 422 when there is none. */
export function inputOf(request: RestRequest): JsonObject {
  const { body } = request;
  if (body.value === null || (body.isArray && body.objects.length === 0)) {
    throw new RestError(422, 'Send a JSON object with the properties to change.');
  }
  // PUT takes the first element of an array, PATCH all of them, later keys first (docs/interface/rest.md 4).
  const objects = request.exchange.method === 'PATCH' ? body.objects : body.objects.slice(0, 1);
  return Object.assign(Object.create(null) as JsonObject, ...objects) as JsonObject;
}

/** Writes to one object in one transaction. */
export async function updateEntity(
  request: RestRequest,
  type: Type | undefined,
  id: string,
  input: JsonObject,
): Promise<void> {
  const concrete = await read(request, (tx) => findEntity(request, tx, type, id));
  await prepare(request, request.schema.typeOf(concrete), [input], concrete);
  await write(request, concrete.type, async (objects) => {
    const found = await findEntity(request, objects.tx, type, id);
    mustBeAsRead(request, found);
    if (found.kind === 'relationship') await updateRelationship(objects, id, input);
    else await objects.update(found, input);
  });
}

async function remove(request: RestRequest, type: Type | undefined, id: string): Promise<void> {
  refuseNarrowing(request);
  let forbidden = false;
  const work = async (objects: ObjectTransaction): Promise<void> => {
    forbidden = false;
    const found = await findEntity(request, objects.tx, type, id);
    mustBeAsRead(request, found);
    if (found.kind === 'relationship') forbidden = !(await deletes(objects, id));
    else if (await objects.may('delete', found)) await objects.delete(found);
    else forbidden = true;
  };
  // It may be a hub, or take thousands along.
  await write(request, type?.name, work, 'unknown');
  // Clients know this refusal by its envelope, not by an error body (docs/interface/rest.md 4).
  if (forbidden) request.exchange.status = 403;
  await sendEmpty(request);
}

/** Whether a relationship could be deleted; what it needs depends on what it says. */
async function deletes(objects: ObjectTransaction, id: string): Promise<boolean> {
  try {
    await deleteRelationship(objects, id);
    return true;
  } catch (error) {
    if (error instanceof SchemaError && error.kind === 'forbidden') return false;
    throw error;
  }
}
