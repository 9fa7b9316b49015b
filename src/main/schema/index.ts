export { SchemaError, type ErrorToken, type RefusalKind } from './errors.js';
export {
  relationOf,
  searchedAs,
  storedValue,
  typeQuery,
  typesOf,
  type Property,
  type Schema,
  type Type,
  type View,
} from './schema.js';
export { explained, type ExplainedChange, type ExplainedCommit } from './changes/explained.js';
export { isComparable, isSecret, secretKeysOf } from './changes/secrets.js';
export { propertyInfo, typeInfo, viewInfos } from './describe.js';
export type { RelationProperty, NotionProperty } from './relations/relation-property.js';
export type { ValueProperty, PropertyDefinition, PropertySettings } from './properties/property.js';
export type {
  ComputeContext,
  Computed,
  ComputedProperty,
  FunctionScripts,
  FunctionScriptsPlace,
} from './computed/computed.js';
export type { MethodDefinition, MethodParameter, RelationDefinition } from './definitions.js';
export { OpenObjects } from './open-objects.js';
export { repeatedly, type Attempt } from './repeat.js';
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
export { mayGrant } from './objects/sharing.js';
export type { Lifecycle } from './objects/lifecycle.js';
export { nested } from './objects/nested.js';
export { ObjectTransaction } from './objects/transaction.js';
export { WriteSwitches } from './objects/switches.js';
export type { UnknownKeys, WriteOptions } from './objects/write-options.js';
export { createRelationship, deleteRelationship, updateRelationship } from './objects/relationship-objects.js';
export { checkFolders, childAt, ensureFolders, makeFolders, folderAt, segmentsOf } from './objects/folders.js';
export { DEEPEST_TREE, folderOf, namesTo, putInto, upwards, type Reading } from './objects/tree.js';
export { mustBeShortName } from './rules/file-name.js';
export { freePlace, placeOf, withTime, type InsertionPosition } from './rules/abstract-file.js';
export { storageEntries, type StoragePolicy, type StorageProblem } from './rules/storage-configuration.js';
export { ensureHome } from './rules/home-directory.js';
export { withoutNulls } from './objects/input-values.js';
export { mayReplaceContent, type ContentFacts, type InputContents, type PreparedContent } from './objects/content.js';
export { prepareInput, type PrepareContext } from './objects/prepare.js';
export { newTwoFactorSecret } from './rules/user.js';
export { SERVICE_KEYS } from './rules/credentials.js';
export { allowsScripts } from './rules/mail-template.js';
export { userOfLogin } from './rules/login-names.js';
export { textOf } from './rules/text-of.js';
export { hasVerifiedAddress, verificationOf } from './rules/verified-address.js';
export type { PasswordPolicy } from './rules/password-policy.js';
export { JsonOut, LONG_TEXT, type Sink } from './views/json-out.js';
export { Renderer, jsonText, type RenderOptions } from './views/renderer.js';
export { lowerCamel } from './names.js';
export { decryptText, encryptText } from './properties/encryption.js';
export { enumMembers } from './properties/enum.js';
export { propertyTypes } from './properties/table.js';
export { hashPassword, isOldHash, PasswordQueueFullError, verifyPassword } from './properties/password-hash.js';
