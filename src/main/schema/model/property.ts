import type { GraphEntity, Predicate, ScalarValue, StoredValue } from '../../graph/index.js';
import type { JsonValue } from '../../../shared/json/index.js';
import type { ErrorToken } from './errors.js';
import type { ProcessingPlace } from './processing.js';

/**
 * How a property was declared: a SchemaProperty's fields, or a line of a built-in type's table
 * (docs/interface/schema.md 2.2, 6). Absent flags are false.
 */
export interface PropertyDefinition {
  readonly name: string;
  /** Key of the row in the property type table: `String`, `Integer`, `DateArray`, ... */
  readonly propertyType: string;
  /** Stored key; default `name`. */
  readonly dbName?: string;
  readonly format?: string;
  readonly typeHint?: string;
  readonly defaultValue?: string;
  readonly hint?: string;
  readonly category?: string;
  readonly notNull?: boolean;
  /** Built-in keys whose text must not be blank either (docs/interface/builtin-types.md 1). */
  readonly notBlank?: boolean;
  readonly unique?: boolean;
  readonly compound?: boolean;
  readonly indexed?: boolean;
  readonly fulltext?: boolean;
  readonly readOnly?: boolean;
  /** Built-in only: nobody writes it. */
  readonly system?: boolean;
  /** Built-in only: a marker such as `isUser`; always reads as this value, another one is refused. */
  readonly constant?: boolean;
  /** Reads as `****** HIDDEN ******` through every interface; declared by built-in types, true of every Password. */
  readonly hidden?: boolean;
  /** Built-in only: others than the user it belongs to and administrators neither see it nor search and sort by it. */
  readonly ownOnly?: boolean;
  readonly serializationDisabled?: boolean;
  readonly cachingEnabled?: boolean;
  readonly isAbstract?: boolean;
  readonly readFunction?: string;
  readonly writeFunction?: string;
  /** JavaScript of these answers by `return`. */
  readonly readFunctionWrapJS?: boolean;
  readonly writeFunctionWrapJS?: boolean;
  /** What a Function answers, for the OpenAPI document. */
  readonly openAPIReturnType?: string;
  readonly fqcn?: string;
  /** Uuid of the SchemaProperty; absent for built-in properties. */
  readonly schemaPropertyId?: string;
}

/** Values of settings that property types read. */
export interface PropertySettings {
  /** `dateproperty.defaultformat` */
  readonly dateFormat: string;
  /** `zoneddatetimeproperty.defaultformat` */
  readonly zonedDateTimeFormat: string;
  /** IANA name; `application.timezone`, else the process's. */
  readonly timeZone: string;
  /** `application.encryption.secret`; empty when there is none. Read at each use. */
  readonly encryptionSecret: string;
  /** `json.lenient`: NaN and infinities are written as such. */
  readonly lenientJson: boolean;
  /** Who works on the content of files; absent: nobody. */
  readonly processing?: ProcessingPlace;
}

/** What a property type gets to know when it builds a property. */
export interface PropertyContext {
  /** Trait (type) that declares the property. */
  readonly declaringTrait: string;
  readonly settings: PropertySettings;
}

/**
 * One value property of a type, compiled: everything the service does with its values. Properties that
 * are computed or reach other objects implement `RelatedProperty` (schema/relations) instead.
 * Implementations are pure: no clock, no graph.
 */
export interface ValueProperty {
  readonly kind: 'value';
  readonly name: string;
  /** Stored key. */
  readonly key: string;
  readonly definition: PropertyDefinition;
  readonly declaringTrait: string;
  /** Introspection: `String`, `Long`, `String[]`, ... (docs/interface/rest.md 9.2, key `type`). */
  readonly valueType: string;
  readonly isCollection: boolean;
  /** Value of objects that store none; also stored at creation. */
  readonly defaultValue: StoredValue | undefined;

  /**
   * JSON input to stored form (docs/interface/schema.md 5.2, docs/interface/schema.md 5); `null` clears. `typeName` is the type of the object
   * written, for the error token. Throws `SchemaError`.
   */
  fromJson(input: JsonValue, typeName: string): StoredValue | null;
  /**
   * Work on an input that must stay off the loop (hashing), done before the transaction begins; the result
   * is what `fromJson` gets. `before` is the object that is most likely written to. Absent for most types.
   */
  prepare?(input: JsonValue, before?: GraphEntity): Promise<JsonValue>;
  /**
   * True for an input that leaves the stored value alone: the text that hidden values read as, sent back with the
   * rest of an object. To be asked before `fromJson`. Absent: every input counts.
   */
  ignoresInput?(input: JsonValue): boolean;
  /** Further stored keys to write together with `stored` (a password's `salt`). */
  companions?(stored: StoredValue | null): Readonly<Record<string, StoredValue | null>>;
  /** A stored text is written as itself, as a JSON string: who writes long ones may do that piece by piece. */
  readonly literal?: boolean | undefined;
  /** Stored form (undefined: no value) to JSON text: `null`, `[]` or a Boolean's false when there is none. */
  toJson(stored: StoredValue | undefined): string;
  /** Rules checked at the end of a transaction (format, range); not notNull, unique, compound. */
  validate(stored: StoredValue | undefined, typeName: string): ErrorToken[];
  /** One filter text of a query parameter, without range, list or empty syntax. Throws `SchemaError`. */
  fromText(text: string, typeName: string): ScalarValue;
  /** Whether a text is one of the values, where `fromText` takes every text for one. Absent: `fromText` refuses others. */
  readonly understands?: ((text: string) => boolean) | undefined;
  /**
   * The condition for one filter value (docs/interface/lists.md 1.3). Arrays get the values of a comma list together.
   * `inexact`: strings contain, ignoring case; others as exact.
   */
  filter(values: readonly ScalarValue[], inexact: boolean): Predicate;
  /**
   * The condition for an inclusive range (docs/interface/lists.md 1.2), bounds from `fromText`. Absent for most types: the `range` of
   * the query AST on `key` does.
   */
  filterRange?(from: ScalarValue | undefined, to: ScalarValue | undefined): Predicate;
  /** The same property with another key than that of the settings. Encrypted ones only. */
  withSecret?(secret: string): ValueProperty;
  /** The condition for an empty parameter, `p=` (docs/interface/lists.md 1.2). */
  filterEmpty(): Predicate;
}

/** A row of the property type table: one file a type, one line in `properties/table.ts`. */
export interface PropertyType {
  /** The `propertyType` value. */
  readonly name: string;
  /** Last part of `className` in the introspection, for example `StringProperty`. */
  readonly className: string;
  /** Its values are for nobody to read, whoever declares the property: each of its properties is `hidden`. */
  readonly alwaysHidden?: boolean;
  /**
   * Builds a property. Throws `SchemaError` (token `invalid_property_definition`, with property and detail) when
   * the definition's format or default value makes no sense for this type.
   */
  create(definition: PropertyDefinition, context: PropertyContext): ValueProperty;
}
