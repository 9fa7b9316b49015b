/**
 * Whether the address of a user is known to be his: set by an administrator, by a provider that has verified it, or confirmed
 * by a link in a mail. Anybody may write the address of somebody else as his own; logins that go by the address alone
 * (OAuth, tokens of other issuers) must not lead into such an account.
 */
import { randomBytes } from 'node:crypto';
import type { GraphNode, PropertyChanges } from '../../../graph/index.js';
import { VERIFIED_ADDRESS } from '../../rights/undeclared-keys.js';
import type { TraitRule } from '../rule.js';
import { textOf } from '../helpers/text-of.js';

/** Whether a user's address is known to be his. */
export function hasVerifiedAddress(user: GraphNode): boolean {
  const address = textOf(user, 'eMail');
  return address !== undefined && textOf(user, VERIFIED_ADDRESS) === address;
}

/** The change that says that a user's address is his. */
export function verificationOf(user: GraphNode): PropertyChanges {
  return { [VERIFIED_ADDRESS]: textOf(user, 'eMail') ?? null };
}

export const verifiedAddressRule: TraitRule = {
  trait: 'User',
  normalise(values, before, objects) {
    const address = values['eMail'];
    if (address === undefined || address === (before?.['eMail'] ?? null)) return;
    values[VERIFIED_ADDRESS] = objects.actor.isAdmin ? address : null;
    if (before === undefined) return;
    // Links that were sent to the address before prove nothing about this one.
    if (before['passwordResetKey'] !== undefined) values['passwordResetKey'] = null;
    if (objects.actor.isAdmin || before['confirmationKey'] === undefined) return;
    // It looks like the hash of a key that nobody has: the user still has to show that an address is his.
    values['confirmationKey'] = `${randomBytes(32).toString('hex')}!${String(Date.now())}`;
  },
};
