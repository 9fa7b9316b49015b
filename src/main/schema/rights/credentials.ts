/**
 * What only the service and administrators write of what users log in with, and types whose objects decide about rights:
 * a user may change his own object, so this is what keeps him from giving himself more.
 */
import type { PropertyChanges, StoredValue } from '../../graph/index.js';
import { META_TYPES } from '../model/meta-types.js';
import type { Type } from '../model/schema.js';
import { builtinPropertiesOf } from '../builtin/builtin-properties.js';
import { UNDECLARED } from './undeclared-keys.js';

/** Set by logins, resets and registrations. */
const KEPT: ReadonlySet<string> = new Set([
  'confirmationKey',
  'twoFactorToken',
  'passwordAttempts',
  'passwordChangeDate',
  'lastLoginDate',
]);
/** What such a user creates is nobody's, and out of everybody's reach who is no administrator. */
const SKIPS_SECURITY = 'skipSecurityRelationships';
/** Lists from which a user may take what is his, and to which he may add nothing. */
const ONLY_LESS: ReadonlySet<string> = new Set(['sessionIds', 'refreshTokens']);
/** What the service alone adds to a user: of no use in a request by somebody who is no administrator. */
export const SERVICE_KEYS: ReadonlySet<string> = new Set([...KEPT, ...ONLY_LESS]);
/** What a user, or whoever comes with the token of another issuer, is let in or kept out by. */
const LOGIN: ReadonlySet<string> = new Set([
  'name',
  'eMail',
  'password',
  'salt',
  'blocked',
  'twoFactorSecret',
  'isTwoFactorUser',
  'twoFactorConfirmed',
]);
const LOGIN_OF_GROUPS: ReadonlySet<string> = new Set(['jwksReferenceId']);

/** What the service notes of every object, which administrators may write when a script unlocks it. */
export const KEPT_TIMES: ReadonlySet<string> = new Set([
  'createdDate',
  'createdBy',
  'lastModifiedDate',
  'lastModifiedBy',
]);
/** Keys the service keeps itself; in the body of a creation they are ignored (docs/interface/rest.md 3). */
export const KEPT_KEYS: ReadonlySet<string> = new Set(['id', 'type', ...KEPT_TIMES]);
/** Types whose objects take part in decisions, or logins, besides those of the schema. */
const DECIDING: ReadonlySet<string> = new Set([
  'ResourceAccess',
  'SchemaGrant',
  'CorsSetting',
  'SessionDataNode',
  'MailTemplate',
  'OAuthLogin',
  // The next export writes it, and whoever imports that runs it.
  'DeployedPart',
]);

/** Whether somebody who is no administrator may give a property of a user this value. */
export function mayWriteCredential(
  type: Type,
  key: string,
  before: StoredValue | undefined,
  after: StoredValue | null,
): boolean {
  if (!type.hasTrait('Principal')) return true;
  if (KEPT.has(key)) return false;
  if (key === SKIPS_SECURITY) return (after ?? false) === (before ?? false);
  if (!ONLY_LESS.has(key) || after === null) return true;
  const had: readonly unknown[] = typeof before === 'object' ? before : [];
  return typeof after === 'object' && after.every((one) => had.includes(one));
}

/** The key among these that says how somebody logs in as such a principal; undefined: none does. */
export function loginKeyOf(type: Type, changes: PropertyChanges): string | undefined {
  const keys = type.hasTrait('User') ? LOGIN : type.hasTrait('Group') ? LOGIN_OF_GROUPS : undefined;
  return keys === undefined ? undefined : Object.keys(changes).find((key) => keys.has(key));
}

/**
 * Whether a script may unlock a read-only property for somebody who is no administrator: those that the application declares, on
 * what decides about nobody's rights. Built-in ones (`isAdmin`, `isTemplate`, ...) stay with administrators.
 */
export function mayUnlock(type: Type, name: string): boolean {
  if (type.hasTrait('Principal') || decidesAboutRights(type)) return false;
  return !type.traits.some((trait) => builtinPropertiesOf(trait).some((one) => one.name === name));
}

const deciding = new WeakMap<Type, boolean>();

/**
 * Whether objects of this type decide about what others may do: created only by a request for that very type, and written by
 * administrators (`rights/deciding.ts`).
 */
export function decidesAboutRights(type: Type): boolean {
  let decides = deciding.get(type);
  if (decides === undefined) {
    decides = type.traits.some((trait) => DECIDING.has(trait) || META_TYPES.has(trait));
    deciding.set(type, decides);
  }
  return decides;
}

/**
 * Whether administrators alone write objects of this type, and say who else sees them. Of mail templates it depends on their text
 * (`mail-template.ts`).
 */
export function isOfAdministratorsAlone(type: Type): boolean {
  return decidesAboutRights(type) && !type.hasTrait('MailTemplate');
}

const stored = new WeakMap<Type, ReadonlySet<string>>();

/** Whether an undeclared key of an input is where a declared property, or the service, keeps something. */
export function isStoredKey(type: Type, key: string): boolean {
  let keys = stored.get(type);
  if (keys === undefined) {
    keys = new Set([...type.properties.values()].flatMap((property) => ('key' in property ? [property.key] : [])));
    stored.set(type, keys);
  }
  return keys.has(key) || UNDECLARED.has(key);
}
