import { SchemaError } from '../model/errors.js';
import type { CodecFactory } from './common/codec.js';
import { decryptText, encryptText } from './secrets/encryption.js';
import { notSearchable } from './common/hidden.js';
import { badDefinition } from './common/input-errors.js';
import { jsonString } from './common/json-text.js';
import type { PropertyType } from '../model/property.js';
import { scalarProperty, type ScalarTypeParts } from './common/scalar-property.js';
import { scalarText } from './string.js';

/** Text that is stored encrypted, with the key that `encrypt` of scripts has too (docs/interface/script-runtime.md 8.7). */
const codec: CodecFactory = ({ name }, { settings }) => ({
  valueType: 'String',
  fromJson: (input) => {
    const text = scalarText(input, name);
    if (settings.encryptionSecret !== '') return encryptText(text, settings.encryptionSecret);
    throw new SchemaError(
      `Property ‛${name}‛ cannot be written: application.encryption.secret is not set, so nothing can be encrypted.`,
    );
  },
  refuseElement: () => new TypeError('encrypted texts come one by one'),
  toJson: (stored) => {
    const secret = settings.encryptionSecret;
    const text = typeof stored === 'string' && secret !== '' ? decryptText(stored, secret) : undefined;
    return text === undefined ? 'null' : jsonString(text);
  },
  fromText: () => {
    throw notSearchable(name, 'its values are stored encrypted');
  },
});

const parts: ScalarTypeParts = { name: 'Encrypted', className: 'EncryptedStringProperty', codec };

export const encryptedType: PropertyType = {
  name: parts.name,
  className: parts.className,
  create: (definition, context) => {
    // It would stand in the schema for everybody to read.
    if ((definition.defaultValue ?? '') !== '') {
      throw badDefinition(definition, context.declaringTrait, 'an encrypted property has no default value');
    }
    return {
      ...scalarProperty(parts, definition, context),
      withSecret: (secret) =>
        scalarProperty(parts, definition, {
          ...context,
          settings: { ...context.settings, encryptionSecret: secret },
        }),
    };
  },
};
