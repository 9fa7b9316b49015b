/** The traits every object has (docs/interface/schema.md 1). */
import type { RelationDefinition, TraitDefinition } from '../model/definitions.js';
import { computed, ids, key, keys, relation, str, trait, words } from './rows.js';

const system = { system: true, readOnly: true } as const;

export const baseTraits: readonly TraitDefinition[] = [
  trait('PropertyContainer', [], [], {}, { traitOnly: true }),
  trait(
    'GraphObject',
    [],
    [
      str('id', '*!u', { system: true }),
      str('type', '*', { system: true }),
      key('Date', 'createdDate', '', system),
      str('createdBy', '', system),
      key('Date', 'lastModifiedDate', '', system),
      str('lastModifiedBy', '', system),
      ...keys('Boolean', 'visibleToPublicUsers visibleToAuthenticatedUsers'),
    ],
    {
      public: words('id type'),
      ui: words('id type createdBy createdDate lastModifiedDate visibleToPublicUsers visibleToAuthenticatedUsers'),
    },
    { traitOnly: true },
  ),
  trait(
    'NodeInterface',
    [],
    [str('name', '*'), key('Boolean', 'hidden'), ids('ownerId', 'owner')],
    { public: ['name'], ui: words('name owner hidden') },
    { traitOnly: true },
  ),
  trait('AccessControllable', [], [], {}, { traitOnly: true }),
  trait(
    'RelationshipInterface',
    [],
    [
      str('internalTimestamp'),
      str('relType', '', system),
      ...keys('String', 'sourceId targetId'),
      computed('sourceNode', 'relationshipSource'),
      computed('targetNode', 'relationshipTarget'),
    ],
    { public: words('relType sourceId targetId'), ui: words('relType sourceId targetId') },
    { traitOnly: true },
  ),
  trait('GenericNode', [], []),
];

/** Ownership and grants, from principals to any node (docs/interface/security.md 1.1). */
export const baseRelations: readonly RelationDefinition[] = [
  relation('PrincipalOwnsNode', 'Principal', 'OWNS', 'NodeInterface', '1:*', {
    targetKey: 'ownedNodes',
    sourceKey: 'owner',
    internal: true,
  }),
  relation('Security', 'Principal', 'SECURITY', 'NodeInterface', '*:*', {
    targetKey: 'grantedNodes',
    sourceKey: 'grantees',
    internal: true,
    properties: [
      // Both are the ends of the relationship under another name (`storedValue` in schema.ts).
      str('principalId', '', { ...system, dbName: 'sourceId' }),
      str('accessControllableId', '', { ...system, dbName: 'targetId' }),
      key('StringArray', 'allowed'),
    ],
  }),
];
