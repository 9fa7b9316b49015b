import { randomBytes } from 'node:crypto';
import type { GraphNode, PropertyMap, StoredValue } from '../../../graph/index.js';
import { SchemaError } from '../../model/errors.js';
import type { ObjectTransaction } from '../../writing/object-transaction.js';
import { HIDDEN_TEXT } from '../../properties/common/hidden.js';
import { isOldHash } from '../../properties/secrets/password-hash.js';
import { mustBeComplex } from '../helpers/password-policy.js';
import type { TraitRule } from '../rule.js';

const blank = (value: unknown): boolean => typeof value !== 'string' || value.trim() === '';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const SECRET_LENGTH = 16;

/** What the codes of a second factor are made of: 80 random bits in Base32 (docs/interface/security.md 1.2). */
export function newTwoFactorSecret(): string {
  // 256 is a multiple of 32: every character is as likely as the others.
  return Array.from(randomBytes(SECRET_LENGTH), (byte) => BASE32.charAt(byte % BASE32.length)).join('');
}

/** Logins that were begun with the old password end with it. */
const PENDING = ['twoFactorToken', 'passwordResetKey'];

/** Users: how they are called, their passwords and second factors (docs/interface/security.md 1.2, 4). */
export const userRule: TraitRule = {
  trait: 'User',
  message: 'A user must have a name or an email address',

  prepare(input, before, passwords) {
    const password = input['password'];
    // Absent at creation: `normalise` sees it, which knows whether it is one. Sent back as read: no change.
    if (password === undefined || password === HIDDEN_TEXT) return;
    // Anything that is not text is refused by the property itself.
    if (password !== null && typeof password !== 'string') return;
    mustBeComplex(password ?? '', passwords, before === undefined);
  },

  normalise(values, before, objects) {
    if (before === undefined) {
      if (blank(values['password'])) mustBeComplex('', objects.options.passwords, true);
    } else notePasswordChange(values, before);
    const secret = 'twoFactorSecret' in values ? values['twoFactorSecret'] : before?.['twoFactorSecret'];
    if (!blank(secret)) return;
    values['twoFactorSecret'] = newTwoFactorSecret();
    values['twoFactorConfirmed'] = false;
    // Asked for together with the new secret it stays: dropping it would let the user in by the password alone.
    values['isTwoFactorUser'] ??= false;
  },

  async updated(before, after, objects) {
    const isNewlyBlocked = after.properties['blocked'] === true && before.properties['blocked'] !== true;
    const losesOld = objects.options.passwords?.clearSessions === true && hasNewPassword(before, after);
    // Not only for as long as he is blocked: what he was logged in with may be what he is blocked for.
    if (isNewlyBlocked || losesOld) await endLogins(after, objects);
  },

  validate(node) {
    if (!blank(node.properties['name']) || !blank(node.properties['eMail'])) return Promise.resolve([]);
    return Promise.resolve(
      ['name', 'eMail'].map((property) => ({ type: 'User', property, token: 'must_not_be_empty' })),
    );
  },
};

function notePasswordChange(values: Record<string, StoredValue | null>, before: PropertyMap): void {
  const password = values['password'];
  if (password === undefined || password === (before['password'] ?? null)) return;
  // Such a hash is of use only with the salt beside it, which is that of another password now.
  if (typeof password === 'string' && isOldHash(password))
    throw new SchemaError('The password was changed by somebody else at the same time; try again.');
  values['passwordChangeDate'] = Date.now();
  for (const key of PENDING) if (before[key] !== undefined) values[key] = null;
}

function hasNewPassword(before: GraphNode, after: GraphNode): boolean {
  return before.properties['password'] !== after.properties['password'];
}

/** Ends sessions, tokens and logins that have begun. A session is a node and an entry of its user; without either it ends. */
async function endLogins(user: GraphNode, objects: ObjectTransaction): Promise<void> {
  const ids = user.properties['sessionIds'];
  for (const id of Array.isArray(ids) ? ids : []) {
    if (typeof id !== 'string') continue;
    const sessions = await objects.tx.find({
      kind: 'nodes',
      trait: 'SessionDataNode',
      types: ['SessionDataNode'],
      where: { op: 'equals', key: 'sessionId', value: id },
    });
    for (const session of sessions)
      if (session.properties['userId'] === user.id) await objects.tx.deleteNode(session.id);
  }
  await objects.tx.updateNode(user.id, { sessionIds: null, refreshTokens: null, twoFactorToken: null });
}
