/** Methods of types and user-defined functions of the schema, and those that built-in types have (docs/interface/rest.md 6). */
import type { GraphNode } from '../../../graph/index.js';
import { localeOf } from '../../../request/index.js';
import type { MethodDefinition, Schema, Type } from '../../../schema/index.js';
import { fromJsonValue, methodOf, pathArguments, scriptRequest, type ScriptMap } from '../../../scripting/index.js';
import type { Resolver, Resource, RestRequest, Verb } from '../../context.js';
import { RestError } from '../../errors.js';
import { read } from '../../read.js';
import { distinct } from '../../answer/distinct.js';
import { sendScriptResult } from '../../answer/script-results.js';
import { BEFORE_FUNCTIONS } from './before-functions.js';
import { builtinMethodResource } from './builtin-method.js';
import { findEntity } from '../objects/entity.js';

/** Verbs whose arguments stand in the path. */
const IN_PATH: ReadonlySet<string> = new Set(['GET', 'DELETE']);

/** What is called, and on which object; `me` is the one who asks. */
interface Call {
  readonly method: MethodDefinition;
  readonly signature: string;
  /** Segments behind the name. */
  readonly rest: readonly string[];
  readonly on?: { readonly type: Type; readonly id: string | undefined };
}

export const resolveMethod: Resolver = (segments, schema, settings) => {
  const [first = '', second = '', third = ''] = segments;
  // Where clients of old versions look for functions.
  const old = first === 'maintenance' && second === 'globalSchemaMethods' ? schema.functions.get(third) : undefined;
  if (old !== undefined && !old.isPrivate && segments.length === 3) {
    const signature = `maintenance/globalSchemaMethods/${third}`;
    return resource({ method: { ...old, httpVerb: 'POST' }, signature, rest: [] });
  }
  const global = BEFORE_FUNCTIONS.has(first) ? undefined : schema.functions.get(first);
  if (global !== undefined && !global.isPrivate) {
    return resource({ method: global, signature: first, rest: segments.slice(1) });
  }
  const onSelf = first === 'me';
  const type = schema.type(onSelf ? 'User' : first);
  if (type === undefined || segments.length < 2) return undefined;
  const onObject = settings.write.idPattern.test(second);
  const name = onObject ? third : second;
  const method = onSelf ? methodOf(schema, type, name) : methodBelow(schema, type, name);
  // What is defined in the schema comes before what the service has.
  if (method === undefined && segments.length === (onObject ? 3 : 2) && !onSelf) {
    return builtinMethodResource(type, first, onObject ? second : undefined, name);
  }
  if (method === undefined || method.isPrivate) return undefined;
  if (onObject) {
    const signature = `${first}/_id/${name}`;
    return resource({ method, signature, rest: segments.slice(3), on: { type, id: second } });
  }
  // The word of `/me/<method>` is always User (docs/interface/rest.md 1.3).
  if (onSelf)
    return resource({ method, signature: `User/${name}`, rest: segments.slice(2), on: { type, id: undefined } });
  return method.isStatic ? resource({ method, signature: `${type.name}/${name}`, rest: segments.slice(2) }) : undefined;
};

/** The method of a type, or of any of its subtypes: which one runs is decided by the object (docs/interface/rest.md 1.2). */
function methodBelow(schema: Schema, type: Type, name: string): MethodDefinition | undefined {
  const own = methodOf(schema, type, name);
  if (own !== undefined) return own;
  for (const concrete of type.concreteTypes) {
    const below = schema.type(concrete);
    const method = below === undefined ? undefined : methodOf(schema, below, name);
    if (method !== undefined && !method.isStatic) return method;
  }
  return undefined;
}

function resource(call: Call): Resource | undefined {
  const { method, signature, rest } = call;
  // What stands behind a method that takes no arguments in the path is something else.
  if (rest.length > 0 && !IN_PATH.has(method.httpVerb)) return undefined;
  return {
    signature,
    allow: ['OPTIONS', method.httpVerb],
    verbs: { [method.httpVerb as Verb]: (request: RestRequest) => run(request, call) },
  };
}

async function run(request: RestRequest, call: Call): Promise<void> {
  const { schema, services, actor, body, exchange, parameters } = request;
  let { method } = call;
  let self: GraphNode | undefined;
  if (call.on !== undefined) {
    const { type, id = actor.id ?? '' } = call.on;
    // A method of an object that the caller may not read is not there for him (docs/interface/security.md 9.3).
    const found = await read(request, (tx) => findEntity(request, tx, type, id));
    if (found.kind !== 'node') throw new RestError(404, `No ${type.name} with UUID ${id} found.`);
    const real = methodOf(schema, schema.typeOf(found), method.name);
    if (real === undefined || real.isPrivate) throw new RestError(404, `${found.type} has no method ${method.name}.`);
    if (real.httpVerb !== method.httpVerb) {
      throw new RestError(405, `${exchange.method} not allowed on ${request.path}`, [], {
        Allow: `OPTIONS,${real.httpVerb}`,
      });
    }
    method = real;
    if (!method.isStatic) self = found;
  }
  const inPath = IN_PATH.has(method.httpVerb);
  // An array is a call for each of its elements; PATCH takes the first (docs/interface/lists.md 2.2).
  const objects = body.isArray && method.httpVerb !== 'POST' ? body.objects.slice(0, 1) : body.objects;
  const args = (): readonly ScriptMap[] => {
    if (inPath) return [pathArguments(method, call.rest)];
    if (objects.length === 0 && !body.isArray) return [new Map()];
    return objects.map((one) => fromJsonValue(one) as ScriptMap);
  };
  const { values, run: ran } = await services.scripting.call(method, self, args, request, {
    request: scriptRequest(exchange),
    locale: localeOf(request, services.security, parameters.text('locale'), services.scripting.locale),
  });
  const [only = null] = values;
  const several = body.isArray && method.httpVerb === 'POST';
  await sendScriptResult(request, several ? distinct(values) : only, ran, method.returnRawResult);
}
