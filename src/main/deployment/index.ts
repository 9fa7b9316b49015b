export { applySchema, type Applied, type ApplyMode } from './schema/apply.js';
export type { CodeFiles } from './schema/code-files.js';
export { compareSchemas } from './schema/compare.js';
export { readSchema, type ReadDocument } from './schema/document.js';
export { EMPTY as EMPTY_SCHEMA, type SchemaModel } from './schema/model.js';
export {
  changeSchema,
  parseSchema,
  textOf,
  writeSchema,
  type SchemaChange,
  type SchemaChanged,
  type SchemaForm,
  type WrittenSchema,
} from './schema/schema-document.js';
export { settled } from './schema/settle.js';
