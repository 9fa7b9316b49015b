/** Copies of some properties of nodes by column, for questions that look at all nodes of a type (docs/design/analytics.md, Columns). */

/** Of which nodes, and of what in them. */
export interface ColumnDefinition {
  /** Concrete types. */
  readonly types: readonly string[];
  /** A stored key whose values are numbers. */
  readonly number: string;
  /** Stored keys whose values are texts. */
  readonly texts: readonly string[];
}

/**
 * Keeps them beside the database, in the background. Whether there are any makes no difference to answers: what is not in columns, or has changed
 * since, is read from nodes in the same transaction.
 */
export interface ColumnKeeper {
  /**
   * The one definition from now on; undefined: none. Columns are made of `from` nodes or more that have none yet; fewer are read as nodes.
   * Resolves when that is recorded. Throws `GraphError`.
   */
  set(definition: ColumnDefinition | undefined, from: number): Promise<void>;
  /** Resolves when nothing is being made. */
  settled(): Promise<void>;
}
