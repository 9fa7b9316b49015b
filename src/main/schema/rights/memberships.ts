import type { GraphNode } from '../../graph/index.js';
import type { Reading } from '../model/schema.js';

/**
 * Whether a user, or the members of a group, reach every object: he, it, or a group above at any distance, is one of administrators
 * (docs/interface/security.md 1.3). Who makes somebody a member of such a group, or logs in as such a user, gets that.
 */
export async function isOfAdministrators({ tx, schema }: Reading, principal: GraphNode): Promise<boolean> {
  const types = schema.type('Group')?.concreteTypes ?? [];
  const seen = new Set([principal.id]);
  for (let level: readonly GraphNode[] = [principal]; level.length > 0;) {
    if (level.some(({ properties }) => properties['isAdmin'] === true)) return true;
    const ids = level.map(({ id }) => id);
    const above = (await tx.related(ids, { relType: 'CONTAINS', direction: 'in', types })).flat();
    level = [...new Map(above.map((one) => [one.id, one])).values()].filter(({ id }) => !seen.has(id));
    for (const { id } of level) seen.add(id);
  }
  return false;
}
