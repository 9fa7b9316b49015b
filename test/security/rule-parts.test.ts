/** A rule taken apart (docs/interface/security.md 9.10): its parts together allow what it allows, and nothing else. */
import { describe, expect, it } from 'vitest';
import { allowsItself, FLAG_KEYS, type AccessRule, type GraphNode } from '../../src/main/graph/index.js';
import { partsOf, ruleAtEnd } from '../../src/main/security/access/rule-parts.js';

const TYPES = ['City', 'House'];
const IDS = ['a', 'b'];
/** All subsets of a few. */
const subsets = <T>(all: readonly T[]): T[][] =>
  all.reduce<T[][]>((sets, one) => sets.flatMap((set) => [set, [...set, one]]), [[]]);

const nodes: GraphNode[] = TYPES.flatMap((type) =>
  IDS.flatMap((id) =>
    subsets(FLAG_KEYS).map((flags): GraphNode => ({
      kind: 'node',
      id,
      type,
      properties: Object.fromEntries(flags.map((flag) => [flag, true])),
    })),
  ),
);

describe('a rule in parts', () => {
  it('allows what the rule allows', () => {
    let allowed = 0;
    for (const types of subsets(TYPES))
      for (const ids of subsets(IDS))
        for (const keys of subsets(FLAG_KEYS))
          for (const keysIgnoredFor of subsets(TYPES)) {
            const rule: AccessRule = { right: 'read', principals: ['a'], types, ids, keys, keysIgnoredFor };
            for (const node of nodes) {
              const decided = allowsItself(node, rule);
              const parts = partsOf(rule).filter((part) => allowsItself(node, part.rule));
              expect(parts.length > 0).toBe(decided);
              if (decided) allowed++;
            }
          }
    expect(allowed).toBeGreaterThan(1000);
  });

  it('has one part for each user and group that may hold a node, and none of them has anything else', () => {
    const rule: AccessRule = { right: 'write', principals: ['a', 'b'], types: TYPES, ids: IDS, keys: [...FLAG_KEYS] };
    const held = partsOf(rule).filter(({ reason }) => reason.kind === 'held');
    expect(held.map((part) => part.rule)).toEqual(
      ['a', 'b'].map((one) => ({ right: 'write', principals: [one], types: [], ids: [], keys: [] })),
    );
  });

  it('counts no flags and goes no further where steps have led to', () => {
    const propagation = { steps: [], depth: 5, fan: 1000 };
    const rule: AccessRule = {
      right: 'read',
      principals: ['a'],
      types: TYPES,
      ids: [],
      keys: [...FLAG_KEYS],
      propagation,
    };
    expect(ruleAtEnd(rule)).toEqual({ right: 'read', principals: ['a'], types: TYPES, ids: [], keys: [] });
  });
});
