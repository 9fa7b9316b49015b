/** Who must have which right on a node: access as part of a query, decided by the engine (docs/interface/security.md 9.2). */
import type { GraphNode } from './types.js';

/** One step along relationships from a node. */
export interface Step {
  readonly relType: string;
  /** `out`: from source to target; `in`: against it. */
  readonly direction: 'out' | 'in';
  /** Concrete types the node at the other end may have; absent: any. */
  readonly types?: readonly string[];
  /** Only nodes at the other end that this allows; absent: all. */
  readonly access?: AccessRule;
}

export type Right = 'read' | 'write' | 'delete' | 'accessControl';

/** Relationship types of the database that carry rights: from a principal to what he owns or was granted. */
export const OWNS = 'OWNS';
export const SECURITY = 'SECURITY';
/** Key of a `SECURITY` relationship: the rights it grants, a list of `Right`. */
export const ALLOWED = 'allowed';
/** Visibility flags: keys of Booleans that may allow everybody. Engines keep lists of what has them. */
export const PUBLIC = 'visibleToPublicUsers';
export const USERS = 'visibleToAuthenticatedUsers';
/** Their order is part of the format of a file (`sqlite/indexes/access-table.ts`): new ones come last. */
export const FLAG_KEYS = [PUBLIC, USERS] as const;
export type FlagKey = (typeof FLAG_KEYS)[number];

/** A step from a node towards one whose rights apply to it as well. */
export interface PropagationStep extends Omit<Step, 'access'> {
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
  /** Flags one of which being true allows. */
  readonly keys: readonly FlagKey[];
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

/** Whether the node's own type, id or flags say that it is allowed: decided without asking the engine. */
export function allowsItself(node: GraphNode, rule: AccessRule): boolean {
  if (rule.types.includes(node.type) || rule.ids.includes(node.id)) return true;
  if (rule.keysIgnoredFor?.includes(node.type) === true) return false;
  return rule.keys.some((key) => node.properties[key] === true);
}

/**
 * What of a rule matters for nodes of these concrete types (absent: any); undefined: it allows all of them. Engines ask
 * with it, so that what can never hold costs nothing.
 */
export function narrowed(rule: AccessRule | undefined, types?: readonly string[]): AccessRule | undefined {
  if (rule === undefined) return undefined;
  if (types !== undefined && types.every((type) => rule.types.includes(type))) return undefined;
  const { propagation, keysIgnoredFor: all, ...rest } = rule;
  const keysIgnoredFor = types === undefined ? all : all?.filter((type) => types.includes(type));
  const flagless = types?.every((type) => keysIgnoredFor?.includes(type) === true) === true;
  const partly = rule.keys.length > 0 && !flagless && keysIgnoredFor !== undefined && keysIgnoredFor.length > 0;
  return {
    ...rest,
    keys: flagless ? [] : rule.keys,
    ...(partly ? { keysIgnoredFor } : {}),
    ...(propagation !== undefined && leads(rule, propagation, types) ? { propagation } : {}),
  };
}

/** Whether propagation can lead from a node of these types to one that is allowed. */
function leads(
  rule: AccessRule,
  { steps, depth, fan }: NonNullable<AccessRule['propagation']>,
  types: readonly string[] | undefined,
): boolean {
  if (depth < 1 || fan < 2 || rule.principals.length + rule.ids.length + rule.types.length === 0) return false;
  return steps.some((step) => {
    if (step.types?.length === 0) return false;
    return types === undefined || (step.nearTypes?.some((type) => types.includes(type)) ?? true);
  });
}
