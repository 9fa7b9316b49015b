/** `/<Type>/in`, `/<Type>/out`, `/<Type>/<uuid>/in`, `/<Type>/<uuid>/out`: relationships of nodes (docs/interface/rest.md 1.2). */
import type { Predicate, RelationshipQuery } from '../../../graph/index.js';
import type { Type } from '../../../schema/index.js';
import type { Resolver, Resource, RestRequest } from '../../context.js';
import { RestError } from '../../errors.js';
import { sendList } from '../../answer/list.js';
import { read } from '../../read.js';
import { findEntity } from './entity.js';
import { toPresent } from './present-ends.js';

type Side = 'in' | 'out';
const isSide = (segment: string | undefined): segment is Side => segment === 'in' || segment === 'out';

export const resolveTypeRelationships: Resolver = (segments, schema) => {
  const [name = '', side] = segments;
  const type = schema.type(name);
  if (segments.length !== 2 || !isSide(side) || type?.kind !== 'node') return undefined;
  return {
    signature: `${type.name}/${side}`,
    anywhere: { type: undefined },
    allow: ['GET', 'OPTIONS'],
    verbs: { GET: (request) => ofType(request, type, side) },
  };
};

export const resolveNodeRelationships: Resolver = (segments, schema, settings): Resource | undefined => {
  const [name = '', id = '', side] = segments;
  const type = schema.type(name);
  if (segments.length !== 3 || !isSide(side) || type?.kind !== 'node' || !settings.write.idPattern.test(id))
    return undefined;
  return {
    signature: `${type.name}/_id/${side}`,
    anywhere: { type: undefined },
    allow: ['GET', 'OPTIONS'],
    verbs: { GET: (request) => ofNode(request, type, id, side) },
  };
};

function ofType(request: RestRequest, type: Type, side: Side): Promise<void> {
  const [unknown] = request.parameters.filters.filter(([key]) => !type.properties.has(key.split('.')[0] ?? ''));
  if (unknown !== undefined) throw new RestError(400, `Unknown search key ${unknown[0]}`);
  if (request.parameters.filters.length > 0) {
    // Better nothing than too much: the search would have to be one on the nodes at the ends.
    throw new RestError(
      422,
      `Relationships of all ‛${type.name}‛ cannot be filtered; use /${type.name}/<uuid>/${side}.`,
    );
  }
  const ends =
    type.name === 'NodeInterface'
      ? {}
      : side === 'in'
        ? { targetTypes: type.concreteTypes }
        : { sourceTypes: type.concreteTypes };
  return read(request, (tx) => sendList(request, tx, toPresent(request, { kind: 'relationships', ...ends })));
}

function ofNode(request: RestRequest, type: Type, id: string, side: Side): Promise<void> {
  let domainOnly = false;
  for (const [key, value] of request.parameters.filters) {
    if (key !== 'domainOnly') throw new RestError(400, `Unknown search key ${key}`);
    domainOnly = value.toLowerCase() === 'true';
  }
  const internal = [...request.schema.relations.values()].filter((r) => r.internal === true).map((r) => r.name);
  const where: Predicate = { op: 'not', term: { op: 'in', key: 'type', values: internal } };
  const query: RelationshipQuery = {
    kind: 'relationships',
    ...(side === 'in' ? { targetId: id } : { sourceId: id }),
    ...(domainOnly ? { where } : {}),
  };
  return read(request, async (tx) => {
    await findEntity(request, tx, type, id);
    await sendList(request, tx, toPresent(request, query));
  });
}
