/** Stored values of another kind than their property stores, as after its type was changed: converted where they can be. */
import type { NodeQuery, StoredValue } from '../../../graph/index.js';
import { SchemaError, type ValueProperty } from '../../../schema/index.js';
import { asJob } from '../as-job.js';
import { changeAll, resultOf } from '../batches.js';
import type { MaintenanceCommand } from '../command.js';
import { Parameters } from '../parameters.js';
import { givenType } from '../types.js';
import { isStored, storedAs } from './stored-form.js';

const NAME = 'fixNodeProperties';
/** Nodes of one transaction. */
const SIZE = 100;

export const fixNodeProperties: MaintenanceCommand = {
  name: NAME,
  async run(context, input) {
    const parameters = new Parameters(NAME, input);
    parameters.only('type', 'name');
    const type = givenType(context.schemas.schema, parameters);
    const name = parameters.text('name');
    const background = parameters.flag('background');
    if (type === undefined) return [];
    if (name !== undefined && type.properties.get(name)?.kind !== 'value') {
      throw new SchemaError(`${type.name} has no property ${name} with values of its own.`, [
        { type: type.name, property: 'name', token: 'property_not_found', detail: name },
      ]);
    }
    return asJob(context, NAME, { background }, async (job) => {
      const query: NodeQuery = { kind: 'nodes', trait: type.name, types: type.concreteTypes };
      const counts = await changeAll(context, job, NAME, {
        phase: `fixing properties of ${type.name}`,
        query,
        size: SIZE,
        change: async ({ tx, schema }, node) => {
          const changes: Record<string, StoredValue | null> = {};
          const own = schema.typeOf(node);
          for (const property of own.properties.values()) {
            if (property.kind !== 'value' || !isLookedAt(property) || (name ?? property.name) !== property.name)
              continue;
            const value = node.properties[property.key];
            if (value !== undefined && !isStored(property, value)) {
              changes[property.key] = storedAs(property, value, own.name);
            }
          }
          if (Object.keys(changes).length === 0) return false;
          await tx.updateNode(node.id, changes);
          return true;
        },
      });
      return resultOf(counts);
    });
  },
};

/** What is encrypted or hashed would be so twice; bytes have no other form. */
const LEFT: ReadonlySet<string> = new Set(['Encrypted', 'Password', 'ByteArray']);

function isLookedAt({ key, definition: { constant, hidden, propertyType } }: ValueProperty): boolean {
  return key !== 'id' && key !== 'type' && constant !== true && hidden !== true && !LEFT.has(propertyType);
}
