/**
 * Schema methods and user-defined functions (rest.md 6.4). They are stored and shown; running them needs the script
 * engine, which is not part of the service yet: a call to one that exists says so.
 */
import type { Resolver } from '../context.js';
import { RestError } from '../errors.js';

export const resolveMethod: Resolver = (segments, schema, settings) => {
  const [first = '', second = '', third = ''] = segments;
  const unavailable = (): Promise<void> =>
    Promise.reject(new RestError(501, 'This version of svc cannot run methods yet: scripting is missing.'));
  const resource = (signature: string, verb: string): ReturnType<Resolver> => ({
    signature,
    allow: ['OPTIONS', verb],
    verbs: { [verb]: unavailable },
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
  if (method === undefined || method.isPrivate || (!onObject && !onSelf && !method.isStatic)) return undefined;
  // The word of `/me/<method>` is always User (rest.md 1.3).
  return resource(onObject ? `${first}/_id/${name}` : `${type.name}/${name}`, method.httpVerb);
};
