/**
 * The query AST: immutable values that say what is wanted. One compiler per engine turns them into
 * SQL or Cypher (docs/design/graph.md). Nothing in it names an engine.
 */
import type { AccessRule, Step } from './access.js';
import type { GraphNode, GraphRelationship, ScalarValue } from './types.js';

/**
 * A condition on one node or relationship. `key` is a stored key; the special keys `id`, `type`, and for
 * relationships `relType`, `sourceId`, `targetId` address those fields.
 * A missing value matches only `isNull`, `not`, and `equals` with `orNull`.
 */
export type Predicate =
  /** Exact, typed equality. `orNull` also accepts a missing value (a Boolean's false). */
  | {
      readonly op: 'equals';
      readonly key: string;
      readonly value: ScalarValue;
      readonly orNull?: boolean;
    }
  | { readonly op: 'in'; readonly key: string; readonly values: readonly ScalarValue[] }
  | { readonly op: 'isNull'; readonly key: string }
  /** Missing, empty string or empty array. */
  | { readonly op: 'isEmpty'; readonly key: string }
  /** Substring; `ignoreCase` folds ASCII and Unicode letters alike. */
  | {
      readonly op: 'contains' | 'startsWith' | 'endsWith';
      readonly key: string;
      readonly value: string;
      readonly ignoreCase?: boolean;
    }
  /** Inclusive bounds unless told otherwise; strings compare by code point. */
  | {
      readonly op: 'range';
      readonly key: string;
      readonly from?: ScalarValue;
      readonly to?: ScalarValue;
      readonly fromExclusive?: boolean;
      readonly toExclusive?: boolean;
    }
  /** The stored array is exactly this one, in this order. */
  | { readonly op: 'arrayEquals'; readonly key: string; readonly values: readonly ScalarValue[] }
  /** The stored array has this element; `partial`: an element (text) that contains it, ignoring case. */
  | {
      readonly op: 'arrayContains';
      readonly key: string;
      readonly value: ScalarValue;
      readonly partial?: boolean;
    }
  /** Nodes at the other end of `step`: none at all, exactly this set, or at least these. */
  | { readonly op: 'relatedNone'; readonly step: Step }
  | { readonly op: 'relatedExactly'; readonly step: Step; readonly ids: readonly string[] }
  | { readonly op: 'relatedAll'; readonly step: Step; readonly ids: readonly string[] }
  /** Some node at the other end of `step` fulfils `where`. */
  | { readonly op: 'relatedSome'; readonly step: Step; readonly where: Predicate }
  /** Great-circle distance of (`latitude`, `longitude`) keys to a point, strictly less than `kilometres`. */
  | {
      readonly op: 'distance';
      readonly latitudeKey: string;
      readonly longitudeKey: string;
      readonly latitude: number;
      readonly longitude: number;
      readonly kilometres: number;
    }
  | { readonly op: 'and' | 'or'; readonly terms: readonly Predicate[] }
  | { readonly op: 'not'; readonly term: Predicate };

/** Ascending: missing values last; descending: missing values first. Text by code point, false < true. */
export interface SortKey {
  readonly key: string;
  readonly descending?: boolean;
}

interface PageOptions {
  readonly where?: Predicate;
  readonly sort?: readonly SortKey[];
  readonly offset?: number;
  readonly limit?: number;
}

/** Nodes of some types. Without `sort` the order is that of creation as far as one type goes. */
export interface NodeQuery extends PageOptions {
  readonly kind: 'nodes';
  /** The trait asked for (a label where an engine has labels); absent: any node. */
  readonly trait?: string;
  /** All concrete types that carry the trait; absent: any type. */
  readonly types?: readonly string[];
  /** Only nodes reached from this node by this step (a subcollection). */
  readonly from?: { readonly id: string; readonly step: Step };
  /** Only nodes that this allows; absent: all. */
  readonly access?: AccessRule;
}

/** Relationships by schema type, by database type, by one end, or by the type of one end. */
export interface RelationshipQuery extends PageOptions {
  readonly kind: 'relationships';
  /** Schema relationship types; absent: any. */
  readonly types?: readonly string[];
  /** Concrete types of the source or target node; absent: any. */
  readonly sourceTypes?: readonly string[];
  readonly targetTypes?: readonly string[];
  readonly sourceId?: string;
  readonly targetId?: string;
  /** Only relationships both ends of which this allows; absent: all. */
  readonly access?: AccessRule;
}

export type Query = NodeQuery | RelationshipQuery;
export type EntityOf<Q extends Query> = Q extends NodeQuery ? GraphNode : GraphRelationship;

/** `exact` is false when counting stopped at the limit: there are more than `count`. */
export interface CountResult {
  readonly count: number;
  readonly exact: boolean;
}
