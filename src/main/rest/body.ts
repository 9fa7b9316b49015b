import type { Exchange } from '../http/index.js';
import type { JsonObject, JsonValue } from '../../shared/json.js';
import { JsonSyntaxError, parseJson } from '../../shared/json-parse.js';
import type { RequestBody } from './context.js';

/** No body, or a blank one, counts as `{}` (rest.md 3). */
const NO_BODY: RequestBody = { isArray: false, objects: [], value: {} };

/** Reads and parses the body of a writing request. Throws `JsonSyntaxError` and `HttpError`. */
export async function readRequestBody(exchange: Exchange, limit: number): Promise<RequestBody> {
  const bytes = await exchange.readBody(limit);
  if (isBlank(bytes)) {
    const empty: JsonObject = Object.create(null) as JsonObject;
    return { isArray: false, objects: [empty], value: empty };
  }
  const value = await parseJson(bytes, { restArrays: true });
  if (value === null) return { isArray: false, objects: [], value };
  if (Array.isArray(value)) return { isArray: true, objects: value.map(mustBeObject), value };
  return { isArray: false, objects: [mustBeObject(value)], value };
}

export { NO_BODY };

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
  return true;
}

function mustBeObject(value: JsonValue): JsonObject {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
  throw new JsonSyntaxError('The body must be a JSON object or an array of objects.');
}
