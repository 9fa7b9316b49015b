/** `/<Type>`: all objects of a type and its subtypes; node types and relationship types (docs/interface/rest.md 3). */
import type { JsonObject } from '../../../../shared/json/index.js';
import {
  createRelationship,
  deleteRelationship,
  expectNamed,
  SchemaError,
  updateRelationship,
  type ObjectTransaction,
  type Type,
  typeQuery,
} from '../../../schema/index.js';
import type { Resolver, Resource, RestRequest } from '../../context.js';
import { deleteFound } from '../../deletion.js';
import { Envelope, sendEmpty, sendValue } from '../../answer/envelope.js';
import { sendList } from '../../answer/list.js';
import { pageText } from '../../prompt/prompt-texts.js';
import { isWindowed, refuseFilters } from '../../query/narrowing.js';
import { conditions, sortKeys } from '../../query/query.js';
import { inTable } from '../../request/table-errors.js';
import { prepare, write } from '../../write.js';
import { read } from '../../read.js';
import { isSearch, sendSearch } from '../../search/search.js';
import { toPresent } from './present-ends.js';

export const resolveCollection: Resolver = (segments, schema) => {
  const [name] = segments;
  if (segments.length !== 1 || name === undefined) return undefined;
  const type = schema.type(name);
  return type === undefined ? undefined : collection(type);
};

function collection(type: Type): Resource {
  return {
    signature: type.name,
    listOf: type,
    anywhere: { type },
    atOnce: (request) => pageText(request, type),
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
    if (isSearch(request)) {
      await sendSearch(request, tx, type);
      return;
    }
    const where = await conditions(request, tx, type);
    await sendList(request, tx, toPresent(request, typeQuery(type, where, sortKeys(request, type))));
  });
}

async function create(request: RestRequest, type: Type): Promise<void> {
  const { body, exchange } = request;
  if (body.value === null || (body.isArray && body.objects.length === 0)) {
    // Nothing to create, and nothing to say (docs/interface/rest.md 2.1).
    exchange.status = 200;
    exchange.end();
    return;
  }
  await prepare(request, type, body.objects);
  let ids: string[] = [];
  const work = async (objects: ObjectTransaction): Promise<{ type: string; id: string }[]> => {
    ids = [];
    await expectNamed(objects, type, body.objects);
    for (const object of body.objects) ids.push(await createOne(objects, type, object));
    return objects.created.map((n) => ({ type: n.type, id: n.id }));
  };
  const details = await write(request, type.name, work).catch((error: unknown): never => {
    if (body.table === undefined) throw error;
    // What is known at the end alone says which object it is about; all else is about the one that was not made.
    const places = new Map(ids.map((id, i) => [id, i]));
    throw inTable(body, error, (subject) => (subject === undefined ? ids.length : (places.get(subject) ?? -1)));
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

/** Elements with an id change that object, the others create one; all or none (docs/interface/rest.md 3). */
async function upsert(request: RestRequest, type: Type): Promise<void> {
  const { body } = request;
  refuseFilters(request);
  await prepare(request, type, body.objects);
  await write(request, type.name, async (objects) => {
    await expectNamed(objects, type, body.objects);
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
 * Deletes what the same GET would show, a page of it where one is asked for, else everything. Unlike the flaw in docs/interface/rest.md 3.5
 * 6.1 an error is an answer, and the delete right is checked on each object.
 */
async function deleteAll(request: RestRequest, type: Type): Promise<void> {
  const windowed = await isWindowed(request, type);
  await deleteFound(request, {
    query: async (tx) => {
      const where = await conditions(request, tx, type, true);
      // An order decides which page it is, and nothing else.
      return toPresent(request, typeQuery(type, where, windowed ? sortKeys(request, type) : []));
    },
    windowed,
    deleteOne: (objects, id) => deleteOne(objects, type, id),
  });
  await sendEmpty(request);
}

async function deleteOne(objects: ObjectTransaction, type: Type, id: string): Promise<void> {
  if (type.kind === 'relationship') {
    await deleteRelationship(objects, id);
    return;
  }
  // It may be gone with an earlier one of the same transaction.
  const node = await objects.tx.node(id);
  if (node !== undefined) await objects.delete(node);
}
