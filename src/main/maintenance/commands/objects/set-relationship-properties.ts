/** Values for all relationships of a type, or of all types. */
import type { RelationshipQuery } from '../../../graph/index.js';
import { updateRelationship } from '../../../schema/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { asJob } from '../as-job.js';
import { changeAll, resultOf } from '../batches.js';
import type { MaintenanceCommand } from '../command.js';
import { Parameters } from '../parameters.js';
import { relationshipType, valueIn } from '../types.js';

const NAME = 'setRelationshipProperties';
/** Parameters that are no properties. */
const OWN: ReadonlySet<string> = new Set(['type', 'background']);
/** What a relationship is, which no value changes. */
const FIXED = ['id', 'relType', 'sourceId', 'targetId', 'sourceNode', 'targetNode'];

export const setRelationshipProperties: MaintenanceCommand = {
  name: NAME,
  async run(context, input) {
    const { schema } = context.schemas;
    const parameters = new Parameters(NAME, input);
    const named = parameters.text('type');
    const type = named === undefined ? undefined : relationshipType(schema, named);
    const background = parameters.flag('background');
    const keys = Object.keys(input).filter((key) => !OWN.has(key));
    const fixed = keys.find((key) => FIXED.includes(key));
    if (fixed !== undefined) throw parameters.wrong(fixed, 'absent: it cannot be set');
    if (type !== undefined) {
      for (const key of keys) valueIn(type, key)?.fromJson(input[key] ?? null, type.name);
    }
    return asJob(context, NAME, { background }, async (job) => {
      const missing = new Set<string>();
      const counts = await changeAll<RelationshipQuery>(context, job, NAME, {
        phase: `setting properties of ${type?.name ?? 'all relationships'}`,
        query: { kind: 'relationships', ...(type === undefined ? {} : { types: [type.name] }) },
        change: async (objects, relationship) => {
          const own = objects.schema.typeOf(relationship);
          const values = Object.create(null) as JsonObject;
          for (const key of keys) {
            if (own.properties.has(key)) values[key] = input[key] ?? null;
            else missing.add(`${own.name} has no property ${key}: it is left out`);
          }
          if (Object.keys(values).length === 0) return false;
          const before = objects.tx.changes().length;
          objects.switches.unlock(relationship.id, true);
          await updateRelationship(objects, relationship.id, values);
          return objects.tx.changes().length > before;
        },
      });
      for (const problem of missing) job.problem(problem);
      return resultOf(counts);
    });
  },
};
