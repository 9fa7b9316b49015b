/** Small parts of writing: what changes, what takes a change back, and the errors. */
import { GraphError } from '../../errors.js';
import { sameValue } from '../../sqlite/connection/values.js';
import type { Change, GraphEntity, GraphRelationship, PropertyChanges, PropertyMap, StoredValue } from '../../types.js';
import { type RawProperties, storedForm } from '../connection/codec.js';
import { COMMON, relationshipLabel } from '../connection/names.js';
import type { Statement } from '../connection/statement.js';

/** The same keys, all to be removed. */
export function nulled(raw: RawProperties): RawProperties {
  return Object.fromEntries(Object.keys(raw).map((name) => [name, null]));
}

/** The error for an id that does not exist. */
export function missing(kind: string, id: string): GraphError {
  return new GraphError('not_found', `There is no ${kind} ${id}.`, id);
}

/** The error for savepoints that do not nest. */
export function overlapping(): GraphError {
  return new GraphError(
    'invalid_query',
    'Two savepoints of one transaction overlap: await one before beginning the next.',
  );
}

/** Makes a deleted relationship again. */
export function relink(relationship: GraphRelationship, raw: unknown): Statement {
  return {
    text:
      `MATCH (a:${COMMON} {id: $source}) MATCH (b:${COMMON} {id: $target}) ` +
      `CREATE (a)-[r:${relationshipLabel(relationship.relType)}]->(b) SET r = $raw`,
    params: { source: relationship.sourceId, target: relationship.targetId, raw },
  };
}

/** The properties after the changes and the keys that differ; undefined: none does. */
export function merged(
  before: PropertyMap,
  changes: PropertyChanges,
): { properties: PropertyMap; keys: string[] } | undefined {
  const next = Object.assign(Object.create(null) as object, before) as Record<string, StoredValue>;
  const wanted = storedForm(changes as PropertyMap);
  const keys: string[] = [];
  for (const key of Object.keys(changes)) {
    const value = wanted[key.toWellFormed()];
    if (changes[key] === undefined || sameValue(before[key], value)) continue;
    if (value === undefined) Reflect.deleteProperty(next, key);
    else next[key] = value;
    keys.push(key);
  }
  return keys.length === 0 ? undefined : { properties: next, keys };
}

/** Entries of the change list for the keys in which an entity differs from what it was. */
export function changesOf(entity: GraphEntity, before: PropertyMap, keys: readonly string[]): Change[] {
  return keys.map((key) => {
    const [previous, value] = [before[key] ?? null, entity.properties[key] ?? null];
    return { verb: 'change', entity, key, previous, value };
  });
}
