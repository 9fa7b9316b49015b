import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Change, type ChangeKind, changesOf, kindsOf, noticed } from '../../src/main/graph/index.js';

const name = fc.constantFrom('A', 'B', 'type', 'A B');
const node = fc.record({
  kind: fc.constant('node' as const),
  id: fc.string(),
  type: name,
  properties: fc.constant({}),
});
const relationship = fc.record({
  kind: fc.constant('relationship' as const),
  id: fc.string(),
  type: name,
  relType: name,
  sourceId: fc.string(),
  targetId: fc.string(),
  properties: fc.constant({}),
});
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ verb: fc.constantFrom('create' as const, 'delete' as const), entity: node }),
  fc.record({ verb: fc.constantFrom('link' as const, 'unlink' as const), entity: relationship }),
  fc.record({
    verb: fc.constant('change' as const),
    entity: fc.oneof(node, relationship),
    key: name,
    previous: name,
    value: name,
  }),
);
/** What a change is, without whom it concerns. */
function kindOf(one: ChangeKind): string {
  const { verb, kind, type, previousType, key, relType } = one;
  return JSON.stringify([verb, kind, type, previousType, key, relType]);
}

test('changes are found by their kind as if each was asked, few or many', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), fc.infiniteStream(fc.boolean()), (changes, answers) => {
      const answer = new Map<string, boolean>();
      const wanted = (kind: ChangeKind): boolean => {
        const text = kindOf(kind);
        if (!answer.has(text)) answer.set(text, answers.next().value === true);
        return answer.get(text) === true;
      };
      const found = changesOf(changes, wanted);
      expect(found).toEqual(changes.filter((one) => wanted(noticed(one))));
      const counts = new Map<string, number>();
      for (const { kind, count } of kindsOf(changes)) counts.set(kindOf(kind), (counts.get(kindOf(kind)) ?? 0) + count);
      for (const [kind, count] of counts) {
        expect(count).toBe(changes.filter((one) => kindOf(noticed(one)) === kind).length);
      }
      expect([...counts.values()].reduce((sum, one) => sum + one, 0)).toBe(changes.length);
    }),
  );
});
