/** What the compiler must know of the database besides the query. */
import type { FlagKey } from '../../access.js';
import type { Sql } from '../connection/sql.js';
import type { PartMatches } from '../substrings/index-of-property.js';
import type { Part } from '../substrings/substrings.js';

export interface Catalog {
  /** Id of a type's or key's name; undefined: there is none in the data. */
  idOf(name: string): number | undefined;
  /** Id of the key if the property index of (type, key) is complete. */
  indexed(type: number, key: string): number | undefined;
  /** Number of nodes or relationships of a type. */
  nodes(type: number): number;
  relationships(type: number): number;
  /**
   * Number of nodes of a type on which a flag is true. Undefined: that may be another number by the time the query runs, so
   * nothing may be left out of its condition.
   */
  flagged(type: number, key: FlagKey): number | undefined;
  /**
   * The first nodes of a type whose property has a part of a text, about `most` of them. Undefined: nobody knows. True only of the
   * moment. Absent: nobody ever knows.
   */
  parts?(type: number, key: number, part: Part, most: number): PartMatches | undefined;
  /**
   * Number of rows of a select, counted up to `limit`: to choose between two ways. Infinity: that takes too long. `types`: the
   * types of nodes it depends on; about the same number will do then.
   */
  probe(select: Sql, limit: number, types?: readonly number[]): number;
  /** The query may run at another time: what was counted for it, of few rows or many, may be otherwise then. */
  readonly later: boolean;
}
