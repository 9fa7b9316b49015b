import type { Exchange } from '../../http/index.js';
import {
  decodeJson,
  JsonLimitError,
  JsonSyntaxError,
  parseJson,
  type JsonObject,
  type JsonValue,
} from '../../../shared/json/index.js';
import type { BodyShare } from './body-memory.js';
import type { RequestBody } from './request-body.js';
import { RestError } from '../errors.js';
import type { BodyLimits } from './request-body.js';

/** No body, or a blank one, counts as `{}` (docs/interface/rest.md 2.1). */
const NO_BODY: RequestBody = { isArray: false, objects: [], value: {} };

/** Bytes of a body where everybody may send one, or where hardly anything belongs into it. */
export const SMALL_BODY = 65_536;

const SETTING = { values: 'httpservice.body.maxvalues', objects: 'httpservice.body.maxobjects' } as const;

/**
 * Reads and parses the body of a request, at most `bytes` of it. What it becomes counts in `share`. Throws
 * `JsonSyntaxError`, `HttpError` (413, 503 beyond the budgets) and `RestError` 413.
 */
export async function readRequestBody(
  exchange: Exchange,
  limits: BodyLimits,
  share?: BodyShare,
  bytes = limits.bytes,
): Promise<RequestBody> {
  const text = await readText(exchange, Math.min(bytes, limits.bytes));
  exchange.bodyDone();
  if (isBlank(text)) {
    const empty: JsonObject = Object.create(null) as JsonObject;
    return { isArray: false, objects: [empty], value: empty };
  }
  const value = await parseBody(text, limits, share);
  if (value === null) return { isArray: false, objects: [], value };
  if (Array.isArray(value)) return { isArray: true, objects: value.map(mustBeObject), value };
  return { isArray: false, objects: [mustBeObject(value)], value };
}

export { NO_BODY };

/** A function of its own, so that the bytes are not kept while their text is being parsed. */
async function readText(exchange: Exchange, limit: number): Promise<string> {
  return decodeJson(await exchange.readBody(limit));
}

async function parseBody(
  text: string,
  { values, objects }: BodyLimits,
  share: BodyShare | undefined,
): Promise<JsonValue> {
  try {
    return await parseJson(text, {
      restArrays: true,
      maxValues: values,
      maxObjects: objects,
      ...(share === undefined ? {} : { takes: share.acquire }),
    });
  } catch (error) {
    if (!(error instanceof JsonLimitError)) throw error;
    const { what, limit } = error;
    throw new RestError(413, `The body holds more than ${String(limit)} ${what} (${SETTING[what]}).`);
  }
}

function isBlank(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return false;
  }
  return true;
}

function mustBeObject(value: JsonValue): JsonObject {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
  throw new JsonSyntaxError('The body must be a JSON object or an array of objects.');
}
