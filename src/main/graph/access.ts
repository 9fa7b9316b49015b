/** Who must have which right on a node: access as part of a query, decided by the engine (security.md 9.2). */
import type { Step } from './types.js';

export type Right = 'read' | 'write' | 'delete' | 'accessControl';

/** Relationship types of the database that carry rights: from a principal to what he owns or was granted. */
export const OWNS = 'OWNS';
export const SECURITY = 'SECURITY';
/** Key of a `SECURITY` relationship: the rights it grants, a list of `Right`. */
export const ALLOWED = 'allowed';

/** A step from a node towards one whose rights apply to it as well. */
export interface PropagationStep extends Step {
  /** Concrete types the node may have from which the step is taken; absent: any. */
  readonly nearTypes?: readonly string[];
}

/** A node is allowed when any of these says so. With nothing in it, nothing is allowed. */
export interface AccessRule {
  readonly right: Right;
  /** The user and all groups above him: a node that one of them owns, or has been granted `right` on, is allowed. */
  readonly principals: readonly string[];
  /** Nodes allowed as such (the user himself, his groups). */
  readonly ids: readonly string[];
  /** Concrete types all of whose nodes are allowed (schema grants). */
  readonly types: readonly string[];
  /** Keys of Booleans one of which being true allows (visibility flags). */
  readonly keys: readonly string[];
  /** Concrete types whose nodes are decided without `keys`. */
  readonly keysIgnoredFor?: readonly string[];
  /**
   * A node is allowed, too, when at most `depth` of these steps lead from it to a node that `principals`, `ids` or `types`
   * allow. A node with `fan` or more relationships of a step's type is not left by that step.
   */
  readonly propagation?: {
    readonly steps: readonly PropagationStep[];
    readonly depth: number;
    readonly fan: number;
  };
}
