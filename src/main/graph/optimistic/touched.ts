/** Effects without values: how instances tell each other of what they have committed. */
import type { Touched } from '../commits/commit.js';
import { sameValue } from '../sqlite/connection/values.js';
import type { Change, GraphEntity, GraphNode, GraphRelationship, PropertyMap } from '../types.js';
import { type Effect, Effects, effectsOf, type KeySet } from './effects.js';

/** What a list of changes has touched. */
export function touchedBy(changes: readonly Change[]): Touched[] {
  const { nodes, relationships } = effectsOf(changes);
  const again = madeAgain(changes);
  return [...nodes, ...relationships].map(({ before, after }: Effect<GraphEntity>) => {
    const one = after ?? before;
    if (one === undefined) throw new TypeError('an effect on nothing');
    const { kind, id } = one;
    return {
      kind,
      id,
      ...(before === undefined ? {} : { before: before.type }),
      ...(after === undefined ? {} : { after: after.type }),
      ...(again.has(kind + id) ? {} : { keys: differing(before?.properties, after?.properties) }),
      ...(one.kind === 'node' ? {} : { link: [one.relType, one.sourceId, one.targetId] as const }),
    };
  });
}

/** Entities that were deleted and made again: that they are elsewhere in the order of creation is no matter of keys. */
function madeAgain(changes: readonly Change[]): ReadonlySet<string> {
  const deleted = new Set<string>();
  const again = new Set<string>();
  for (const { verb, entity } of changes) {
    const name = entity.kind + entity.id;
    if (verb === 'delete' || verb === 'unlink') deleted.add(name);
    else if (verb !== 'change' && deleted.has(name)) again.add(name);
  }
  return again;
}

function differing(before: PropertyMap | undefined, after: PropertyMap | undefined): string[] {
  if (before === undefined || after === undefined) return [];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !sameValue(before[key], after[key]));
}

const NOTHING: PropertyMap = Object.freeze(Object.create(null) as PropertyMap);
const ANY: KeySet = { has: () => true };

/** What others have told, as effects. */
export function effectsOfTouched(all: readonly Touched[]): Effects {
  const nodes: Effect<GraphNode>[] = [];
  const relationships: Effect<GraphRelationship>[] = [];
  for (const { kind, id, before, after, keys: differ, link } of all) {
    const keys = differ === undefined ? ANY : new Set(differ);
    if (kind === 'node') {
      const node = (type: string | undefined): GraphNode | undefined =>
        type === undefined ? undefined : { kind, id, type, properties: NOTHING };
      nodes.push({ before: node(before), after: node(after), keys });
    } else {
      const [relType = '', sourceId = '', targetId = ''] = link ?? [];
      const one = (type: string | undefined): GraphRelationship | undefined =>
        type === undefined ? undefined : { kind, id, type, relType, sourceId, targetId, properties: NOTHING };
      relationships.push({ before: one(before), after: one(after), keys });
    }
  }
  return new Effects(nodes, relationships);
}
