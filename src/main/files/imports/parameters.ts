/** Parameters of imports, as they come from JSON or from a form. */
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { FilesError } from '../errors.js';

/** True or false, also as a word. Throws `FilesError` 400. */
export function flag(input: JsonObject, key: string): boolean {
  const value = input[key] ?? false;
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new FilesError(400, `The parameter "${key}" must be true or false.`);
}

/** Throws `FilesError` 400 for what is no object. */
export function objectIn(value: JsonValue, key: string): JsonObject {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
  throw new FilesError(400, `The parameter "${key}" must be an object.`);
}

/** Throws `FilesError` 400 for what is no text, and for the empty one. */
export function textIn(value: JsonValue, key: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new FilesError(400, `The value of "${key}" must be text.`);
}
