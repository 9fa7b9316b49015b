import type { ScalarValue } from '../../../graph/index.js';
import type { JsonValue } from '../../../../shared/json/index.js';
import type { PropertyContext, PropertyDefinition } from '../../model/property.js';

/** A JSON value that is there. */
export type JsonInput = Exclude<JsonValue, null>;

/** How one kind of value is read and written: what a scalar type and its array type have in common. */
export interface ScalarCodec {
  /** `String`, `Integer`, ...; array types add `[]`. */
  readonly valueType: string;
  /** JSON input to stored form; undefined for input that means "no value" (blank text). Throws `SchemaError`. */
  fromJson(input: JsonInput, typeName: string): ScalarValue | undefined;
  /** The refusal of an array element that is null or means "no value". */
  refuseElement(element: JsonValue, typeName: string): Error;
  /** Stored form to JSON text. Must give valid JSON for anything stored: a property's type may have changed. */
  toJson(stored: ScalarValue): string;
  /** Filter text to stored form. Throws `SchemaError`. */
  fromText(text: string, typeName: string): ScalarValue;
  /** Both: see `ValueProperty`. */
  readonly literal?: boolean | undefined;
  readonly understands?: ((text: string) => boolean) | undefined;
}

/** Builds the codec of one property; throws `SchemaError` when the definition's format makes no sense. */
export type CodecFactory = (definition: PropertyDefinition, context: PropertyContext) => ScalarCodec;
