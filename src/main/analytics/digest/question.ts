/** What is asked about events, as it is given to the thread that answers: plain data. */

/** An expression with the name that its count has. */
export interface Named {
  readonly name: string;
  readonly source: string;
}

export type Operator = 'and' | 'andSubject' | 'andObject' | 'not';

export interface Correlation {
  readonly action: string;
  readonly operator: Operator;
  /** Its first group is what events have in common; absent: their subject and object. */
  readonly pattern?: string | undefined;
}

/** What decides which events are taken, beside what the query of the graph says. */
export interface Selection {
  /** Expressions that the message has to match. */
  readonly filters: readonly string[];
  readonly correlation?: Correlation | undefined;
}

/** Events counted in groups of time. */
export interface Aggregation extends Selection {
  readonly kind: 'aggregation';
  /** Pattern of SimpleDateFormat. */
  readonly pattern: string;
  readonly zone: string;
  /** Milliseconds, inclusive; absent: those of the events. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly named: readonly Named[];
  readonly histogram?: Named | undefined;
  readonly multiplier?: string | undefined;
  readonly indent: boolean;
}

/** The events themselves. */
export interface Listing extends Selection {
  readonly kind: 'listing';
  readonly form: 'json' | 'csv' | 'ndjson';
  readonly zone: string;
  /** Events that are left out, and how many follow at most. */
  readonly offset: number;
  readonly limit: number;
  readonly indent: boolean;
}

/** Which actions there are, how many events, from when to when. */
export interface Overview {
  readonly kind: 'overview';
  readonly zone: string;
  readonly indent: boolean;
}

export type Question = Aggregation | Listing | Overview;
