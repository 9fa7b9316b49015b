/** Indexes made right again; values of indexed function properties of objects from before they were indexed. */
import type { NodeQuery } from '../../../graph/index.js';
import { storeIndexedFunctions, type Type } from '../../../schema/index.js';
import type { JobControl } from '../../../files/index.js';
import { logger } from '../../../../shared/log.js';
import { asJob } from '../as-job.js';
import { changeAll } from '../batches.js';
import type { CommandContext, MaintenanceCommand } from '../command.js';
import { Parameters } from '../parameters.js';
import { stepsOf } from '../steps.js';
import { nodeType, relationshipType } from '../types.js';

const log = logger('maintenance');
const NAME = 'rebuildIndex';

export const rebuildIndex: MaintenanceCommand = {
  name: NAME,
  async run(context, input) {
    const { graph, schemas } = context;
    const { schema } = schemas;
    const parameters = new Parameters(NAME, input);
    parameters.only('type', 'relType', 'mode');
    const [typeName, relName] = [parameters.text('type'), parameters.text('relType')];
    const mode = parameters.word('mode', ['nodesOnly', 'relsOnly', 'fulltext']);
    const background = parameters.flag('background');
    const type = typeName === undefined ? undefined : nodeType(schema, typeName);
    const relType = relName === undefined ? undefined : relationshipType(schema, relName, 'relType');
    return asJob(context, NAME, { background }, async (job) => {
      let looked = 0;
      const steps = stepsOf(job, (objects) => {
        looked += objects;
      });
      let functions = 0;
      if (mode === 'fulltext') {
        const types = type ?? relType;
        await graph.reindex('texts', types === undefined ? undefined : types.concreteTypes, steps);
      } else {
        // A type alone says what is meant.
        const [nodes, relationships] = [
          mode !== 'relsOnly' && (relType === undefined || type !== undefined),
          mode !== 'nodesOnly' && (type === undefined || relType !== undefined),
        ];
        if (nodes) {
          functions = await storeFunctions(context, job, type);
          await graph.reindex('nodes', type?.concreteTypes, steps);
        }
        if (relationships)
          await graph.reindex('relationships', relType === undefined ? undefined : [relType.name], steps);
      }
      log.info(
        `${NAME}: ${String(looked)} entries were looked at, ${String(functions)} values of functions written anew`,
      );
      return { looked, functions };
    });
  },
};

/** Objects of types with indexed functions get the values by which they are found. */
async function storeFunctions(context: CommandContext, job: JobControl, type: Type | undefined): Promise<number> {
  const { schema } = context.schemas;
  const types = [...schema.types.values()].filter(
    (one) =>
      one.kind === 'node' &&
      !one.traitOnly &&
      one.indexedFunctions.length > 0 &&
      (type === undefined || type.concreteTypes.includes(one.name)),
  );
  if (types.length === 0) return 0;
  const query: NodeQuery = { kind: 'nodes', types: types.map(({ name }) => name) };
  const { changed } = await changeAll(context, job, NAME, {
    phase: 'indexed functions',
    query,
    change: async (objects, node) => {
      const before = objects.tx.changes().length;
      await storeIndexedFunctions(objects, node);
      return objects.tx.changes().length > before;
    },
  });
  return changed;
}
