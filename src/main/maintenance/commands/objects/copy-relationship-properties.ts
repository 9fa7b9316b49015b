/** Values of relationships once more, under another key. */
import type { RelationshipQuery } from '../../../graph/index.js';
import { asJob } from '../as-job.js';
import { changeAll, resultOf } from '../batches.js';
import type { MaintenanceCommand } from '../command.js';
import { Parameters } from '../parameters.js';
import { keyIn, valueIn } from '../types.js';
import { isStored, storedAs } from './stored-form.js';

const NAME = 'copyRelationshipProperties';
const FIXED = ['id', 'type', 'relType', 'sourceId', 'targetId'];

export const copyRelationshipProperties: MaintenanceCommand = {
  name: NAME,
  async run(context, input) {
    const parameters = new Parameters(NAME, input);
    parameters.only('sourceKey', 'destKey');
    const [source, destination] = [parameters.needed('sourceKey'), parameters.needed('destKey')];
    if (FIXED.includes(destination)) throw parameters.wrong('destKey', 'a key that can be set');
    const background = parameters.flag('background');
    return asJob(context, NAME, { background }, async (job) => {
      const counts = await changeAll<RelationshipQuery>(context, job, NAME, {
        phase: `copying ${source} to ${destination}`,
        query: { kind: 'relationships' },
        change: async ({ tx, schema }, relationship) => {
          const type = schema.typeOf(relationship);
          const value = relationship.properties[keyIn(type, source)];
          if (value === undefined) return false;
          const property = valueIn(type, destination);
          const copy =
            property === undefined || isStored(property, value) ? value : storedAs(property, value, type.name);
          const before = tx.changes().length;
          await tx.updateRelationship(relationship.id, { [property?.key ?? destination]: copy });
          return tx.changes().length > before;
        },
      });
      return resultOf(counts);
    });
  },
};
