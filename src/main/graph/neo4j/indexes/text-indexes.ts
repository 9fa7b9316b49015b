/** Full-text indexes in Neo4j's words: how one is made, and what is looked for as Lucene reads it. */
import { createHash } from 'node:crypto';
import type { TextQuery } from '../../text/text-query.js';
import type { TextIndexDefinition } from '../../types.js';
import { LONG } from '../connection/codec.js';
import { labelOf, propertyName, quoted, relationshipLabel } from '../connection/names.js';

/** Prefix of the names of full-text indexes. */
export const TEXT_INDEXES = 'svc_text_';

/** A full-text index in the database. */
export interface TextIndex {
  readonly name: string;
  readonly kind: TextIndexDefinition['kind'];
  /** Types of the schema that are asked for: others may have the same type of relationship in the database. */
  readonly types: readonly string[];
  readonly create: string;
}

/**
 * The index of a definition: of exactly its types, by the labels that only they have, because those of traits are those of the
 * time when a node was written. Another one for other types. Undefined: no type, nothing to look for.
 */
export function textIndexOf({ kind, label, key, types }: TextIndexDefinition): TextIndex | undefined {
  if (types.length === 0) return undefined;
  const labels = kind === 'nodes' ? [...new Set(types)].sort().map(labelOf) : [relationshipLabel(label)];
  const pattern = kind === 'nodes' ? `(e:${labels.join('|')})` : `()-[e:${labels.join('|')}]-()`;
  const property = propertyName(key);
  // Texts that an index on the key would refuse are cut there, and whole in the other property.
  const on = `FOR ${pattern} ON EACH [e.${quoted(property)}, e.${quoted(LONG + property)}]`;
  const name = TEXT_INDEXES + createHash('sha256').update(on).digest('hex').slice(0, 32);
  return { name, kind, types, create: `CREATE FULLTEXT INDEX ${name} IF NOT EXISTS ${on}` };
}

export function luceneQuery(query: TextQuery): string {
  switch (query.op) {
    case 'words':
      return `"${query.text.replace(/[\\"]/g, '\\$&')}"`;
    // These have letters and digits only: nothing that means something to Lucene.
    case 'prefix':
      return `${query.word}*`;
    case 'pattern':
      return query.text;
    case 'like':
      return query.edits === 0 ? query.word : `${query.word}~${String(query.edits)}`;
    case 'all': {
      const parts = [
        ...query.must.map((one) => `+${luceneQuery(one)}`),
        ...query.may.map(luceneQuery),
        ...query.not.map((one) => `-${luceneQuery(one)}`),
      ];
      return `(${parts.join(' ')})`;
    }
  }
}
