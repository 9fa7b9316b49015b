/** The deployment room: applications, data and graphs as files (docs/design/deployment.md). */
export { Deployments, refusalOf } from './jobs/deployments.js';
export { DeploymentError } from './common/errors.js';
export { applySchema, type ApplyMode } from './schema/apply/apply.js';
export type { CodeFiles } from './schema/format/code-files.js';
export { compareSchemas } from './schema/compare.js';
export { readSchema, type ReadDocument } from './schema/format/document.js';
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
export { SchemaSnapshots, type Snapshot } from './schema/snapshots.js';
export { createDeployServlet, isDeploy } from './serve/deploy-servlet.js';
export type { DeploymentContext } from './common/context.js';
