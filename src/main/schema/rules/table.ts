import type { Type } from '../schema.js';
import { abstractFileRule } from './abstract-file.js';
import { domNodeRule } from './dom-node.js';
import { fileRule } from './file.js';
import { folderRule } from './folder.js';
import { groupRule } from './group.js';
import { homeDirectoryRule } from './home-directory.js';
import { localizationRule } from './localization.js';
import { loginNamesRule } from './login-names.js';
import { mailTemplateRule } from './mail-template.js';
import { pageRule } from './page.js';
import { principalRule } from './principal.js';
import type { TraitRule } from './rule.js';
import { schemaGrantRule } from './schema-grant.js';
import { schemaMethodRule } from './schema-method.js';
import { schemaNodeRule } from './schema-node.js';
import { schemaPropertyRule } from './schema-property.js';
import { schemaRelationshipRule } from './schema-relationship.js';
import { schemaViewRule } from './schema-view.js';
import { storageConfigurationRule, storageEntryRule } from './storage-configuration.js';
import { userRule } from './user.js';
import { verifiedAddressRule } from './verified-address.js';

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
  pageRule,
  domNodeRule,
  localizationRule,
  mailTemplateRule,
  abstractFileRule,
  fileRule,
  folderRule,
  homeDirectoryRule,
  storageConfigurationRule,
  storageEntryRule,
];

const ofType = new WeakMap<Type, readonly TraitRule[]>();

/** Rules of all traits of a type. */
export function rulesOf(type: Type): readonly TraitRule[] {
  let rules = ofType.get(type);
  if (rules === undefined) ofType.set(type, (rules = traitRules.filter((r) => type.hasTrait(r.trait))));
  return rules;
}
