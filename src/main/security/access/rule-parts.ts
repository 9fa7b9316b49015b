/** A rule taken apart, so that each part says why it allows a node. Together the parts and the steps allow what the rule allows. */
import type { AccessRule, FlagKey } from '../../graph/index.js';

/** Why a part of a rule allows a node. */
export type PartReason =
  | { readonly kind: 'flag'; readonly key: FlagKey }
  | { readonly kind: 'type' }
  /** The user, or one of his groups, is the node. */
  | { readonly kind: 'itself'; readonly id: string }
  /** Owned by, or granted to, the user or one of his groups. */
  | { readonly kind: 'held'; readonly principal: string };

export interface RulePart {
  readonly reason: PartReason;
  readonly rule: AccessRule;
}

/** The parts that say something about a node itself, in the order in which reasons are looked for. */
export function partsOf(rule: AccessRule): RulePart[] {
  const none: AccessRule = { right: rule.right, principals: [], ids: [], types: [], keys: [] };
  const ignored = rule.keysIgnoredFor === undefined ? {} : { keysIgnoredFor: rule.keysIgnoredFor };
  return [
    ...rule.keys.map((key): RulePart => ({
      reason: { kind: 'flag', key },
      rule: { ...none, ...ignored, keys: [key] },
    })),
    { reason: { kind: 'type' }, rule: { ...none, types: rule.types } },
    ...rule.ids.map((id): RulePart => ({ reason: { kind: 'itself', id }, rule: { ...none, ids: [id] } })),
    ...rule.principals.map((principal): RulePart => ({
      reason: { kind: 'held', principal },
      rule: { ...none, principals: [principal] },
    })),
  ];
}

/** What of a rule counts for a node that steps have led to: flags do not, and no further steps are taken (docs/interface/security.md 9.5). */
export function ruleAtEnd({ propagation: _, ...rule }: AccessRule): AccessRule {
  return { ...rule, keys: [] };
}
