/** `/_schema`, `/_schema/<Type>`, `/_schema/<Type>/<view>`: the types as they are now (docs/interface/rest.md 9.1, 9.2). */
import type { JsonValue } from '../../../../shared/json/index.js';
import { propertyInfo, typeInfo, viewInfos, type Type } from '../../../schema/index.js';
import type { Resolver, RestRequest } from '../../context.js';
import { sendValue } from '../../answer/envelope.js';
import { RestError } from '../../errors.js';

export const resolveIntrospection: Resolver = (segments, schema) => {
  const [first, name] = segments;
  if (first !== '_schema' || segments.length > 2) return undefined;
  if (name === undefined) {
    return { signature: '_schema', allow: ['GET', 'OPTIONS'], verbs: { GET: all } };
  }
  const type = schema.type(name);
  if (type === undefined) return undefined;
  return { signature: `_schema/${name}`, allow: ['GET', 'OPTIONS'], verbs: { GET: (request) => one(request, type) } };
};

async function all(request: RestRequest): Promise<void> {
  const list = [...request.schema.types.values()].map((t) => typeInfo(t));
  await sendValue(request, list, list.length, performance.now() - request.startedAt);
}

async function one(request: RestRequest, type: Type): Promise<void> {
  const asked = askedView(request);
  let result: JsonValue;
  if (asked !== undefined) {
    const view = type.views.get(asked);
    if (view === undefined) throw new RestError(404, `Type ${type.name} has no view ${asked}.`);
    result = view.properties.map((p) => propertyInfo(p, request.schema));
  } else {
    const info = typeInfo(type);
    if (!type.isServiceClass) info['views'] = viewInfos(type, request.schema);
    result = [info];
  }
  await sendValue(request, result, result.length, performance.now() - request.startedAt);
}

/** The view written in the URL, `public` included; the default view is not one somebody asked for. */
function askedView(request: RestRequest): string | undefined {
  const last = decodeURIComponent(request.exchange.path.split('/').at(-1) ?? '');
  return request.schema.viewNames.has(last) && !request.path.endsWith(`/${last}`) ? last : undefined;
}
