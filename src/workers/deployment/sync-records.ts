/** Records of a sync archive made of nodes and relationships as they are stored (deployment/sync/export.ts). */
import { decodeProperties } from '../../main/graph/sqlite/connection/codec.js';
import { type NumberCodes, RecordWriter } from '../../main/deployment/sync/record.js';
import type { Made, StoredEntity } from '../../main/graph/making.js';

/** What the loop says of an export. */
export interface RecordsAbout {
  /** How numbers are written, by type. */
  readonly codes: ReadonlyMap<string, NumberCodes>;
  /** Types of nodes, and types of relationships in the database, that are left out. */
  readonly types: ReadonlySet<string>;
  readonly relTypes: ReadonlySet<string>;
  /** Ids of nodes whose relationships are left out. */
  readonly nodes: ReadonlySet<string>;
}

export default function make(entities: readonly StoredEntity[], about: unknown): Made {
  const { codes, types, relTypes, nodes } = about as RecordsAbout;
  const writer = new RecordWriter();
  let count = 0;
  for (const entity of entities) {
    const isLeftOut =
      entity.kind === 'node'
        ? types.has(entity.type)
        : relTypes.has(entity.relType) || nodes.has(entity.sourceId) || nodes.has(entity.targetId);
    if (isLeftOut) continue;
    const { text, ...rest } = entity;
    writer.entity({ ...rest, properties: decodeProperties(text) }, codes.get(entity.type) ?? NONE);
    count++;
  }
  return { bytes: writer.taken(), entities: count };
}

const NONE: NumberCodes = new Map();
