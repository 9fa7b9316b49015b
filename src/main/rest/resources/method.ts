/**
 * Methods and user-defined functions (rest.md 6.4). Those of the schema are stored and shown; running them needs the
 * script engine, which is not part of the service yet: a call to one that exists says so. Others the service has itself.
 */
import type { Type } from '../../schema/index.js';
import type { Resolver, RestRequest } from '../context.js';
import { RestError } from '../errors.js';
import { read } from '../read.js';
import { builtinMethodResource } from './builtin-method.js';
import { findEntity } from './entity.js';

export const resolveMethod: Resolver = (segments, schema, settings) => {
  const [first = '', second = '', third = ''] = segments;
  const unavailable = (): RestError =>
    new RestError(501, 'This version of svc cannot run methods yet: scripting is missing.');
  const resource = (signature: string, verb: string, on?: Type): ReturnType<Resolver> => ({
    signature,
    allow: ['OPTIONS', verb],
    verbs: {
      [verb]: async (request: RestRequest) => {
        // A method of an object that the caller may not read is not there for him (security.md 9.3).
        if (on !== undefined) await read(request, (tx) => findEntity(request, tx, on, second));
        throw unavailable();
      },
    },
  });
  if (segments.length === 1) {
    const global = schema.functions.get(first);
    return global === undefined ? undefined : resource(first, global.httpVerb);
  }
  const onSelf = first === 'me' && segments.length === 2;
  const type = schema.type(onSelf ? 'User' : first);
  if (type === undefined) return undefined;
  const onObject = settings.write.idPattern.test(second);
  const name = onObject ? third : second;
  const method = type.traits.map((t) => schema.methods.get(t)?.get(name)).findLast((m) => m !== undefined);
  // What is defined in the schema comes before what the service has.
  if (method === undefined && segments.length === (onObject ? 3 : 2) && !onSelf) {
    return builtinMethodResource(type, first, onObject ? second : undefined, name);
  }
  if (method === undefined || method.isPrivate || (!onObject && !onSelf && !method.isStatic)) return undefined;
  // The word of `/me/<method>` is always User (rest.md 1.3).
  return onObject
    ? resource(`${first}/_id/${name}`, method.httpVerb, type)
    : resource(`${type.name}/${name}`, method.httpVerb);
};
