/** Who asks, and what he may do: all that work needs to know of its user. */
import { ANONYMOUS, type Actor, type ObjectAccess } from '../schema/index.js';
import type { Security } from '../security/index.js';

export interface Asker {
  readonly actor: Actor;
  readonly access: ObjectAccess;
}

/** An actor with his rights as they are now. */
export async function askerOf({ objectAccess }: Pick<Security, 'objectAccess'>, actor: Actor): Promise<Asker> {
  return { actor, access: await objectAccess.of(actor) };
}

/**
 * The same for work that somebody has asked for earlier: with the groups and rights that he has now. Undefined when he is
 * gone or blocked.
 */
export async function askerNow(
  security: Pick<Security, 'objectAccess' | 'principals'>,
  asked: Actor,
): Promise<Asker | undefined> {
  if (asked.isSuperuser) return askerOf(security, asked);
  if (asked.id === undefined) return askerOf(security, ANONYMOUS);
  const principal = await security.principals.get(asked.id);
  return principal === undefined || principal.blocked ? undefined : askerOf(security, principal.actor);
}
