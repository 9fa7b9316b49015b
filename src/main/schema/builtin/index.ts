/** The built-in types and relationship types (docs/interface/builtin-types.md): data only. */
import type { RelationDefinition, TraitDefinition } from '../model/definitions.js';
import { baseRelations, baseTraits } from './base.js';
import { contentRelations, contentTraits } from './content.js';
import { fileRelations, fileTraits } from './files.js';
import { flowRelations } from './flow-relations.js';
import { flowTraits } from './flows.js';
import { htmlTraits } from './html.js';
import { metaRelations, metaTraits } from './meta.js';
import { moduleRelations, moduleTraits } from './modules.js';
import { pageRelations, pageTraits } from './pages.js';
import { principalRelations, principalTraits } from './principals.js';
import { securityTraits } from './security.js';
import { virtualTypeRelations, virtualTypeTraits } from './virtual-types.js';

export const builtinTraits: readonly TraitDefinition[] = [
  ...baseTraits,
  ...principalTraits,
  ...metaTraits,
  ...securityTraits,
  ...contentTraits,
  ...fileTraits,
  ...pageTraits,
  ...htmlTraits,
  ...virtualTypeTraits,
  ...moduleTraits,
  ...flowTraits,
];

export const builtinRelations: readonly RelationDefinition[] = [
  ...baseRelations,
  ...principalRelations,
  ...metaRelations,
  ...contentRelations,
  ...fileRelations,
  ...pageRelations,
  ...virtualTypeRelations,
  ...moduleRelations,
  ...flowRelations,
];

/** Formats of `Computed` properties: the rows that `schema/computed/builtin.ts` is asked for. */
export const computedNames = [
  'relationshipSource',
  'relationshipTarget',
  'filePath',
  'isMounted',
  'fileContent',
  'imageContent',
  'sortedChildren',
  'pagePath',
  'mailboxFolders',
  'xmppHandle',
  'flowEffectiveName',
  'flowPackageEffectiveName',
] as const;
