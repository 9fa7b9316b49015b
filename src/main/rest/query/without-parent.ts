/** Which files and folders lie in no folder. */
import type { ObjectAccess, Property, RelationProperty, Type, ValueProperty } from '../../schema/index.js';

/**
 * What a file or folder has kept of whether it lies in a folder, for who sees all folders: an index answers it, where each file would have to be asked
 * for its folder. Undefined: for others a folder that they may not read is none (docs/interface/lists.md 1.4), and for other properties.
 */
export function keptParent(property: RelationProperty, type: Type, access: ObjectAccess): ValueProperty | undefined {
  if (property.name !== 'parent' || property.declaringTrait !== 'AbstractFile') return undefined;
  if (access.rule('read') !== undefined) return undefined;
  const kept: Property | undefined = type.properties.get('hasParent');
  return kept?.kind === 'value' && kept.declaringTrait === 'AbstractFile' ? kept : undefined;
}
