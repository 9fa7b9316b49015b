import type { Type } from '../model/schema.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';
import { abstractFileRule } from './files/abstract-file.js';
import { commentRule, contentRule } from './pages/content.js';
import { domNodeRule } from './pages/dom-node.js';
import { fileRule } from './files/file.js';
import { folderRule } from './files/folder.js';
import { groupRule } from './principals/group.js';
import { homeDirectoryRule } from './files/home-directory.js';
import { localizationRule } from './pages/localization.js';
import { loginNamesRule } from './principals/login-names.js';
import { mailTemplateRule } from './pages/mail-template.js';
import { pageRule } from './pages/page.js';
import { principalRule } from './principals/principal.js';
import type { TraitRule } from './rule.js';
import { sandboxRules } from './pages/sandbox.js';
import { settleTrees } from './pages/tree/settle.js';
import { schemaGrantRule } from './schema-objects/schema-grant.js';
import { schemaMethodRule } from './schema-objects/schema-method.js';
import { schemaNodeRule } from './schema-objects/schema-node.js';
import { schemaPropertyRule } from './schema-objects/schema-property.js';
import { schemaRelationshipRule } from './schema-objects/schema-relationship.js';
import { schemaViewRule } from './schema-objects/schema-view.js';
import { withoutEffectRules } from './schema-objects/without-effect.js';
import { settleThumbnails } from './files/thumbnails.js';
import { storageConfigurationRule, storageEntryRule } from './files/storage-configuration.js';
import { userRule } from './principals/user.js';
import { verifiedAddressRule } from './principals/verified-address.js';

/** Rules of built-in traits, in order of application. */
export const traitRules: readonly TraitRule[] = [
  principalRule,
  userRule,
  loginNamesRule,
  verifiedAddressRule,
  groupRule,
  schemaNodeRule,
  schemaPropertyRule,
  schemaMethodRule,
  schemaViewRule,
  schemaRelationshipRule,
  schemaGrantRule,
  ...withoutEffectRules,
  pageRule,
  contentRule,
  commentRule,
  domNodeRule,
  ...sandboxRules,
  localizationRule,
  mailTemplateRule,
  abstractFileRule,
  fileRule,
  folderRule,
  homeDirectoryRule,
  storageConfigurationRule,
  storageEntryRule,
];

/** What follows from all that a transaction has changed together, in order of application; see `objects/finish.ts`. */
export const transactionRules: readonly ((objects: ObjectTransaction) => Promise<void>)[] = [
  settleTrees,
  settleThumbnails,
];

const ofType = new WeakMap<Type, readonly TraitRule[]>();

/** Rules of all traits of a type. */
export function rulesOf(type: Type): readonly TraitRule[] {
  let rules = ofType.get(type);
  if (rules === undefined) ofType.set(type, (rules = traitRules.filter((r) => type.hasTrait(r.trait))));
  return rules;
}
