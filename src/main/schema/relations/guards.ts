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
  // Uploads go there with the right to read alone, and it goes with its user.
  ['HOME_DIR', 'administrator'],
  // They decide which hosts and directories the service uses for whose content.
  ['CONFIGURED_BY', 'administrator'],
  ['CONFIG_ENTRY', 'administrator'],
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

/**
 * Throws `SchemaError` (forbidden) when the actor may not put this into that folder: it needs the write right on both,
 * whichever side is written. A folder's files are what its path shows to others, and a file has but one folder, so that
 * putting it into one takes it out of another.
 */
export async function guardPlacing(
  objects: ObjectTransaction,
  relType: string,
  source: GraphNode,
  target: GraphNode,
): Promise<void> {
  if (relType !== 'CONTAINS' || objects.actor.isAdmin) return;
  if (!objects.schema.typeOf(target).hasTrait('AbstractFile')) return;
  for (const end of [source, target]) if (!(await objects.may('write', end))) throw objects.notPermitted(end);
}
