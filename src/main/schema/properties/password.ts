import type { JsonValue } from '../../../shared/json/index.js';
import type { GraphEntity } from '../../graph/index.js';
import { SchemaError } from '../model/errors.js';
import type { CodecFactory } from './common/codec.js';
import { notSearchable } from './common/hidden.js';
import { badDefinition, jsonKind } from './common/input-errors.js';
import { jsonString } from './common/json-text.js';
import { hashPassword, verifyPassword } from './secrets/password-hash.js';
import type { PropertyType } from '../model/property.js';
import { scalarProperty, type ScalarTypeParts } from './common/scalar-property.js';
import { scalarText } from './string.js';

/**
 * Hashes on their way from `prepare` to `fromJson`, by the empty object that stands for them. No JSON text can name
 * one of these objects, so nobody can have a hash of his own making stored.
 */
const hashes = new WeakMap<object, string>();

/** Wraps a hash for `fromJson` of a Password property. For code that has a hash already; never for input. */
export function sealHash(hash: string): JsonValue {
  const sealed: JsonValue = Object.freeze({});
  hashes.set(sealed, hash);
  return sealed;
}

const codec: CodecFactory = ({ name }) => ({
  valueType: 'String',
  fromJson: (input) => {
    const hash = typeof input === 'object' ? hashes.get(input) : undefined;
    if (hash !== undefined) return hash;
    throw new SchemaError(`Property ‛${name}‛ takes a password that has been hashed, not a JSON ${jsonKind(input)}.`);
  },
  refuseElement: () => new TypeError('passwords come one by one'),
  toJson: (stored) => jsonString(String(stored)),
  fromText: () => {
    throw notSearchable(name, 'passwords are stored as hashes');
  },
});

const parts: ScalarTypeParts = { name: 'Password', className: 'PasswordProperty', codec };

function storedText(entity: GraphEntity | undefined, key: string): string | undefined {
  const value = entity?.properties[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Clear text in, argon2id hash stored. The hash carries its salt, so that nothing is written to `salt`; the one of an
 * old hash there is not used any more. Empty text clears, as nobody gets in with an empty password.
 */
export const passwordType: PropertyType = {
  name: parts.name,
  className: parts.className,
  alwaysHidden: true,
  create: (definition, context) => {
    if ((definition.defaultValue ?? '') !== '') {
      throw badDefinition(definition, context.declaringTrait, 'a password has no default value');
    }
    const property = scalarProperty(parts, definition, context);
    return {
      ...property,
      prepare: async (input, before) => {
        if (input === null || input === '') return null;
        const clear = scalarText(input, definition.name);
        const stored = storedText(before, property.key);
        if (stored === undefined) return sealHash(await hashPassword(clear));
        // Both whatever comes of it: the time must not tell one who may not write it whether he has guessed a password.
        const [hash, isSame] = await Promise.all([
          hashPassword(clear),
          verifyPassword(stored, clear, storedText(before, 'salt')),
        ]);
        // The password that is there already is no change, so that its age stays.
        return sealHash(isSame ? stored : hash);
      },
    };
  },
};
