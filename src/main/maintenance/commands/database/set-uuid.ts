/** Ids for nodes and relationships without one, which other clients of the database have made (docs/interface/operations.md 9.3). */
import { typesOf } from '../../../schema/index.js';
import { logger } from '../../../../shared/log.js';
import { asJob } from '../as-job.js';
import type { MaintenanceCommand } from '../command.js';
import { Parameters } from '../parameters.js';
import { stepsOf } from '../steps.js';
import { concreteNodeTypes, givenType, idsFor, relationshipType } from '../types.js';

const log = logger('maintenance');
const NAME = 'setUuid';

export const setUuid: MaintenanceCommand = {
  name: NAME,
  async run(context, input) {
    const { graph, schemas } = context;
    const parameters = new Parameters(NAME, input);
    parameters.only('type', 'relType', 'allNodes', 'allRels');
    const type = givenType(schemas.schema, parameters);
    const relName = parameters.text('relType');
    const relType = relName === undefined ? undefined : relationshipType(schemas.schema, relName, 'relType');
    const [allNodes, allRels] = [parameters.flag('allNodes'), parameters.flag('allRels')];
    const background = parameters.flag('background');
    // Nodes first: relationships are not touched then.
    const what =
      type !== undefined || allNodes ? 'nodes' : relType !== undefined || allRels ? 'relationships' : undefined;
    if (what === undefined) return [];
    return asJob(context, NAME, { background }, async (job) => {
      const adoption = graph.adoption?.(idsFor(context));
      if (adoption === undefined) {
        log.info(`${NAME}: in the embedded database all objects have ids, so there is nothing to do`);
        return { changed: 0 };
      }
      const { schema } = schemas;
      const steps = stepsOf(job);
      let changed = 0;
      if (what === 'nodes') {
        for (const one of concreteNodeTypes(schema, allNodes ? undefined : type))
          changed += await adoption.identify(one, steps);
      } else {
        for (const relation of schema.relations.values()) {
          if (!allRels && relation.name !== relType?.name) continue;
          const { name, relType: own, source, target } = relation;
          const [sources, targets] = [typesOf(schema, source).types, typesOf(schema, target).types];
          changed += await adoption.identifyRelationships({ name, relType: own, sources, targets }, steps);
        }
      }
      await graph.caches.flush();
      log.info(`${NAME}: ${String(changed)} ${what} have ids now`);
      return { changed };
    });
  },
};
