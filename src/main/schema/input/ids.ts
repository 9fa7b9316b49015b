import { SchemaError } from '../model/errors.js';
import type { JsonObject } from '../../../shared/json/index.js';
import type { Type } from '../model/schema.js';
import { SUPERUSER_ID } from '../model/actor.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';

/** Ids that administrators may give when formats are not checked: any that stand in a path as they are. */
const ANY_ID = /^[\w.~:-]{1,100}$/;

/**
 * The id that the input wants, checked, or a new one. `stored`: the one for which content is stored already; another one would
 * lose it. Throws `SchemaError`.
 */
export async function idFor(
  objects: ObjectTransaction,
  input: JsonObject,
  type: Type,
  stored?: string,
): Promise<string> {
  const id = input['id'];
  if (stored !== undefined && typeof id !== 'string') return stored;
  if (id === undefined || id === null) return objects.newId();
  const { switches, actor, options } = objects;
  const pattern = switches.checksIds || !actor.isAdmin ? options.idPattern : ANY_ID;
  if (typeof id === 'string' && pattern.test(id)) {
    await mustBeUnused(objects, id, type);
    if (stored === undefined || stored === id) return id;
    throw new SchemaError('A file that comes with its content cannot have this id.', [
      {
        type: type.name,
        property: 'id',
        token: 'must_match',
        value: id,
        detail: `the pattern ${options.idPattern.source}`,
      },
    ]);
  }
  throw new SchemaError('Unable to commit transaction, validation failed', [
    {
      type: type.name,
      property: 'id',
      token: id === '' ? 'must_not_be_empty' : 'must_match',
      detail: `Property value must match the following pattern: '${pattern.source}'.`,
      value: id,
    },
  ]);
}

/** An id names one node or relationship in the whole graph; or the superuser, who is none: a user with his id would be taken for him. */
async function mustBeUnused({ tx }: ObjectTransaction, id: string, type: Type): Promise<void> {
  if (id !== SUPERUSER_ID && (await tx.node(id)) === undefined && (await tx.relationship(id)) === undefined) return;
  throw new SchemaError('Unable to commit transaction, validation failed', [
    { type: type.name, property: 'id', token: 'already_taken', value: id, detail: id, existingNodeUuid: id },
  ]);
}
