/** `/<Type>`: all objects of a type and its subtypes; node types and relationship types (rest.md 6.1). */
import type { GraphEntity, Predicate, ReadTransaction } from '../../graph/index.js';
import type { JsonObject } from '../../../shared/json.js';
import {
  createRelationship,
  deleteRelationship,
  onlyReadable,
  SchemaError,
  updateRelationship,
  type ObjectTransaction,
  type Type,
  typeQuery,
} from '../../schema/index.js';
import type { Resolver, Resource, RestRequest } from '../context.js';
import { Envelope, sendEmpty, sendValue } from '../envelope.js';
import { sendList } from '../list.js';
import { conditions, sortKeys } from '../query.js';
import { prepare, write } from '../write.js';
import { read } from '../read.js';

/** Objects deleted in one transaction; a larger deletion is not one transaction (rest.md 6.1). */
const DELETE_CHUNK = 500;

export const resolveCollection: Resolver = (segments, schema) => {
  const [name] = segments;
  if (segments.length !== 1 || name === undefined) return undefined;
  const type = schema.type(name);
  return type === undefined ? undefined : collection(type);
};

function collection(type: Type): Resource {
  return {
    signature: type.name,
    allow: ['DELETE', 'GET', 'OPTIONS', 'PATCH', 'POST'],
    verbs: {
      GET: (request) => list(request, type),
      POST: (request) => create(request, type),
      PATCH: (request) => upsert(request, type),
      DELETE: (request) => deleteAll(request, type),
    },
    notAllowedMessage: (verb) => `${verb} not allowed on ‛${type.name}‛ collection resource`,
  };
}

function list(request: RestRequest, type: Type): Promise<void> {
  return read(request, async (tx) => {
    const where = await conditions(request, tx, type);
    await sendList(request, tx, typeQuery(type, where, sortKeys(request.parameters, type)));
  });
}

async function create(request: RestRequest, type: Type): Promise<void> {
  const { body, exchange } = request;
  if (body.value === null || (body.isArray && body.objects.length === 0)) {
    // Nothing to create, and nothing to say (rest.md 3).
    exchange.status = 200;
    exchange.end();
    return;
  }
  await prepare(request, type, body.objects);
  const { ids, details } = await write(request, async (objects) => {
    const ids: string[] = [];
    for (const object of body.objects) ids.push(await createOne(objects, type, object));
    return { ids, details: objects.created.map((n) => ({ type: n.type, id: n.id })) };
  });
  exchange.status = 201;
  const [first] = ids;
  if (!body.isArray && first !== undefined)
    exchange.setHeader('Location', locationOf(request, `${request.path}/${first}`));
  if (exchange.header('svc-return-details-for-created-objects').toLowerCase() === 'true') {
    await sendValue(request, details, details.length);
    return;
  }
  const envelope = new Envelope(request);
  const { out } = envelope;
  const nl = out.newline(2);
  // Ids are checked by the pattern of ids, so that they need no escaping.
  out.text += ids.length === 0 ? '[]' : `[${nl}"${ids.join(`",${nl}"`)}"${out.newline(1)}]`;
  await envelope.end(-1, undefined, { count: { count: ids.length, exact: true }, countTime: 0 });
}

async function createOne(objects: ObjectTransaction, type: Type, input: JsonObject): Promise<string> {
  return type.kind === 'node' ? (await objects.create(type, input)).id : createRelationship(objects, type, input);
}

/** Absolute URL of a path below the REST base. */
export function locationOf(request: RestRequest, path: string): string {
  const { exchange, services } = request;
  const base = services.config.get('application.baseurl.override');
  const host = exchange.header('host');
  const origin = base !== '' ? base.replace(/\/+$/, '') : `${exchange.scheme}://${host === '' ? 'localhost' : host}`;
  return `${origin}/svc/rest${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** Elements with an id change that object, the others create one; all or none (rest.md 6.1). */
async function upsert(request: RestRequest, type: Type): Promise<void> {
  const { body } = request;
  await prepare(request, type, body.objects);
  await write(request, async (objects) => {
    for (const object of body.objects) {
      const id = object['id'];
      if (id === undefined || id === null) {
        await createOne(objects, type, object);
        continue;
      }
      if (typeof id !== 'string') {
        throw new SchemaError('The id of an object to change must be a string.', [
          { type: type.name, property: 'id', token: 'must_be_of_type', detail: 'String' },
        ]);
      }
      await updateOne(objects, type, id, object);
    }
  });
  await sendEmpty(request);
}

async function updateOne(objects: ObjectTransaction, type: Type, id: string, object: JsonObject): Promise<void> {
  const missing = (): SchemaError =>
    new SchemaError(
      `No ${type.name} with UUID ${id} found.`,
      [{ type: type.name, property: 'id', token: 'object_not_found', detail: id }],
      'not_found',
    );
  if (type.kind === 'relationship') {
    const relationship = await objects.tx.relationship(id);
    if (relationship?.type !== type.name || !(await objects.may('read', relationship))) throw missing();
    await updateRelationship(objects, id, object);
    return;
  }
  const node = await objects.tx.node(id);
  if (node === undefined || !objects.schema.typeOf(node).hasTrait(type.name) || !(await objects.may('read', node)))
    throw missing();
  await objects.update(node, object);
}

/**
 * Deletes everything the same GET would return, a chunk a transaction. Unlike the flaw in rest.md 6.1 an error is an
 * answer, and the delete right is checked on each object. What earlier chunks deleted stays deleted; the error says how
 * many.
 */
async function deleteAll(request: RestRequest, type: Type): Promise<void> {
  let deleted = 0;
  for (;;) {
    if (request.exchange.aborted) return;
    const found = await deleteChunk(request, type, deleted);
    deleted += found;
    if (found < DELETE_CHUNK) break;
  }
  await sendEmpty(request);
}

/** Returns how many objects the search found. */
async function deleteChunk(request: RestRequest, type: Type, before: number): Promise<number> {
  const search = async (tx: ReadTransaction, among?: readonly string[]): Promise<GraphEntity[]> => {
    const asked = await conditions(request, tx, type);
    const ids: Predicate | undefined = among === undefined ? undefined : { op: 'in', key: 'id', values: among };
    const terms = [asked, ids].filter((t) => t !== undefined);
    const where: Predicate | undefined = terms.length === 0 ? undefined : { op: 'and', terms };
    return tx.find(onlyReadable({ ...typeQuery(type, where, []), limit: DELETE_CHUNK }, request.access));
  };
  // The search may be long and runs beside other writers; what it found is looked at again when it is deleted, since
  // another writer may have made it something else meanwhile.
  const ids = await read(request, async (tx) => (await search(tx)).map((e) => e.id));
  if (ids.length === 0) return 0;
  try {
    await write(request, async (objects) => {
      for (const { id } of await search(objects.tx, ids)) await deleteOne(objects, type, id);
    });
  } catch (error) {
    if (before > 0 && error instanceof SchemaError) {
      const message = `${error.message} (${String(before)} objects were deleted before)`;
      throw new SchemaError(message, error.tokens, error.kind);
    }
    throw error;
  }
  return ids.length;
}

async function deleteOne(objects: ObjectTransaction, type: Type, id: string): Promise<void> {
  if (type.kind === 'relationship') {
    await deleteRelationship(objects, id);
    return;
  }
  // It may be gone with an earlier one of the chunk.
  const node = await objects.tx.node(id);
  if (node !== undefined) await objects.delete(node);
}
