/** The types a schema is made of (docs/interface/schema.md 2). */
import type { RelationDefinition, TraitDefinition } from '../model/definitions.js';
import {
  falseByDefault,
  ids,
  key,
  keys,
  oneOf,
  publicAndUi,
  relation,
  SOURCE_TO_TARGET,
  str,
  TARGET_TO_SOURCE,
  trait,
  words,
} from './rows.js';

const BASE = words('id type name');

/** The keys in `public` and `ui`, and behind id, type and name in `schema`. */
const inAllViews = (list: readonly string[], more: readonly string[] = []): Record<string, readonly string[]> => ({
  ...publicAndUi(list),
  schema: [...BASE, ...list, ...more],
});

const ABSTRACT_UI = words('tags summary description includeInOpenAPI isServiceClass');

const NODE_PUBLIC = words(`
  name inheritedTraits relatedTo relatedFrom defaultSortKey defaultSortOrder hierarchyLevel relCount isInterface
  isAbstract defaultVisibleToPublic defaultVisibleToAuth`);
const NODE_UI = [
  ...NODE_PUBLIC,
  ...words('category schemaProperties schemaViews schemaMethods icon changelogDisabled includeInOpenAPI'),
];

const PROPERTY_KEYS = words(`
  dbName schemaNode schemaViews excludedViews propertyType format fqcn typeHint hint category notNull compound unique
  indexed fulltext readOnly defaultValue isBuiltinProperty declaringClass isAbstract isDynamic readFunction
  writeFunction readFunctionWrapJS writeFunctionWrapJS isSerializationDisabled openAPIReturnType validators
  transformers isCachingEnabled`);

const VIEW_PUBLIC = words('schemaProperties schemaNode nonGraphProperties');
const VIEW_UI = [...VIEW_PUBLIC, ...words('isBuiltinView sortOrder')];

const METHOD_KEYS = words(`
  schemaNode staticSchemaNodeName source exceptions callSuper overridesExisting doExport codeType isPartOfBuiltInSchema
  tags summary description isStatic includeInOpenAPI openAPIReturnType isPrivate returnRawResult httpVerb
  wrapJsInMain`);

const RELATIONSHIP_KEYS = words(`
  sourceId targetId sourceType targetType relationshipType sourceMultiplicity targetMultiplicity sourceJsonName
  targetJsonName oldSourceJsonName oldTargetJsonName sourceNotion targetNotion cascadingDeleteFlag autocreationFlag
  permissionPropagation readPropagation writePropagation deletePropagation accessControlPropagation propertyMask
  isPartOfBuiltInSchema`);

const GRANT_KEYS = words(
  'principal schemaNode staticSchemaNodeName allowRead allowWrite allowDelete allowAccessControl',
);

const propagation = (name: string) => oneOf(name, 'Add,Keep,Remove', '', 'Remove');

export const metaTraits: readonly TraitDefinition[] = [
  trait('SchemaReloadingNode', [], [], {}, { traitOnly: true }),
  trait(
    'AbstractSchemaNode',
    ['SchemaReloadingNode'],
    [
      key('StringArray', 'tags'),
      ...falseByDefault('includeInOpenAPI changelogDisabled isServiceClass'),
      ...keys('String', 'icon summary description'),
    ],
    {
      public: words('changelogDisabled icon tags summary description isServiceClass'),
      ui: ABSTRACT_UI,
      schema: [...BASE, ...ABSTRACT_UI],
    },
    { traitOnly: true },
  ),
  trait(
    'SchemaNode',
    ['AbstractSchemaNode'],
    [
      str('name', '*u'),
      key('StringArray', 'inheritedTraits'),
      ...keys('String', 'defaultSortKey defaultSortOrder category'),
      key('Boolean', 'defaultVisibleToPublic', 'r'),
      key('Boolean', 'defaultVisibleToAuth', 'r'),
      ...keys('Boolean', 'isInterface isAbstract'),
      ...keys('Integer', 'hierarchyLevel relCount'),
    ],
    { public: NODE_PUBLIC, ui: NODE_UI, schema: [...new Set([...BASE, ...NODE_UI, 'schemaGrants'])] },
  ),
  trait(
    'SchemaProperty',
    ['SchemaReloadingNode'],
    [
      ...keys('String', 'staticSchemaNodeName propertyType* dbName format typeHint defaultValue hint category fqcn'),
      ...falseByDefault('notNull unique compound indexed fulltext readOnly'),
      ...falseByDefault('isAbstract isSerializationDisabled isCachingEnabled'),
      ...keys('String', 'readFunction writeFunction openAPIReturnType declaringClass declaringUuid'),
      ...keys('Boolean', 'readFunctionWrapJS writeFunctionWrapJS').map((p) => ({ ...p, defaultValue: 'true' })),
      ...keys('StringArray', 'validators transformers'),
      ...keys('Boolean', 'isDynamic isBuiltinProperty isPartOfBuiltInSchema'),
    ],
    inAllViews(PROPERTY_KEYS),
  ),
  trait(
    'SchemaView',
    ['SchemaReloadingNode'],
    [...keys('String', 'staticSchemaNodeName nonGraphProperties sortOrder'), key('Boolean', 'isBuiltinView')],
    { public: VIEW_PUBLIC, ui: VIEW_UI, schema: ['id', 'name', ...VIEW_UI] },
  ),
  trait(
    'SchemaMethod',
    ['SchemaReloadingNode'],
    [
      ...keys('String', 'staticSchemaNodeName source summary description openAPIReturnType codeType virtualFileName'),
      ...falseByDefault('isStatic isPrivate returnRawResult includeInOpenAPI deleteMethod'),
      oneOf('httpVerb', 'GET,PUT,POST,PATCH,DELETE', '', 'POST'),
      key('Boolean', 'wrapJsInMain', '', { defaultValue: 'true' }),
      ...keys('StringArray', 'tags exceptions'),
      ...keys('Boolean', 'callSuper overridesExisting doExport isPartOfBuiltInSchema'),
    ],
    inAllViews(METHOD_KEYS, ['parameters']),
  ),
  trait(
    'SchemaMethodParameter',
    ['SchemaReloadingNode'],
    [...keys('String', 'parameterType description exampleValue'), key('Integer', 'index', '', { defaultValue: '0' })],
    inAllViews(words('parameterType index description exampleValue schemaMethod')),
  ),
  trait(
    'SchemaRelationshipNode',
    ['AbstractSchemaNode'],
    [
      ids('sourceId', 'sourceNode'),
      ids('targetId', 'targetNode'),
      ...keys('String', 'sourceType targetType relationshipType sourceMultiplicity targetMultiplicity'),
      ...keys('String', 'sourceJsonName targetJsonName oldSourceJsonName oldTargetJsonName sourceNotion targetNotion'),
      key('Long', 'cascadingDeleteFlag', '', { defaultValue: '0' }),
      key('Long', 'autocreationFlag', '', { defaultValue: '0' }),
      oneOf('permissionPropagation', 'None,In,Out,Both', '', 'None'),
      propagation('readPropagation'),
      propagation('writePropagation'),
      propagation('deletePropagation'),
      propagation('accessControlPropagation'),
      str('propertyMask'),
      key('Boolean', 'isPartOfBuiltInSchema'),
    ],
    inAllViews(RELATIONSHIP_KEYS, words('schemaProperties schemaViews schemaMethods')),
  ),
  trait(
    'SchemaGrant',
    ['SchemaReloadingNode'],
    [str('staticSchemaNodeName'), ...keys('Boolean', 'allowRead allowWrite allowDelete allowAccessControl')],
    publicAndUi(GRANT_KEYS),
  ),
];

