import type { GraphNode, PropertyChanges } from '../../graph/index.js';
import { SchemaError } from '../model/errors.js';
import { isOfAdministratorsAlone, loginKeyOf } from './credentials.js';
import type { Type } from '../model/schema.js';
import { isOfAdministrators } from './memberships.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';

/**
 * Throws `SchemaError` (forbidden) for who is no administrator when objects of this type run, or count, with the rights of others:
 * types, methods, permissions, grants. An endpoint permission that was given by mistake must not be enough.
 */
export function mayDecide({ actor, options }: ObjectTransaction, type: Type): void {
  if (actor.isAdmin || options.usersDecide === true || !isOfAdministratorsAlone(type)) return;
  throw new SchemaError(`Only administrators may write objects of type ${type.name}.`, [], 'forbidden');
}

/**
 * Throws `SchemaError` (forbidden) when the input of somebody who is less than an administrator changes how one logs in as one. `write` on
 * the object of a user who reaches everything is not enough: it would be the way to all the rest. Members of groups of
 * administrators write that of each other, as they make members; who is an administrator himself, and groups of them, are
 * administrators' alone.
 */
export async function mayWriteLogin(
  objects: ObjectTransaction,
  node: GraphNode,
  type: Type,
  changes: PropertyChanges,
): Promise<void> {
  const { actor } = objects;
  if (actor.isAdmin || actor.id === node.id) return;
  const property = loginKeyOf(type, changes);
  if (property === undefined) return;
  const isAdministrators = type.hasTrait('Group') || node.properties['isAdmin'] === true;
  if (actor.reachesAll && !isAdministrators) return;
  if (!(await isOfAdministrators(objects, node))) return;
  throw new SchemaError(
    `${objects.notPermitted(node).message} Only administrators may change ${property} of an administrator.`,
    [{ type: node.type, property, token: 'not_permitted' }],
    'forbidden',
  );
}
