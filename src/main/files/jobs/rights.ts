/** The rights of a job: those its user has while it works, not those he had when he asked for it. */
import { askerNow, type Asker } from '../../request/index.js';
import type { Actor } from '../../schema/index.js';
import type { FilesContext } from '../context.js';
import { FilesError } from '../errors.js';

/** Who works, and what he may do. */
export type Rights = Asker;

/** Throws `FilesError` 401 for nobody: a job has a user who answers for it. */
export function needsUser(actor: Actor): void {
  if (actor.id === undefined) throw new FilesError(401, 'Log in to start a job.');
}

/** The rights of the user who asked, as they are now. Throws `FilesError` 403 when he is gone or blocked. */
export async function rightsNow({ security }: Pick<FilesContext, 'security'>, asked: Actor): Promise<Rights> {
  const now = asked.id === undefined && !asked.isSuperuser ? undefined : await askerNow(security, asked);
  if (now === undefined) throw new FilesError(403, `The user ${asked.name} of this job is gone or blocked.`);
  return now;
}
