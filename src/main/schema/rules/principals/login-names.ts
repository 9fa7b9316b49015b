/**
 * Users log in with their name or e-mail address, and two of one name cannot be told apart: neither gets in by it. So what
 * somebody who is no administrator writes there must be nobody else's, or he could keep others out. Names that
 * administrators write need not be unique (docs/interface/security.md 1.2).
 */
import type { GraphNode, Predicate } from '../../../graph/index.js';
import type { ErrorToken } from '../../model/errors.js';
import type { ObjectTransaction } from '../../writing/object-transaction.js';
import { equalsAnySpelling } from '../../properties/common/spelling.js';
import { typesOf } from '../../model/lookup.js';
import { oncePerTransaction } from '../helpers/once.js';
import type { TraitRule } from '../rule.js';
import { textOf } from '../helpers/text-of.js';

type LoginKey = 'name' | 'eMail';
const LOGIN_KEYS: readonly LoginKey[] = ['name', 'eMail'];

/** Another user who logs in with this text; `id` is the one it is meant for. */
export async function userOfLogin(
  objects: ObjectTransaction,
  key: LoginKey,
  text: string,
  id?: string,
): Promise<GraphNode | undefined> {
  const terms: Predicate[] = [equalsAnySpelling('name', text)];
  // Addresses among themselves are unique already.
  if (key === 'name') terms.push(equalsAnySpelling('eMail', text.trim().toLowerCase()));
  const found = await objects.tx.find({
    kind: 'nodes',
    trait: 'User',
    ...typesOf(objects.schema, 'User'),
    where: { op: 'or', terms },
    limit: 2,
  });
  return found.find((one) => one.id !== id);
}

/** Of users who were there before, which of these keys the transaction has changed. */
const changed = new WeakMap<ObjectTransaction, Map<string, Set<LoginKey>>>();
const createdIds = oncePerTransaction((objects) => Promise.resolve(new Set(objects.created.map((node) => node.id))));

export const loginNamesRule: TraitRule = {
  trait: 'User',

  updated(before, after, objects) {
    const keys = LOGIN_KEYS.filter((key) => before.properties[key] !== after.properties[key]);
    if (keys.length === 0) return Promise.resolve();
    const users = changed.get(objects) ?? new Map<string, Set<LoginKey>>();
    changed.set(objects, users.set(after.id, new Set([...(users.get(after.id) ?? []), ...keys])));
    return Promise.resolve();
  },

  async validate(node, objects) {
    // Looked up where writers come one after the other: nobody takes the name meanwhile.
    if (objects.actor.isAdmin) return [];
    const written = (await createdIds(objects)).has(node.id) ? LOGIN_KEYS : changed.get(objects)?.get(node.id);
    const tokens: ErrorToken[] = [];
    for (const property of written ?? []) {
      const value = textOf(node, property);
      const other = value === undefined ? undefined : await userOfLogin(objects, property, value, node.id);
      if (other === undefined) continue;
      const seen = (await objects.may('read', other)) ? { existingNodeUuid: other.id } : {};
      tokens.push({ type: node.type, property, token: 'already_taken', value, detail: node.id, ...seen });
    }
    return tokens;
  },
};
