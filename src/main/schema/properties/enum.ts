import type { JsonValue } from '../../../shared/json/index.js';
import { SchemaError } from '../model/errors.js';
import { arrayType } from './common/array-property.js';
import type { CodecFactory } from './common/codec.js';
import { badDefinition } from './common/input-errors.js';
import { jsonString } from './common/json-text.js';
import type { PropertyDefinition } from '../model/property.js';
import { defaultFrom, scalarType } from './common/scalar-property.js';

/** Members of an Enum's format, separated by commas or blanks, in the order of the definition. */
export function enumMembers(format: string | undefined): readonly string[] {
  return [...new Set((format ?? '').split(/[\s,]+/).filter((member) => member !== ''))];
}

/** One of the members in the format, exactly. */
export const enumCodec: CodecFactory = (definition: PropertyDefinition, context) => {
  const { name } = definition;
  const members = enumMembers(definition.format);
  if (members.length === 0) throw badDefinition(definition, context.declaringTrait, 'the format names no members');
  const allowed = new Set(members);
  // The message is fixed: clients test it.
  const refuse = (_input: JsonValue, typeName: string): SchemaError =>
    new SchemaError(`Cannot parse input for property ‛${name}‛`, [
      { type: typeName, property: name, token: 'must_be_one_of', detail: members.join(', ') },
    ]);
  return {
    valueType: 'Enum',
    fromJson: (input, typeName) => {
      if (typeof input === 'object') throw refuse(input, typeName);
      const text = String(input);
      if (allowed.has(text)) return text;
      if (text.trim() === '') return undefined;
      throw refuse(input, typeName);
    },
    refuseElement: refuse,
    toJson: (stored) => jsonString(String(stored)),
    // Any text may be asked for (docs/interface/lists.md 1.3).
    fromText: (text) => text,
  };
};

export const enumType = scalarType({
  name: 'Enum',
  className: 'EnumProperty',
  codec: enumCodec,
  matchesParts: true,
});

/** The only list with a default: its members, separated by commas. */
export const enumArrayType = arrayType({
  name: 'EnumArray',
  className: 'EnumArrayProperty',
  codec: enumCodec,
  defaultValue: (codec, definition, context) => {
    const members = enumMembers(definition.defaultValue);
    if (members.length === 0) return undefined;
    return members.flatMap((member) => defaultFrom(codec, member, definition, context) ?? []);
  },
});
