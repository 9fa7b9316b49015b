/** Labels of nodes for other clients of the database, by the traits of their types (docs/interface/operations.md 9.3). */
import { logger } from '../../../../shared/log.js';
import { asJob } from '../as-job.js';
import type { MaintenanceCommand } from '../command.js';
import { Parameters } from '../parameters.js';
import { stepsOf } from '../steps.js';
import { concreteNodeTypes, givenType, idsFor } from '../types.js';

const log = logger('maintenance');
const NAME = 'createLabels';

export const createLabels: MaintenanceCommand = {
  name: NAME,
  async run(context, input) {
    const { graph, schemas } = context;
    const parameters = new Parameters(NAME, input);
    parameters.only('type', 'removeUnused');
    const type = givenType(schemas.schema, parameters);
    const removes = parameters.flag('removeUnused', true);
    return asJob(context, NAME, { background: parameters.flag('background') }, async (job) => {
      const adoption = graph.adoption?.(idsFor(context));
      if (adoption === undefined) {
        log.info(`${NAME}: the embedded database has no labels, so there is nothing to do`);
        return { changed: 0 };
      }
      const { schema } = schemas;
      const names = removes ? [...schema.types.values()].flatMap((one) => (one.kind === 'node' ? one.name : [])) : [];
      const changed = await adoption.relabel(concreteNodeTypes(schema, type), names, stepsOf(job));
      await graph.caches.flush();
      log.info(`${NAME}: ${String(changed)} nodes have other labels`);
      return { changed };
    });
  },
};
