/** Who set off what logins, and what goes with them, write past the rules of objects. */
import type { GraphNode, Origin } from '../graph/index.js';
import { textOf } from '../schema/index.js';

/** By somebody who has shown that he is this user. */
export function loginOf(
  user: GraphNode | { readonly id: string | undefined; readonly name: string },
  reason: string,
): Origin {
  const userName = 'kind' in user ? (textOf(user, 'name') ?? textOf(user, 'eMail')) : user.name;
  return { door: 'login', userId: user.id, userName, reason };
}

/** By somebody who has not shown who he is, or not yet. */
export function strangers(reason: string): Origin {
  return { door: 'login', reason };
}

/** By the service itself. */
export function itself(reason: string): Origin {
  return { door: 'system', reason };
}

/** A user as events tell of him. */
export function named(user: GraphNode): { readonly id: string; readonly name: string } {
  return { id: user.id, name: textOf(user, 'name') ?? textOf(user, 'eMail') ?? '' };
}
