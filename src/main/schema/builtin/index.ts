/** The built-in types and relationship types (schema.md 20, 21): data only. */
import type { RelationDefinition, TraitDefinition } from '../definitions.js';
import { baseRelations, baseTraits } from './base.js';
import { metaRelations, metaTraits } from './meta.js';
import { principalRelations, principalTraits } from './principals.js';

export const builtinTraits: readonly TraitDefinition[] = [...baseTraits, ...principalTraits, ...metaTraits];

export const builtinRelations: readonly RelationDefinition[] = [
  ...baseRelations,
  ...principalRelations,
  ...metaRelations,
];

/** Formats of `Computed` properties: rows `schema/computed/builtin.ts` is asked for. */
export const computedNames = ['relationshipSource', 'relationshipTarget'] as const;
