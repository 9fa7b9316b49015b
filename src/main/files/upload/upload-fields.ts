/** What the fields of an upload say: the type and the properties of the new files (docs/interface/files.md 3.2, 3.3). */
import { SchemaError, type ObjectTransaction, type Type } from '../../schema/index.js';
import { JsonSyntaxError, parseJson, type JsonObject, type JsonValue } from '../../../shared/json/index.js';
import { logger } from '../../../shared/log.js';
import { CHECKSUM_NAMES } from '../content/checksums.js';
import { typeNameFor } from '../content/content-type.js';
import { FilesError } from '../errors.js';

const log = logger('files.upload');

/** Fields of an upload by name; of a name that came twice the last. */
export type Fields = ReadonlyMap<string, string>;

/** Fields that name the folder, the first of them counts: the relation to it has a name for each kind of file. */
export const PARENTS = ['parentId', 'parent', 'fileParent', 'imageParent'] as const;
/** Fields that are no properties: they say something about the upload, or what only the service knows. */
const NO_PROPERTIES: ReadonlySet<string> = new Set([
  'type',
  ...PARENTS,
  'hasParent',
  'uploadFolderPath',
  'redirectOnSuccess',
  'appendUuidOnRedirect',
  'checksum',
  ...CHECKSUM_NAMES,
  'size',
  'version',
  'fileModificationDate',
]);

/** UUID of the folder that the fields name, in any notation of one; null: the root of the tree; undefined: they name none. */
export async function parentIn(fields: Fields): Promise<string | null | undefined> {
  for (const name of PARENTS) {
    if (fields.get(name)?.trim() === 'null') return null;
    const id = await idField(fields, name);
    if (id !== undefined) return id;
  }
  return undefined;
}

/** UUID of the object that a field names, in any notation of one. */
export async function idField(fields: Fields, name: string): Promise<string | undefined> {
  const text = fields.get(name)?.trim() ?? '';
  if (text === '') return undefined;
  const id = idIn(await jsonOr(text));
  return id === null ? undefined : (id ?? text);
}

/** `"id"`, `{"id":"id"}` or a list of one of them; null: nothing. */
function idIn(value: JsonValue): string | null | undefined {
  if (value === null || typeof value === 'string') return value;
  if (Array.isArray(value)) return value.length === 0 ? null : value.length === 1 ? idIn(value[0] ?? null) : undefined;
  if (typeof value !== 'object') return undefined;
  const { id } = value;
  return typeof id === 'string' ? id : undefined;
}

/** The type that was asked for, as far as it is one of files; else what the content is. */
export function typeFor({ schema }: ObjectTransaction, named: string | undefined, contentType: string): Type {
  if (named !== undefined && named !== '') {
    const type = schema.type(named);
    if (type?.hasTrait('File') === true) return type;
    log.warn(`an upload asks for type ${JSON.stringify(named.slice(0, 200))}, which is no type of files`);
  }
  const name = typeNameFor(contentType);
  const type = schema.type(name);
  if (type === undefined) throw new FilesError(500, `The schema has no type ${name}.`);
  return type;
}

/**
 * Throws `SchemaError` (422) for an `id` in the fields: content is stored for the file that it will be before all fields have
 * come, and a form may bring many files.
 */
export function refuseId(fields: Fields): void {
  const id = fields.get('id');
  if (id === undefined) return;
  throw new SchemaError('The id of an uploaded file cannot be chosen: it is in the answer.', [
    { type: 'File', property: 'id', token: 'is_read_only_property', value: id.slice(0, 100) },
  ]);
}

/** Properties of the fields. Texts are JSON where that makes sense, `12`, `true` and `[{"id":"..."}]`, else themselves. */
export async function inputOf(type: Type, fields: Fields, idPattern: RegExp): Promise<JsonObject> {
  refuseId(fields);
  const input = Object.create(null) as JsonObject;
  for (const [name, text] of fields) {
    if (NO_PROPERTIES.has(name)) continue;
    const property = type.properties.get(name);
    const isText = property?.kind === 'value' && property.valueType === 'String' && !text.startsWith('"');
    // An id may look like a number.
    const isId = property?.kind === 'relation' && idPattern.test(text);
    const value = (isText && text !== 'null') || isId ? text : await jsonOr(text);
    // A relation to many takes one id, too.
    const isOneOfMany =
      property?.kind === 'relation' && property.isCollection && value !== null && !Array.isArray(value);
    input[name] = isOneOfMany ? [value] : value;
  }
  return input;
}

async function jsonOr(text: string): Promise<JsonValue> {
  try {
    const value = await parseJson(text, { primitives: true });
    // Words without quotes are themselves, with all their spaces.
    return typeof value === 'string' && !/^\s*["']/.test(text) ? text : value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return text;
    throw error;
  }
}
