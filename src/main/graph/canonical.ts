/** One text for each entity, the same whatever engine it comes from: what checksums are made of. */
import { encodeProperties } from './sqlite/connection/codec.js';
import type { GraphEntity, PropertyMap, StoredValue } from './types.js';

/** Two entities have the same text exactly when all of their values are the same, to the bit of a float. */
export function canonicalText(entity: GraphEntity): string {
  const { id, type } = entity;
  const fields = entity.kind === 'node' ? [id, type] : [id, type, entity.relType, entity.sourceId, entity.targetId];
  return JSON.stringify(fields) + encodeProperties(sorted(entity.properties));
}

function sorted(properties: PropertyMap): PropertyMap {
  const copy = Object.create(null) as Record<string, StoredValue>;
  for (const key of Object.keys(properties).sort()) {
    const value = properties[key];
    if (value !== undefined) copy[key] = value;
  }
  return copy;
}