/** A meta object that belongs to one owner and is created and deleted with it. */
const owned = { cascadingDelete: SOURCE_TO_TARGET, autocreation: SOURCE_TO_TARGET, internal: true } as const;

export const metaRelations: readonly RelationDefinition[] = [
  relation(
    'AbstractSchemaNodeHAS_PROPERTYSchemaProperty',
    'AbstractSchemaNode',
    'HAS_PROPERTY',
    'SchemaProperty',
    '1:*',
    {
      ...owned,
      targetKey: 'schemaProperties',
      sourceKey: 'schemaNode',
      sourceNotion: 'id, name',
    },
  ),
  relation('AbstractSchemaNodeHAS_METHODSchemaMethod', 'AbstractSchemaNode', 'HAS_METHOD', 'SchemaMethod', '1:*', {
    ...owned,
    targetKey: 'schemaMethods',
    sourceKey: 'schemaNode',
    sourceNotion: 'id, name, isServiceClass',
  }),
  relation('AbstractSchemaNodeHAS_VIEWSchemaView', 'AbstractSchemaNode', 'HAS_VIEW', 'SchemaView', '1:*', {
    ...owned,
    targetKey: 'schemaViews',
    sourceKey: 'schemaNode',
    sourceNotion: 'id, name',
  }),
  relation(
    'SchemaMethodHAS_PARAMETERSchemaMethodParameter',
    'SchemaMethod',
    'HAS_PARAMETER',
    'SchemaMethodParameter',
    '1:*',
    {
      ...owned,
      targetKey: 'parameters',
      sourceKey: 'schemaMethod',
    },
  ),
  relation('SchemaViewHAS_VIEW_PROPERTYSchemaProperty', 'SchemaView', 'HAS_VIEW_PROPERTY', 'SchemaProperty', '*:*', {
    targetKey: 'schemaProperties',
    sourceKey: 'schemaViews',
    targetNotion: 'id, name',
    sourceNotion: 'id, name',
    internal: true,
  }),
  relation(
    'SchemaViewIS_EXCLUDED_FROM_VIEWSchemaProperty',
    'SchemaView',
    'IS_EXCLUDED_FROM_VIEW',
    'SchemaProperty',
    '*:*',
    {
      sourceKey: 'excludedViews',
      sourceNotion: 'id, name',
      internal: true,
    },
  ),
  relation(
    'SchemaNodeIS_RELATED_TOSchemaRelationshipNode',
    'SchemaNode',
    'IS_RELATED_TO',
    'SchemaRelationshipNode',
    '1:*',
    {
      targetKey: 'relatedTo',
      sourceKey: 'sourceNode',
      cascadingDelete: SOURCE_TO_TARGET,
      internal: true,
    },
  ),
  relation(
    'SchemaRelationshipNodeIS_RELATED_TOSchemaNode',
    'SchemaRelationshipNode',
    'IS_RELATED_TO',
    'SchemaNode',
    '*:1',
    {
      targetKey: 'targetNode',
      sourceKey: 'relatedFrom',
      cascadingDelete: TARGET_TO_SOURCE,
      internal: true,
    },
  ),
  // A grant goes with its principal and with its type (docs/interface/security.md 9.6).
  relation('PrincipalSchemaGrantRelationship', 'Principal', 'SCHEMA_GRANT', 'SchemaGrant', '1:*', {
    sourceKey: 'principal',
    cascadingDelete: SOURCE_TO_TARGET,
    internal: true,
  }),
  relation('SchemaGrantSCHEMA_GRANTSchemaNode', 'SchemaGrant', 'SCHEMA_GRANT', 'SchemaNode', '*:1', {
    targetKey: 'schemaNode',
    sourceKey: 'schemaGrants',
    cascadingDelete: TARGET_TO_SOURCE,
    autocreation: TARGET_TO_SOURCE,
    internal: true,
  }),
];
