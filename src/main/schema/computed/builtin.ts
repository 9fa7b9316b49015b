/**
 * Computations of built-in types (`propertyType` `Computed`, `format` names the row).
 */
import type { GraphEntity, ReadTransaction } from '../../graph/index.js';
import type { JsonValue } from '../../../shared/json.js';
import type { PropertyDefinition } from '../properties/property.js';
import type { ComputedProperty } from './computed.js';

interface Row {
  readonly valueType: string;
  compute(entity: GraphEntity, tx: ReadTransaction): Promise<JsonValue> | JsonValue;
}

/** Folders above a file or folder end a path after this many; a cycle cannot hang a request. */
const MAX_DEPTH = 256;

async function filePath(entity: GraphEntity, tx: ReadTransaction): Promise<string> {
  let path = '';
  let at: GraphEntity | undefined = entity;
  for (let depth = 0; at !== undefined && depth < MAX_DEPTH; depth++) {
    path = `/${String(at.properties['name'] ?? '')}${path}`;
    const above: GraphEntity[][] = await tx.related([at.id], { relType: 'CONTAINS', direction: 'in' }, 1);
    at = above[0]?.[0];
  }
  return path;
}

const rows: Readonly<Record<string, Row>> = {
  filePath: { valueType: 'String', compute: filePath },
  pagePath: { valueType: 'String', compute: (e) => `/${e.id}` },
};

/** A row's computation; rows of features still to come read as null. */
export function builtinComputations(definition: PropertyDefinition, trait: string): ComputedProperty {
  const row = rows[definition.format ?? ''];
  return {
    kind: 'computed',
    name: definition.name,
    definition,
    declaringTrait: trait,
    valueType: row?.valueType ?? 'Object',
    className: 'ComputedProperty',
    isCollection: false,
    compute: async (entity, { tx }) => ({ json: row === undefined ? null : await row.compute(entity, tx) }),
  };
}
