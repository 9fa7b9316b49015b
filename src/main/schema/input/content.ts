/** Content of files as an input brings it, and who may replace what there is. */
import type { JsonObject } from '../../../shared/json/index.js';
import type { GraphNode } from '../../graph/index.js';
import { SchemaError } from '../model/errors.js';
import type { Type } from '../model/schema.js';
import type { InputContents, PreparedContent } from '../writing/contents.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';

/** The content that an input brings; prepared ones only: nothing is stored while writers wait. Throws `SchemaError`. */
export function contentIn(
  input: JsonObject,
  type: Type,
  contents: Pick<InputContents, 'get'> | undefined,
): PreparedContent | undefined {
  if (!type.hasTrait('File')) return undefined;
  let found: PreparedContent | undefined;
  for (const key of Object.keys(input)) {
    const property = type.properties.get(key);
    const value = input[key];
    if (property?.kind !== 'computed' || property.isContent !== true || value === null) continue;
    found = typeof value === 'string' ? contents?.get(value) : undefined;
    if (found !== undefined) continue;
    throw new SchemaError(`Property ${key} takes content as base64 or as a data URI.`, [
      { type: type.name, property: key, token: 'must_be_of_type', detail: 'base64' },
    ]);
  }
  return found;
}

/** Throws `SchemaError` (forbidden) for who may not write what is evaluated with the rights of whoever reads it (`isTemplate`). */
export function mayReplaceContent({ actor }: ObjectTransaction, file: GraphNode): void {
  if (actor.isAdmin || file.properties['isTemplate'] !== true) return;
  throw new SchemaError('Only administrators may write to files whose content is evaluated.', [], 'forbidden');
}
