/** `/<Type>/<uuid>/<property>`: a property of an object, above all its related objects (docs/interface/rest.md 5). */
import type { GraphNode, NodeQuery, ReadTransaction } from '../../../graph/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import {
  JsonOut,
  Renderer,
  isOrdered,
  linksInOrder,
  onlyReadable,
  storedValue,
  type Property,
  type RelationProperty,
  type Schema,
  type Type,
} from '../../../schema/index.js';
import type { Resolver, Resource, RestRequest } from '../../context.js';
import { deleteFound } from '../../deletion.js';
import { Envelope, renderOptions, sendEmpty, sendEntities } from '../../answer/envelope.js';
import { RestError } from '../../errors.js';
import { sendList, sendTargets } from '../../answer/list.js';
import { isWindowed, mustMeanTheSame, refuseFilters, refusePathBeyond } from '../../query/narrowing.js';
import { propertyOf } from '../../query/property-name.js';
import { conditions, sortKeys } from '../../query/query.js';
import { prepare, write } from '../../write.js';
import { read } from '../../read.js';
import { locationOf } from './collection.js';
import { findEntity, updateEntity } from './entity.js';

/** What a path must have; what follows has no effect. */
const SEGMENTS = 3;

export const resolveSubproperty: Resolver = (segments, schema, settings) => {
  const [name = '', id = '', segment = ''] = segments;
  if (segments.length < SEGMENTS || !settings.write.idPattern.test(id)) return undefined;
  const type = schema.type(name);
  const property = type === undefined ? undefined : propertyOf(type, segment);
  return type === undefined || property === undefined ? undefined : subproperty(schema, type, id, property, segments);
};

function subproperty(
  schema: Schema,
  type: Type,
  id: string,
  property: Property,
  segments: readonly string[],
): Resource {
  const signature = `${type.name}/_id/${segments[SEGMENTS - 1] ?? ''}`;
  if (property.kind !== 'relation' || property.notion !== undefined) return value(signature, type, id, property);
  const relation = property;
  return {
    signature,
    anywhere: { type: schema.type(relation.relatedType) },
    allow: ['DELETE', 'GET', 'OPTIONS', 'PUT', 'POST'],
    verbs: {
      GET: (request) => getRelated(request, type, id, relation),
      POST: (request) => {
        refusePathBeyond(segments, SEGMENTS);
        return create(request, type, id, relation);
      },
      PUT: (request) => {
        refusePathBeyond(segments, SEGMENTS);
        refuseFilters(request);
        return replace(request, type, id, relation);
      },
      DELETE: (request) => {
        refusePathBeyond(segments, SEGMENTS);
        return remove(request, type, id, relation);
      },
    },
  };
}

/** A property that is no relation is read alone: it is written with its object. */
function value(signature: string, type: Type, id: string, property: Property): Resource {
  const refuse = ({ exchange }: RestRequest): Promise<never> =>
    Promise.reject(
      new RestError(
        400,
        `${exchange.method} is not possible on ‛${property.name}‛, which is no relation: nothing was changed. ` +
          `Write it with its object, by PUT /${type.name}/${id}.`,
      ),
    );
  return {
    signature,
    allow: ['GET', 'OPTIONS'],
    verbs: {
      GET: (request) => getValue(request, type, id, property),
      // Not 405: clients know the status of POST here (docs/interface/rest.md 5.2).
      POST: refuse,
      PUT: refuse,
      PATCH: refuse,
      DELETE: refuse,
    },
  };
}

async function owner(request: RestRequest, tx: ReadTransaction, type: Type, id: string): Promise<GraphNode> {
  const found = await findEntity(request, tx, type, id);
  if (found.kind === 'relationship') throw new RestError(404, `No ${type.name} with UUID ${id} found.`);
  return found;
}

function getRelated(request: RestRequest, type: Type, id: string, property: RelationProperty): Promise<void> {
  return read(request, async (tx) => {
    await owner(request, tx, type, id);
    if (!property.isCollection) {
      const [nodes = []] = await tx.related([id], onlyReadable(property.step, request.access), 1);
      const [node] = nodes;
      await (node === undefined
        ? sendNothing(request)
        : sendEntities(request, tx, node, performance.now() - request.startedAt));
      return;
    }
    // Filters and sort keys are those of the type in the URL (docs/interface/rest.md 5).
    const where = await conditions(request, tx, type);
    const sort = sortKeys(request, type, request.schema.type(property.relatedType));
    const query: NodeQuery = {
      kind: 'nodes',
      from: { id, step: property.step },
      ...(where === undefined ? {} : { where }),
      ...(sort.length > 0 ? { sort } : {}),
    };
    if (isOrdered(property) && sort.length === 0) {
      const links = linksInOrder(id, property, onlyReadable(property.step, request.access));
      await sendTargets(request, tx, links, query);
    } else await sendList(request, tx, query);
  });
}

async function sendNothing(request: RestRequest): Promise<void> {
  const envelope = new Envelope(request);
  envelope.out.text += '[]';
  await envelope.end(-1, performance.now() - request.startedAt, { count: { count: 0, exact: true }, countTime: 0 });
}

