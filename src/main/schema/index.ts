export { SchemaError, type ErrorToken, type RefusalKind } from './errors.js';
export { storedValue, typesOf, type Property, type Schema, type Type, type View } from './schema.js';
export type { RelationProperty, NotionProperty } from './relations/relation-property.js';
export type { ValueProperty, PropertyDefinition, PropertySettings } from './properties/property.js';
export type { ComputedProperty } from './computed/computed.js';
export type { MethodDefinition, RelationDefinition } from './definitions.js';
export { SchemaService } from './service.js';
export {
  ALLOW_ALL,
  allowed,
  ANONYMOUS,
  onlyReadable,
  readable,
  SUPERUSER_ID,
  SYSTEM,
  type Actor,
  type ObjectAccess,
} from './objects/actor.js';
export { ObjectTransaction, type UnknownKeys, type WriteOptions } from './objects/transaction.js';
export { createRelationship, deleteRelationship, updateRelationship } from './objects/relationship-objects.js';
export { childAt, ensureFolders, folderAt, segmentsOf } from './objects/folders.js';
export { freePlace, placeOf, withTime, type InsertionPosition } from './rules/abstract-file.js';
export { storageEntries, type StoragePolicy, type StorageProblem } from './rules/storage-configuration.js';
export { ensureHome } from './rules/home-directory.js';
export { withoutNulls } from './objects/input-values.js';
export type { InputContents, PreparedContent } from './objects/content.js';
export { prepareInput, type PrepareContext } from './objects/prepare.js';
export { newTwoFactorSecret } from './rules/user.js';
export { SERVICE_KEYS } from './rules/credentials.js';
export { userOfLogin } from './rules/login-names.js';
export { textOf } from './rules/text-of.js';
export { hasVerifiedAddress, verificationOf } from './rules/verified-address.js';
export type { PasswordPolicy } from './rules/password-policy.js';
export { JsonOut, type Sink } from './views/json-out.js';
export { Renderer, jsonText, type RenderOptions } from './views/renderer.js';
export { lowerCamel } from './names.js';
export { propertyTypes } from './properties/table.js';
export { hashPassword, isOldHash, PasswordQueueFullError, verifyPassword } from './properties/password-hash.js';
