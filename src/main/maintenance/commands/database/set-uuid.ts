/** Ids for nodes and relationships without one, which other clients of the database have made (docs/interface/operations.md 9.3). */
import type { OwnedRelation } from '../../../graph/index.js';
import { typesOf, type Schema, type Type } from '../../../schema/index.js';
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
      const changed =
        what === 'nodes'
          ? await adoption.identify(concreteNodeTypes(schema, allNodes ? undefined : type), steps)
          : await adoption.identifyRelationships(relationsOf(schema, allRels ? undefined : relType), steps);
      await graph.caches.flush();
      log.info(`${NAME}: ${String(changed)} ${what} have ids now`);
      return { changed };
    });
  },
};

/** All relationships of the schema, or those of one type. */
function relationsOf(schema: Schema, type: Type | undefined): OwnedRelation[] {
  return [...schema.relations.values()].flatMap(({ name, relType, source, target }) => {
    if (type !== undefined && name !== type.name) return [];
    return { name, relType, sources: typesOf(schema, source).types, targets: typesOf(schema, target).types };
  });
}
