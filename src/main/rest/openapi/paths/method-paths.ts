/** Paths of schema methods and user-defined functions (docs/interface/rest.md 6). */
import type { JsonObject } from '../../../../shared/json/index.js';
import type { ParameterAnnotation } from '../annotations.js';
import { operationIds, schemaRef } from '../names.js';
import { declaredResult, declaredType } from '../schemas/declared-types.js';
import {
  failures,
  idParameter,
  jsonBody,
  operation,
  resultResponse,
  type DocumentSettings,
  type PathEntry,
} from './operation.js';
import type { SelectedMethod } from '../selection.js';

/** The path of a method. Static ones stand below their type, others below an object. */
export function methodPath(
  method: SelectedMethod,
  settings: DocumentSettings,
  components: ReadonlySet<string>,
): PathEntry {
  const { typeName, definition, annotation, tags } = method;
  const verb = definition.httpVerb.toLowerCase();
  const onObject = typeName !== undefined && !definition.isStatic;
  const id =
    typeName === undefined
      ? operationIds.executeGlobal(definition.name)
      : operationIds.execute(typeName, definition.name);
  // GET and DELETE have no body: their arguments follow in the path, by position.
  const inPath = verb === 'get' || verb === 'delete';
  const names = inPath ? templateNames(annotation.parameters, onObject) : [];
  const result = declaredResult(annotation.returnType, (name) => (components.has(name) ? schemaRef(name) : undefined));
  const path = `${typeName === undefined ? '' : `/${typeName}`}${onObject ? '/{uuid}' : ''}/${definition.name}`;
  const called = operation({
    id,
    summary: annotation.summary ?? `${typeName === undefined ? '' : `${typeName}: `}call ${definition.name}`,
    description: annotation.description,
    tags,
    parameters: [
      ...(onObject ? [idParameter(settings)] : []),
      ...names.map((name, i) => ({
        name,
        in: 'path',
        required: true,
        schema: argumentSchema(annotation.parameters[i]),
      })),
    ],
    ...(inPath ? {} : { body: jsonBody(bodySchema(annotation.parameters), false) }),
    responses: {
      '200': annotation.raw
        ? { description: 'What the method returns', content: { 'application/json': { schema: result } } }
        : resultResponse('What the method returns', verb === 'get' ? 'GetBaseResponse' : 'WriteBaseResponse', result),
      ...failures('badRequest', 'notFound', 'validationError'),
    },
  });
  return [path + names.map((n) => `/{${n}}`).join(''), { [verb]: called }];
}

/** Names for the template of the path: free of its own characters, and each only once. */
function templateNames(parameters: readonly ParameterAnnotation[], onObject: boolean): string[] {
  const taken = new Set(onObject ? ['uuid'] : []);
  return parameters.map(({ name }) => {
    let free = name.replace(/\W/g, '_');
    while (taken.has(free)) free += '_';
    taken.add(free);
    return free;
  });
}

function argumentSchema(parameter: ParameterAnnotation | undefined): JsonObject {
  return {
    ...declaredType(parameter?.type),
    ...(parameter?.description === undefined ? {} : { description: parameter.description }),
    ...(parameter?.example === undefined ? {} : { example: parameter.example }),
  };
}

function bodySchema(parameters: readonly ParameterAnnotation[]): JsonObject {
  return {
    type: 'object',
    ...(parameters.length === 0
      ? {}
      : { properties: Object.fromEntries(parameters.map((p) => [p.name, argumentSchema(p)])) }),
  };
}
