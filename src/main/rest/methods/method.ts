/** Methods that built-in types have from the service itself, called like those of the schema (docs/interface/rest.md 6). */
import type { GraphNode } from '../../graph/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import type { RestRequest } from '../context.js';
import { RestError } from '../errors.js';

/** What a parameter must be when it is sent; `any`: the method looks itself. */
export type ParameterKind = 'string' | 'integer' | 'boolean' | 'object' | 'array' | 'any';

/** Objects as a result: they are shown in the view of the URL, as they are after the commit. */
export class ResultNodes {
  constructor(readonly nodes: GraphNode | readonly GraphNode[]) {}
}

interface Declared {
  readonly trait: string;
  readonly name: string;
  /** By name; a name with `!` at its end must be sent. What a client sends beyond them is passed on as it is. */
  readonly parameters: Readonly<Record<string, ParameterKind>>;
}

/** A method of the objects of a trait, called with POST. */
export interface ObjectMethod extends Declared {
  readonly isStatic?: false;
  /** Returns what becomes `result`. The caller may read `node`; every other right is the method's to ask for. */
  readonly run: (request: RestRequest, node: GraphNode, input: JsonObject) => Promise<JsonValue | ResultNodes>;
}

/** One that is called on the type itself. */
export interface TypeMethod extends Declared {
  readonly isStatic: true;
  readonly run: (request: RestRequest, input: JsonObject) => Promise<JsonValue | ResultNodes>;
}

export type BuiltinMethod = ObjectMethod | TypeMethod;

/** The parameters in a request's body. Throws `RestError` 400 when one is missing or is something else. */
export function parametersOf({ parameters, name }: BuiltinMethod, { body }: RestRequest): JsonObject {
  const input = body.objects[0] ?? (Object.create(null) as JsonObject);
  for (const [declared, kind] of Object.entries(parameters)) {
    const key = declared.replace(/!$/, '');
    const value = input[key];
    if (value === undefined || value === null) {
      if (key !== declared) throw new RestError(400, `The method ${name} needs the parameter "${key}".`);
    } else if (!isOf(kind, value))
      throw new RestError(400, `The parameter "${key}" of ${name} must be of type ${kind}.`);
  }
  return input;
}

/** A text among parameters that were checked; undefined: it was not sent. */
export function textIn(input: JsonObject, key: string): string | undefined {
  const value = input[key];
  return typeof value === 'string' ? value : undefined;
}

/** The same for a number. */
export function numberIn(input: JsonObject, key: string): number | undefined {
  const value = input[key];
  return typeof value === 'number' ? value : undefined;
}

function isOf(kind: ParameterKind, value: JsonValue): boolean {
  if (kind === 'any') return true;
  if (kind === 'array') return Array.isArray(value);
  if (kind === 'object') return value !== null && typeof value === 'object' && !Array.isArray(value);
  return kind === 'integer' ? Number.isSafeInteger(value) : typeof value === kind;
}
