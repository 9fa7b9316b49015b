import type { TextIndexDefinition } from '../../graph/index.js';
import type { ValueProperty } from './property.js';
import type { Schema } from './schema.js';

/** Name of the full-text index of a property (docs/interface/schema.md 6.5). `trait`: the one that declares it. */
export function textIndexName(trait: string, property: string): string {
  return `${trait}_${property}_fulltext`;
}

/** The full-text index of a property; undefined: it has none. */
export function textIndexFor({ textIndexes }: Schema, property: ValueProperty): TextIndexDefinition | undefined {
  if (property.definition.fulltext !== true) return undefined;
  const name = textIndexName(property.declaringTrait, property.name);
  // Of equal names one has it.
  return textIndexes.find((one) => one.name === name && one.key === property.key);
}
