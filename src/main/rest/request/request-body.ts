/** What a body of JSON is to a request. */
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';

/** A body that was read. */
export interface RequestBody {
  /** The body was an array. */
  readonly isArray: boolean;
  readonly objects: readonly JsonObject[];
  readonly value: JsonValue;
  /** Of a table: where the objects stood in it, in their order. */
  readonly table?: TablePlaces;
}

/** Where the objects of a table stood. */
export interface TablePlaces {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly row: number; readonly line: number }[];
}

/** What is taken of one body. */
export interface BodyLimits {
  readonly bytes: number;
  /** Elements and members, all together. */
  readonly values: number;
  readonly objects: number;
}
