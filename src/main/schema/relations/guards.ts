/**
 * Relations that give rights. Elsewhere linking two objects needs the write right on the one whose property is written;
 * here it is the end that gives something away that counts, from whichever side it is written. Otherwise whoever may change
 * his own user could make himself a member of a group, or the owner of what he can see.
 */
import type { GraphNode } from '../../graph/index.js';
import type { ObjectTransaction } from '../objects/transaction.js';

/** The end on which the write right is needed; `administrator`: neither is enough. */
type Guard = 'source' | 'target' | 'administrator';

/** By type in the database, which is what rights go by, whichever relation of the schema uses it. */
const guards: ReadonlyMap<string, Guard> = new Map<string, Guard>([
  ['CONTAINS', 'source'],
  ['OWNS', 'target'],
  ['SECURITY', 'target'],
  ['SCHEMA_GRANT', 'administrator'],
]);

/** Throws `SchemaError` (forbidden) when the actor may not make, change or remove such a relationship between these. */
export async function guardLink(
  objects: ObjectTransaction,
  relType: string,
  source: GraphNode,
  target: GraphNode,
): Promise<void> {
  const guard = objects.actor.isAdmin ? undefined : guards.get(relType);
  if (guard === undefined) return;
  // Folders and pages contain something, too.
  const isMembership = (): boolean =>
    objects.schema.typeOf(source).hasTrait('Group') && objects.schema.typeOf(target).hasTrait('Principal');
  if (relType === 'CONTAINS' && !isMembership()) return;
  const end = guard === 'source' ? source : target;
  if (guard === 'administrator' || !(await objects.may('write', end))) throw objects.notPermitted(end);
}
