/** The rights of a job: those its user has while it works, not those he had when he asked for it. */
import { ANONYMOUS, type Actor, type ObjectAccess } from '../../schema/index.js';
import type { FilesContext } from '../context.js';
import { FilesError } from '../errors.js';

/** Who works, and what he may do. */
export interface Rights {
  readonly actor: Actor;
  readonly access: ObjectAccess;
}

/** Throws `FilesError` 401 for nobody: a job has a user who answers for it. */
export function needsUser(actor: Actor): void {
  if (actor.id === undefined) throw new FilesError(401, 'Log in to start a job.');
}

/** The rights of the user who asked, as they are now. Throws `FilesError` 403 when he is gone or blocked. */
export async function rightsNow({ security }: Pick<FilesContext, 'security'>, asked: Actor): Promise<Rights> {
  const actor = await userNow(security, asked);
  return { actor, access: await security.objectAccess.of(actor) };
}

async function userNow(security: FilesContext['security'], asked: Actor): Promise<Actor> {
  if (asked.isSuperuser) return asked;
  const principal = await security.principals.get(asked.id ?? ANONYMOUS.name);
  if (principal === undefined || principal.blocked) {
    throw new FilesError(403, `The user ${asked.name} of this job is gone or blocked.`);
  }
  return principal.actor;
}
