/** Rows of statements as nodes and relationships. */
import type { GraphNode, GraphRelationship } from '../../types.js';
import { decodeProperties, type RawProperties } from '../connection/codec.js';
import type { Values } from '../connection/statement.js';
import { keyOf } from '../connection/names.js';

export function nodeOf(raw: unknown): GraphNode {
  const properties = raw as RawProperties;
  return {
    kind: 'node',
    id: String(properties['id']),
    type: String(properties['type']),
    properties: decodeProperties(properties),
  };
}

/** From `[properties, type, source id, target id]`, beginning at `at`. */
export function relationshipOf(row: Values, at = 0): GraphRelationship {
  const properties = row[at] as RawProperties;
  return {
    kind: 'relationship',
    id: String(properties['id']),
    type: String(properties['type']),
    relType: relTypeOf(row[at + 1]),
    sourceId: String(row[at + 2]),
    targetId: String(row[at + 3]),
    properties: decodeProperties(properties),
  };
}

/** From the name in the database. */
export function relTypeOf(name: unknown): string {
  return keyOf(String(name)) ?? String(name);
}
