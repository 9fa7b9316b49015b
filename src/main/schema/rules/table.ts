import { groupRule } from './group.js';
import { principalRule } from './principal.js';
import type { TraitRule } from './rule.js';
import { schemaMethodRule } from './schema-method.js';
import { schemaNodeRule } from './schema-node.js';
import { schemaPropertyRule } from './schema-property.js';
import { schemaRelationshipRule } from './schema-relationship.js';
import { userRule } from './user.js';

/** Rules of built-in traits, in order of application. */
export const traitRules: readonly TraitRule[] = [
  principalRule,
  userRule,
  groupRule,
  schemaNodeRule,
  schemaPropertyRule,
  schemaMethodRule,
  schemaRelationshipRule,
];
