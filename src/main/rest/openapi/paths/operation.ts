/** Parts that operations are put together from. */
import type { JsonObject } from '../../../../shared/json/index.js';
import { parameterRef, responseRef } from '../schemas/components.js';

/** What the document has to know of the settings. */
export interface DocumentSettings {
  /** View of URLs that name none. */
  readonly defaultView: string;
  /** `application.legacy.requestparameters.enabled` */
  readonly legacyNames: boolean;
  /** Ids in URLs, as a regular expression. */
  readonly idPattern: string;
}

/** Path of the document, and its operations by verb in lower case. */
export type PathEntry = readonly [path: string, item: JsonObject];

export interface OperationParts {
  readonly id: string;
  readonly summary: string;
  readonly description?: string | undefined;
  readonly tags: readonly string[];
  readonly parameters?: readonly JsonObject[];
  readonly body?: JsonObject;
  /** By status. */
  readonly responses: JsonObject;
}

export function operation({ id, summary, description, tags, parameters, body, responses }: OperationParts): JsonObject {
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [...tags],
    ...(parameters === undefined || parameters.length === 0 ? {} : { parameters: [...parameters] }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses,
  };
}

export function jsonBody(schema: JsonObject, required = true): JsonObject {
  return { required, content: { 'application/json': { schema } } };
}

/** An answer to GET: the envelope around a result. */
export function resultResponse(description: string, base: string, result: JsonObject): JsonObject {
  const schema = { allOf: [{ $ref: `#/components/schemas/${base}` }, { type: 'object', properties: { result } }] };
  return { description, content: { 'application/json': { schema } } };
}

/** Answers every operation has; `more` names further ones. */
export function failures(...more: ('badRequest' | 'forbidden' | 'notFound' | 'validationError')[]): JsonObject {
  const statuses = { badRequest: '400', forbidden: '403', notFound: '404', validationError: '422' } as const;
  return Object.fromEntries([
    ['401', responseRef('unauthorized')] as const,
    ...more.map((name) => [statuses[name], responseRef(name)] as const),
  ]);
}

export function idParameter({ idPattern }: DocumentSettings): JsonObject {
  return { name: 'uuid', in: 'path', required: true, schema: { type: 'string', pattern: idPattern } };
}

export const DEPTH = parameterRef('outputNestingDepth');
