/**
 * Why somebody may do what with an object (docs/interface/security.md 9.10): each rule, and whether it permits. What is told is asked
 * with parts of the very rule that decides, so that it cannot say something else.
 */
import {
  ALLOWED,
  OWNS,
  SECURITY,
  type AccessRule,
  type GraphNode,
  type ReadTransaction,
  type Right,
} from '../../graph/index.js';
import type { Actor, ObjectAccess, Schema } from '../../schema/index.js';
import { pathOf, type PathStep } from './propagation-path.js';
import { partsOf, type PartReason } from './rule-parts.js';
import type { SchemaGrants } from './schema-grants.js';

export const RIGHTS: readonly Right[] = ['read', 'write', 'delete', 'accessControl'];
/** Grants of one object that are looked at. */
const MOST = 10_000;

export type RuleName =
  | 'administrator'
  | 'adminGroup'
  | 'blocked'
  | 'visibleToPublicUsers'
  | 'visibleToAuthenticatedUsers'
  | 'typeVisibility'
  | 'self'
  | 'ownGroup'
  | 'owner'
  | 'grant'
  | 'schemaGrant'
  | 'propagation';

/** One rule, and whether it permits. */
export interface Reason {
  readonly rule: RuleName;
  readonly permits: boolean;
  /** Whose ownership or grant it is. */
  readonly principal?: string;
  /** Rights that a grant lists. */
  readonly allowed?: readonly string[];
  /** A flag is set and does not count: the type decides in its place. */
  readonly ignored?: boolean;
  readonly path?: readonly PathStep[];
}

export interface RightExplained {
  readonly right: Right;
  readonly permitted: boolean;
  readonly reasons: readonly Reason[];
}

/** Who is asked about, and what decides for them. */
export interface Subject {
  readonly actor: Actor;
  readonly access: ObjectAccess;
  readonly blocked: boolean;
}

/** What the graph says of who has an object, read once for all rights. */
interface Held {
  readonly owner: string | undefined;
  readonly allowed: ReadonlyMap<string, readonly string[]>;
}

/** Explains all four rights. */
export async function explainRights(
  tx: ReadTransaction,
  subject: Subject,
  node: GraphNode,
  { schema, grants }: { readonly schema: Schema; readonly grants: SchemaGrants },
): Promise<readonly RightExplained[]> {
  const held = await heldBy(tx, node);
  const explained: RightExplained[] = [];
  for (const right of RIGHTS) {
    const rule = subject.access.rule(right);
    const reasons = rule === undefined ? reachesAll(subject.actor) : await reasonsOf(rule);
    const decided = rule === undefined || (await tx.permitted([node], rule))[0] === true;
    explained.push(withBlock({ right, permitted: decided, reasons }, subject.blocked));
  }
  return explained;

  async function reasonsOf(rule: AccessRule): Promise<readonly Reason[]> {
    const { actor } = subject;
    const type = schema.type(node.type);
    const visibility = type?.visibility;
    const reasons: Reason[] = [];
    for (const part of partsOf(rule)) {
      const permits = (await tx.permitted([node], part.rule))[0] === true;
      reasons.push(...told(part.reason, permits));
    }
    // What the parts say of those whom the rule does not name.
    const named = new Set(rule.principals);
    if (held.owner === undefined) reasons.push({ rule: 'owner', permits: false });
    else if (!named.has(held.owner)) reasons.push({ rule: 'owner', permits: false, principal: held.owner });
    if (![...held.allowed.keys()].some((one) => named.has(one))) reasons.push({ rule: 'grant', permits: false });
    if (rule.propagation !== undefined) {
      const path = await pathOf(tx, rule, node);
      const rest = !reasons.some((reason) => reason.permits) && (await tx.permitted([node], rule))[0] === true;
      const permits = path !== undefined || rest;
      reasons.push({ rule: 'propagation', permits, ...(path === undefined ? {} : { path }) });
    }
    return reasons;

    function told(reason: PartReason, permits: boolean): readonly Reason[] {
      switch (reason.kind) {
        case 'flag': {
          const ignored = !permits && node.properties[reason.key] === true;
          return [{ rule: reason.key, permits, ...(ignored ? { ignored } : {}) }];
        }
        case 'itself': {
          const isSelf = reason.id === actor.id;
          // One line for all groups: those that the node is not say nothing.
          return isSelf ? [{ rule: 'self', permits }] : permits ? [{ rule: 'ownGroup', permits }] : [];
        }
        case 'type': {
          const visible =
            rule.right === 'read' &&
            (visibility?.toPublic === true || (visibility?.toUsers === true && actor.id !== undefined));
          const granted = grants.holders(rule.principals, rule.right, node.type, schema);
          return [
            ...(rule.right === 'read' ? [{ rule: 'typeVisibility' as const, permits: permits && visible }] : []),
            ...(granted.length === 0 ? [{ rule: 'schemaGrant' as const, permits: permits && !visible }] : []),
            ...granted.map((principal) => ({ rule: 'schemaGrant' as const, permits, principal })),
          ];
        }
        case 'held': {
          const { principal } = reason;
          const isOwner = held.owner === principal;
          const allowed = held.allowed.get(principal);
          const byGrant = permits && (allowed?.includes(rule.right) === true || !isOwner);
          return [
            ...(isOwner ? [{ rule: 'owner' as const, permits, principal }] : []),
            ...(allowed === undefined && !(permits && !isOwner)
              ? []
              : [{ rule: 'grant' as const, permits: byGrant, principal, allowed: allowed ?? [rule.right] }]),
          ];
        }
      }
    }
  }
}

function reachesAll({ isAdmin }: Actor): readonly Reason[] {
  return [{ rule: isAdmin ? 'administrator' : 'adminGroup', permits: true }];
}

/** Who is blocked may do nothing, whatever the rules say. */
function withBlock(explained: RightExplained, blocked: boolean): RightExplained {
  if (!blocked) return explained;
  return { ...explained, permitted: false, reasons: [{ rule: 'blocked', permits: false }, ...explained.reasons] };
}

async function heldBy(tx: ReadTransaction, { id }: GraphNode): Promise<Held> {
  const [owners] = await tx.related([id], { relType: OWNS, direction: 'in' }, 1);
  const [granted] = await tx.links([id], { relType: SECURITY, direction: 'in' }, MOST);
  const allowed = new Map<string, readonly string[]>();
  for (const { relationship, node } of granted ?? []) {
    const value = relationship.properties[ALLOWED];
    const rights = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
    allowed.set(node.id, [...(allowed.get(node.id) ?? []), ...rights]);
  }
  return { owner: owners?.[0]?.id, allowed };
}
