/** Paths of a type: its objects together, one of them, each in all views (docs/interface/rest.md 3, 4). */
import type { JsonObject } from '../../../../shared/json/index.js';
import { isSecret, textIndexFor, type Schema, type Type } from '../../../schema/index.js';
import { Parameters } from '../../request/parameters.js';
import { parameterRef, reservedName, responseRef } from '../schemas/components.js';
import { inputComponent, operationIds, schemaRef, viewComponent } from '../names.js';
import {
  DEPTH,
  failures,
  idParameter,
  jsonBody,
  operation,
  resultResponse,
  type DocumentSettings,
  type PathEntry,
} from './operation.js';
import type { SelectedType } from '../selection.js';

/** Paths of objects of a type. */
export function* typePaths(selected: SelectedType, schema: Schema, settings: DocumentSettings): Generator<PathEntry> {
  const { type } = selected;
  const { name } = type;
  const filters = filterParameters(type, settings);
  const ofList = [...searchParameters(type, schema, settings), ...sortParameters(settings), ...filters];
  const views = [...type.views.keys()].filter((v) => v !== settings.defaultView);
  const at = (view: string): string => `/${encodeURIComponent(view)}`;
  yield [
    `/${name}`,
    {
      get: listOperation(selected, settings.defaultView, ofList),
      post: createOperation(selected),
      delete: deleteListOperation(selected, filters),
    },
  ];
  for (const view of views) yield [`/${name}${at(view)}`, { get: listOperation(selected, view, ofList) }];
  yield [
    `/${name}/{uuid}`,
    {
      parameters: [idParameter(settings)],
      get: getOperation(selected, settings.defaultView),
      put: updateOperation(selected),
      delete: deleteOperation(selected),
    },
  ];
  for (const view of views) {
    yield [`/${name}/{uuid}${at(view)}`, { parameters: [idParameter(settings)], get: getOperation(selected, view) }];
  }
}

/** Those of full-text search, where a property has an index for it (docs/interface/lists.md 1.9). */
function searchParameters({ properties }: Type, schema: Schema, { legacyNames }: DocumentSettings): JsonObject[] {
  const has = [...properties.values()].some((one) => one.kind === 'value' && textIndexFor(schema, one) !== undefined);
  if (!has) return [];
  const query = (name: string, description: string, schema: JsonObject): JsonObject => ({
    name: reservedName(name, legacyNames),
    in: 'query',
    description,
    schema,
  });
  return [
    query('search', 'Words that a text of the objects has; the best come first', { type: 'string' }),
    query('searchIn', 'Properties that are searched, separated by commas', { type: 'string' }),
    query('snippets', 'Pieces of each text around what was found', { type: 'integer', minimum: 0, maximum: 20 }),
  ];
}

function sortParameters({ legacyNames }: DocumentSettings): JsonObject[] {
  const repeatable = (name: string, description: string, items: JsonObject): JsonObject => ({
    name: reservedName(name, legacyNames),
    in: 'query',
    description,
    schema: { type: 'array', items },
    style: 'form',
    explode: true,
  });
  return [
    repeatable('sort', 'Properties to sort by', { type: 'string' }),
    repeatable('order', 'Their directions, in the same order', { type: 'string', enum: ['asc', 'desc'] }),
  ];
}

/** A search key for each value property; those whose name is taken by a reserved parameter cannot be searched. */
function filterParameters(type: Type, { legacyNames }: DocumentSettings): JsonObject[] {
  const list: JsonObject[] = [];
  for (const property of type.properties.values()) {
    if (property.kind !== 'value' || isSecret(property)) continue;
    const { name, valueType } = property;
    if (new Parameters(`${encodeURIComponent(name)}=`, legacyNames).filters.length === 0) continue;
    // Always a text: lists, ranges and emptiness are part of the syntax (docs/interface/lists.md 1.2).
    list.push({
      name,
      in: 'query',
      ...(valueType === 'String' ? {} : { description: valueType }),
      schema: { type: 'string' },
    });
  }
  return list;
}

/** Result type of a view; types without that view are written without keys. */
function resultSchema(type: Type, view: string): JsonObject {
  return type.views.has(view) ? schemaRef(viewComponent(type.name, view)) : { type: 'object' };
}

function listOperation({ type, annotation }: SelectedType, view: string, ofList: readonly JsonObject[]): JsonObject {
  return operation({
    id: operationIds.list(type.name, view),
    summary: `${type.name}: all objects in the view ${view}`,
    description: annotation.summary ?? annotation.description,
    tags: annotation.tags,
    parameters: [...['page', 'pageSize', 'inexactSearch', 'outputNestingDepth'].map(parameterRef), ...ofList],
    responses: {
      '200': resultResponse('The objects', 'GetBaseResponse', { type: 'array', items: resultSchema(type, view) }),
      ...failures('badRequest', 'validationError'),
    },
  });
}

function getOperation({ type, annotation }: SelectedType, view: string): JsonObject {
  return operation({
    id: operationIds.get(type.name, view),
    summary: `${type.name}: one object in the view ${view}`,
    tags: annotation.tags,
    parameters: [DEPTH],
    responses: {
      '200': resultResponse('The object', 'GetBaseResponse', resultSchema(type, view)),
      ...failures('notFound'),
    },
  });
}

function createOperation({ type, annotation }: SelectedType): JsonObject {
  const one = schemaRef(inputComponent(type.name, 'create'));
  return operation({
    id: operationIds.create(type.name),
    summary: `${type.name}: create one object, or a list of them, all or none`,
    tags: annotation.tags,
    body: jsonBody({ oneOf: [one, { type: 'array', items: one }] }),
    responses: { '201': responseRef('created'), ...failures('badRequest', 'forbidden', 'validationError') },
  });
}

function updateOperation({ type, annotation }: SelectedType): JsonObject {
  return operation({
    id: operationIds.update(type.name),
    summary: `${type.name}: change the properties in the body`,
    tags: annotation.tags,
    body: jsonBody(schemaRef(inputComponent(type.name, 'update'))),
    responses: { '200': responseRef('ok'), ...failures('badRequest', 'forbidden', 'notFound', 'validationError') },
  });
}

function deleteOperation({ type, annotation }: SelectedType): JsonObject {
  return operation({
    id: operationIds.delete(type.name),
    summary: `${type.name}: delete one object`,
    tags: annotation.tags,
    responses: { '200': responseRef('ok'), ...failures('forbidden', 'notFound', 'validationError') },
  });
}

function deleteListOperation({ type, annotation }: SelectedType, filters: readonly JsonObject[]): JsonObject {
  return operation({
    id: operationIds.deleteList(type.name),
    summary: `${type.name}: delete all objects that the search keys find`,
    description: 'Without search keys every object of the type and its subtypes is deleted.',
    tags: annotation.tags,
    parameters: [parameterRef('inexactSearch'), ...filters],
    responses: { '200': responseRef('ok'), ...failures('badRequest', 'forbidden', 'validationError') },
  });
}
