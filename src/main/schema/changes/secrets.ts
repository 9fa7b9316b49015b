/**
 * The one list of what is secret. Some values nobody gets to see, not even administrators: `isSecret`, which filters, imports and
 * scripts go by. Others are for whom they belong to, or what is left of a secret once it is stored: they stay out of what tells of
 * changes, as that is kept for long and read by others.
 */
import type { PropertyDefinition, ValueProperty } from '../model/property.js';
import type { Type } from '../model/schema.js';

/** Types of properties whose values are secrets, whoever declares them. */
const SECRET_TYPES: ReadonlySet<string> = new Set(['Password', 'Encrypted']);

/** Stored keys by trait, besides those of properties that are secret themselves; also such that no property declares. */
const BY_TRAIT: Readonly<Record<string, readonly string[]>> = {
  Principal: [
    'password',
    'salt',
    'twoFactorSecret',
    'twoFactorToken',
    'proxyPassword',
    'sessionIds',
    'refreshTokens',
    'sessionData',
    'confirmationKey',
    'passwordResetKey',
  ],
  SessionDataNode: ['sessionId'],
  OAuthLogin: ['stateHash', 'browserHash', 'parameters'],
  StorageConfigurationEntry: ['value'],
  Mailbox: ['password'],
  MQTTClient: ['password'],
  XMPPClient: ['xmppPassword'],
};

/** Whether all properties of a type are secret. */
export function isSecretType(propertyType: string): boolean {
  return SECRET_TYPES.has(propertyType);
}

/** Whether values of a property are kept from everybody: searching or sorting by them would tell about them. */
export function isSecret({ definition }: { readonly definition: PropertyDefinition }): boolean {
  return definition.hidden === true || isSecretType(definition.propertyType);
}

/**
 * Whether objects may be searched and sorted by a property for this actor: which are found, or in which order, would tell the
 * values of what he may not see. Every door asks this: parameters of requests, functions of scripts.
 */
export function isComparable(property: ValueProperty, actor: { readonly isAdmin: boolean }): boolean {
  return !isSecret(property) && (actor.isAdmin || property.definition.ownOnly !== true);
}

interface Keys {
  /** Of secret properties. */
  readonly secret: ReadonlySet<string>;
  /** Whose values may be told. */
  readonly told: ReadonlySet<string>;
  readonly listed: ReadonlySet<string>;
}

const ofType = new WeakMap<Type, Keys>();

function keysOf(type: Type): Keys {
  let keys = ofType.get(type);
  if (keys === undefined) {
    const listed = new Set(type.traits.flatMap((trait) => BY_TRAIT[trait] ?? []));
    const secret = new Set<string>();
    const told = new Set<string>();
    for (const property of type.properties.values()) {
      if (property.kind === 'value') (isSecret(property) ? secret : told).add(property.key);
    }
    // Two properties may share a key.
    for (const key of [...secret, ...listed]) told.delete(key);
    keys = { secret, told, listed };
    ofType.set(type, keys);
  }
  return keys;
}

/** Stored keys of a type's properties that nobody gets to see. */
export function secretKeysOf(type: Type): ReadonlySet<string> {
  return keysOf(type).secret;
}

/**
 * Whether what tells of changes leaves out the values of this key. So it does for keys of no property: they are the service's own,
 * or those of a property that is no more, and nobody knows what kind it was.
 */
export function isWithheld(type: Type, key: string): boolean {
  const { secret, told, listed } = keysOf(type);
  return !told.has(key) && (!type.acceptsUnknownKeys || secret.has(key) || listed.has(key));
}
