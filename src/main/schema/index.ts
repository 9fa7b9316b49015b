export { MOST_TOLD, SchemaError, type ErrorToken, type RefusalKind } from './model/errors.js';
export type {
  Property,
  Schema,
  Type,
  View,
  Reading,
  ComputeContext,
  MissingValues,
  Computed,
  ComputedProperty,
} from './model/schema.js';
export { isOrdered, linksInOrder, relatedInOrder, targetsOf } from './model/ordered.js';
export { typesOf, relationOf, typeQuery, searchedAs, storedValue } from './model/lookup.js';
export { explained, type ExplainedChange, type ExplainedCommit } from './changes/explained.js';
export { hasOwnLog, isLogged, loggedName } from './changes/logged.js';
export { isComparable, isSecret, secretKeysOf } from './changes/secrets.js';
export { propertyInfo, typeInfo, viewInfos } from './views/describe.js';
export type { RelationProperty, NotionProperty } from './model/relation-property.js';
export type { ValueProperty, PropertyDefinition, PropertySettings } from './model/property.js';
export type { FunctionScriptsPlace, FunctionScripts, ThumbnailsPlace } from './writing/function-properties.js';
export { FAILED, QUEUED, RUNNING, type ProcessingPlace } from './model/processing.js';
export type { MethodDefinition, MethodParameter, RelationDefinition } from './model/definitions.js';
export { OpenObjects } from './open-objects.js';
export { repeatedly, type Attempt } from './repeat.js';
export { SchemaService } from './service.js';
export {
  ALLOW_ALL,
  allowed,
  ANONYMOUS,
  onlyReadable,
  readable,
  shownRule,
  SUPERUSER_ID,
  SYSTEM,
  type Actor,
  type ObjectAccess,
} from './model/actor.js';
export { linkedOnlyTo, linkedTo } from './relations/linked-to.js';
export { mayGrant } from './rights/sharing.js';
export { shareLike } from './rights/ownership.js';
export { dynamicProperties } from './builtin/dynamic-properties.js';
export { holdersOf } from './rights/holders.js';
export type { Holders } from './rights/holder-names.js';
export type { Lifecycle } from './writing/object-transaction.js';
export { validateNode } from './objects/validate.js';
export { META_RELATIONSHIPS, META_TYPES } from './model/meta-types.js';
export { nested } from './objects/nested.js';
export { ObjectTransaction } from './objects/transaction.js';
export { WriteSwitches } from './writing/switches.js';
export type { UnknownKeys, WriteOptions } from './writing/write-options.js';
export { expectNamed } from './relations/expected.js';
export { linkNodes } from './relations/relations.js';
export { makeLink } from './relations/links.js';
export { adopt } from './rules/pages/tree/settle.js';
export { DEEPEST as DEEPEST_PAGE } from './rules/pages/tree/hierarchy.js';
export { inParts } from './rules/pages/tree/links.js';
export { RELOAD_TARGET, Selectors as ReloadSelectors } from './rules/pages/tree/reload-selectors.js';
export { createRelationship, deleteRelationship, updateRelationship } from './relations/relationship-objects.js';
export { checkFolders, childAt, ensureFolders, makeFolders, folderAt, segmentsOf } from './file-tree/folders.js';
export { DEEPEST_TREE, folderOf, namesTo, putInto, upwards } from './file-tree/tree.js';
export { THUMBNAIL, thumbnailName } from './file-tree/thumbnail.js';
export { mustBeShortName } from './file-tree/file-name.js';
export { placeOf, freePlace, withTime } from './file-tree/place.js';
export { markAsOfOthers, OF_OTHERS, runsScripts } from './rules/pages/sandbox.js';
export { storageEntries } from './rules/files/storage-configuration.js';
export { ensureHome } from './file-tree/home.js';
export { withoutNulls } from './input/input-values.js';
export { mayReplaceContent } from './input/content.js';
export type { PreparedContent, ContentFacts, InputContents } from './writing/contents.js';
export { prepareInput, type PrepareContext } from './input/prepare.js';
export { storeIndexedFunctions } from './objects/indexed-functions.js';
export { newTwoFactorSecret } from './rules/principals/user.js';
export { SERVICE_KEYS } from './rights/credentials.js';
export { allowsScripts } from './rules/pages/mail-template.js';
export { userOfLogin } from './rules/principals/login-names.js';
export { textOf } from './rules/helpers/text-of.js';
export { hasVerifiedAddress, verificationOf } from './rules/principals/verified-address.js';
export type { PasswordPolicy, StorageProblem, StoragePolicy, InsertionPosition } from './writing/policies.js';
export { JsonOut, LONG_TEXT, newlineOf, type Sink } from './views/json-out.js';
export { jsonText } from './views/json-value.js';
export { showsOutside } from './views/outside.js';
export type { RenderOptions } from './views/render-options.js';
export { OwnTexts } from './views/own-text.js';
export { Renderer } from './views/renderer.js';
export { lowerCamel, METHOD_NAME, PROPERTY_NAME, relationTypeName, TYPE_NAME } from './model/names.js';
export { textIndexFor } from './model/text-index.js';
export { isLifecycleName } from './model/lifecycle-names.js';
export { isBuiltinTrait } from './builtin/builtin-properties.js';
export { parseNotionFormat } from './compile/notions.js';
export { numberRange } from './properties/common/range-format.js';
export { decryptText, encryptText } from './properties/secrets/encryption.js';
export { enumMembers } from './properties/enum.js';
export { propertyTypes } from './properties/table.js';
export { hashPassword, isOldHash, PasswordQueueFullError, verifyPassword } from './properties/secrets/password-hash.js';
