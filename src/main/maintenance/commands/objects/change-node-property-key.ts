/** Stored values under another key, as they are: for a property that was renamed. */
import type { NodeQuery } from '../../../graph/index.js';
import { logger } from '../../../../shared/log.js';
import { asJob } from '../as-job.js';
import { changeAll, resultOf } from '../batches.js';
import type { MaintenanceCommand } from '../command.js';
import { Parameters } from '../parameters.js';
import { givenType } from '../types.js';

const log = logger('maintenance');
const NAME = 'changeNodePropertyKey';
/** Nodes left as they are that the log names. */
const MOST_TOLD = 100;

export const changeNodePropertyKey: MaintenanceCommand = {
  name: NAME,
  async run(context, input) {
    const { schema } = context.schemas;
    const parameters = new Parameters(NAME, input);
    parameters.only('oldKey', 'newKey', 'type');
    const [oldKey, newKey] = [parameters.text('oldKey'), parameters.text('newKey')];
    for (const name of ['oldKey', 'newKey']) {
      if (['id', 'type'].includes(parameters.text(name) ?? ''))
        throw parameters.wrong(name, 'another key than id and type, which every node has');
    }
    const type = givenType(schema, parameters);
    const background = parameters.flag('background');
    if (oldKey === undefined || newKey === undefined || oldKey === newKey) return [];
    return asJob(context, NAME, { background }, async (job) => {
      let skipped = 0;
      const where = { op: 'not', term: { op: 'isNull', key: oldKey } } as const;
      const query: NodeQuery =
        type === undefined
          ? { kind: 'nodes', where }
          : { kind: 'nodes', trait: type.name, types: type.concreteTypes, where };
      const counts = await changeAll(context, job, NAME, {
        phase: `moving ${oldKey} to ${newKey}`,
        query,
        change: async ({ tx }, { id, properties }) => {
          const value = properties[oldKey];
          if (value === undefined) return false;
          if (properties[newKey] !== undefined) {
            if (++skipped <= MOST_TOLD) log.info(`${NAME}: ${id} has ${newKey} already; it stays as it is`);
            return false;
          }
          await tx.updateNode(id, { [oldKey]: null, [newKey]: value });
          return true;
        },
      });
      return { ...resultOf(counts), skipped };
    });
  },
};
