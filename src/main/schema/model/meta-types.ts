/** Types whose objects make up the schema: a change to one makes the schema be compiled anew. */
export const META_TYPES: ReadonlySet<string> = new Set([
  'SchemaNode',
  'SchemaProperty',
  'SchemaView',
  'SchemaRelationshipNode',
  'SchemaMethod',
  'SchemaMethodParameter',
  'SchemaGrant',
]);
/** Database types of the relationships that make up the schema. */
export const META_RELATIONSHIPS: ReadonlySet<string> = new Set([
  'HAS_PROPERTY',
  'HAS_METHOD',
  'HAS_VIEW',
  'HAS_PARAMETER',
  'HAS_VIEW_PROPERTY',
  'IS_EXCLUDED_FROM_VIEW',
  'IS_RELATED_TO',
  'SCHEMA_GRANT',
]);
