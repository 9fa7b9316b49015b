/** Statements in Cypher that others than the engine have written, on an engine that speaks it. */
import type { GraphNode, GraphRelationship } from './types.js';

/** What can be handed to a statement. Dates and objects have been made numbers and ids. */
export type CypherParameter =
  null | boolean | number | bigint | string | readonly CypherParameter[] | { readonly [key: string]: CypherParameter };

export interface CypherStatement {
  readonly text: string;
  readonly parameters: Readonly<Record<string, CypherParameter>>;
  /** Rows of the largest result; characters of text, and values, in it. */
  readonly mostRows: number;
  readonly mostText: number;
}

/** What a statement would do, by the plan that the database makes of it. */
export interface CypherFacts {
  readonly writes: boolean;
  /** It changes indexes, constraints or databases. */
  readonly administers: boolean;
  /** It reads files or URLs by itself (`LOAD CSV`). */
  readonly loads: boolean;
  /** It calls procedures of the database. */
  readonly calls: boolean;
}

/** Null stands for nodes and relationships that are no objects of the service, too. */
export type CypherValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Date
  | Uint8Array
  | GraphNode
  | GraphRelationship
  | readonly CypherValue[]
  | CypherMap;

export type CypherMap = ReadonlyMap<string, CypherValue>;

export interface CypherResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly CypherValue[])[];
}