/** `{"<property>": value}`; lists are wrapped in an array. */
function getValue(request: RestRequest, type: Type, id: string, property: Property): Promise<void> {
  return read(request, async (tx) => {
    const found = await findEntity(request, tx, type, id);
    const current = request.schema.typeOf(found);
    const actual = current.properties.get(property.name) ?? property;
    if (actual.kind === 'computed') {
      const result = await actual.compute(found, {
        tx,
        schema: request.schema,
        type: current,
        access: request.access,
        actor: request.actor,
        missing: request.missing,
      });
      if ('entities' in result) {
        const [first] = result.entities;
        const taken = performance.now() - request.startedAt;
        if (first === undefined) await sendNothing(request);
        else await sendEntities(request, tx, result.single ? first : result.entities, taken);
        return;
      }
    }
    const list = 'isCollection' in actual ? actual.isCollection : isListNotion(current, actual);
    // Hidden ones read the same whether there is a value or not.
    const unset = actual.kind === 'value' && storedValue(found, actual.key) === undefined;
    if (unset && actual.toJson(undefined) === 'null') return sendNothing(request);
    // Written by the view renderer, as if there were a view with just this key.
    const envelope = new Envelope(request);
    const all = { ...renderOptions(request, tx), view: 'all', serializeNulls: true };
    const options = { ...all, nestingDepth: 1, onlyKeys: new Set([actual.name]) };
    if (actual.kind === 'value' && actual.literal === true && typeof storedValue(found, actual.key) === 'string') {
      new Renderer(envelope.out, options).rootSync(found, 1);
      await envelope.end(-1, performance.now() - request.startedAt, { count: { count: 1, exact: true }, countTime: 0 });
      return;
    }
    const out = new JsonOut(envelope.out.indent);
    const renderer = new Renderer(out, options);
    await renderer.root(found, list ? 2 : 1);
    const value = (JSON.parse(out.text) as JsonObject)[actual.name];
    if (value === null || value === undefined || (Array.isArray(value) && value.length === 0))
      return sendNothing(request);
    const key = actual.kind === 'notion' || (actual.kind === 'relation' && list) ? type.name : actual.name;
    const text = out.text.replace(`"${actual.name}":`, `"${key}":`);
    envelope.out.text += list ? `[${envelope.out.newline(2)}${text}${envelope.out.newline(1)}]` : text;
    const taken = performance.now() - request.startedAt;
    await envelope.end(-1, taken, { count: { count: 1, exact: true }, countTime: 0 });
  });
}

function isListNotion(type: Type, property: Property): boolean {
  if (property.kind !== 'notion') return false;
  const relation = type.properties.get(property.relationName);
  return relation?.kind === 'relation' && relation.isCollection;
}

/** Creates objects of the related type and links them. */
async function create(request: RestRequest, type: Type, id: string, relation: RelationProperty): Promise<void> {
  const related = request.schema.type(relation.relatedType);
  if (related === undefined) throw new RestError(404, `There is no type ${relation.relatedType}.`);
  const { body } = request;
  if (body.value === null || (body.isArray && body.objects.length === 0)) {
    // Nothing to create, and nothing to say (docs/interface/rest.md 2.1).
    request.exchange.status = 200;
    request.exchange.end();
    return;
  }
  await prepare(request, related, body.objects);
  const created = await write(request, related.name, async (objects) => {
    const source = await owner(request, objects.tx, type, id);
    if (!(await objects.may('write', source))) throw objects.notPermitted(source);
    const nodes: GraphNode[] = [];
    for (const object of body.objects) {
      const node = await objects.create(related, object);
      nodes.push(node);
      await objects.link(relation, source, node);
    }
    return nodes;
  });
  const { exchange } = request;
  exchange.status = 201;
  const [first] = created;
  if (!request.body.isArray && first !== undefined)
    // Behind the path of the request no object is found.
    exchange.setHeader('Location', locationOf(request, `/${first.type}/${first.id}`));
  await sendEmpty(request);
}

/** The values of the body are the uuids the relation is to have. */
async function replace(request: RestRequest, type: Type, id: string, relation: RelationProperty): Promise<void> {
  const ids = request.body.objects.slice(0, 1).flatMap((o) => Object.values(o));
  const input: JsonObject = Object.create(null) as JsonObject;
  input[relation.name] = relation.isCollection ? ids : (ids[0] ?? null);
  await updateEntity(request, type, id, input);
  await sendEmpty(request);
}

/** Deletes the related objects themselves, as the collection of their type does. */
async function remove(request: RestRequest, type: Type, id: string, relation: RelationProperty): Promise<void> {
  const windowed = await isWindowed(request, type);
  const related = request.schema.type(relation.relatedType);
  if (related === undefined) throw new RestError(404, `There is no type ${relation.relatedType}.`);
  mustMeanTheSame(request, type, related);
  await deleteFound(request, {
    query: async (tx) => {
      await owner(request, tx, type, id);
      const where = await conditions(request, tx, type, true);
      const sort = windowed ? sortKeys(request, type, related) : [];
      const from = { id, step: relation.step };
      return { kind: 'nodes', from, sort, ...(where === undefined ? {} : { where }) } satisfies NodeQuery;
    },
    windowed,
    deleteOne: async (objects, found) => {
      const node = await objects.tx.node(found);
      if (node !== undefined) await objects.delete(node);
    },
  });
  await sendEmpty(request);
}
