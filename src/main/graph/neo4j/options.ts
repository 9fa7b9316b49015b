/** One statement as the log may show it: its text has no values, they are bound as parameters. */
export interface LoggedStatement {
  readonly text: string;
  readonly milliseconds: number;
  /** It took `slowThreshold` or longer. */
  readonly slow: boolean;
}

/** Settings of the Neo4j engine. */
export interface Neo4jOptions {
  /** `bolt://` one server, `neo4j://` a cluster; with `+s` encrypted. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Name of the database; absent: the user's home database, which costs a look-up. */
  readonly database?: string;
  /** Connections at most (50). */
  readonly poolSize?: number;
  /** Milliseconds to wait for a connection to be made (5,000). */
  readonly connectTimeout?: number;
  /** Milliseconds to wait for a free connection (10,000). */
  readonly acquireTimeout?: number;
  /** Default time limit of a transaction in milliseconds (30,000); 0: none. */
  readonly queryTimeout?: number;
  /** Told about statements: all with `logStatements` (`log.cypher.debug`), otherwise the slow ones. */
  readonly onStatement?: (statement: LoggedStatement) => void;
  readonly logStatements?: boolean;
  /** Milliseconds from which a statement is slow (`log.querytime.threshold`); absent: none is. */
  readonly slowThreshold?: number;
  /** Told about errors in background work; default: standard error. */
  readonly onError?: (error: unknown) => void;
}
