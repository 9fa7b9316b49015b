import type { ChangeNotice } from '../graph/index.js';
import type { Asker } from '../request/index.js';
import type { Schema } from '../schema/index.js';

/** An object as a GET shows it. */
export interface Shown {
  readonly type: string;
  /** Undefined: it is too long for an event. */
  readonly json: string | undefined;
}

/** What a subscription is about, read as a GET at its address reads it. The room of REST makes it. */
export interface Watched {
  /** The same for the same objects in the same view: what streams share an audience by. */
  readonly address: string;
  /** Permission that a GET needs, and the path it is asked for. */
  signature(schema: Schema): string;
  readonly path: string;
  /** Every object of the type belongs to it, for who reaches all. */
  readonly isWhole: boolean;
  /** What an object holds decides whether it belongs to it. */
  readonly isFiltered: boolean;
  /** The one object it is about. */
  readonly id: string | undefined;
  /** Ids of objects that may belong to it and that a change concerns: of a relationship those at its ends. */
  touched(change: ChangeNotice): readonly string[];
  /**
   * Of these objects those that it shows now, by id. Rejects with `RestError` when the schema
   * has changed so that it makes no sense any more.
   */
  shown(asker: Asker, ids: readonly string[]): Promise<ReadonlyMap<string, Shown>>;
  /** Ids of all that it shows now; undefined: more than `most`. */
  all(asker: Asker, most: number): Promise<readonly string[] | undefined>;
}

/** Makes sense of an address. Throws `RestError` 400 or 404. */
export type Watch = (address: string) => Watched;
