/** Values for all nodes of exactly one type, or another type for them. */
import { prepareInput, SchemaError, type Type } from '../../../schema/index.js';
import { logger } from '../../../../shared/log.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { asJob } from '../as-job.js';
import { changeAll, resultOf } from '../batches.js';
import type { CommandContext, MaintenanceCommand } from '../command.js';
import { Parameters } from '../parameters.js';
import { nodeType } from '../types.js';

const log = logger('maintenance');
const NAME = 'setNodeProperties';
/** Parameters that are no properties. */
const OWN: ReadonlySet<string> = new Set(['type', 'newType', 'background']);

export const setNodeProperties: MaintenanceCommand = {
  name: NAME,
  async run(context, input) {
    const { schema } = context.schemas;
    const parameters = new Parameters(NAME, input);
    const named = parameters.text('type');
    // The message is the reference's.
    if (named === undefined)
      throw new SchemaError('Type must not be empty', [{ property: 'type', token: 'must_not_be_empty' }]);
    const type = nodeType(schema, named);
    const newName = parameters.text('newType');
    const newType = newName === undefined ? undefined : nodeType(schema, newName, 'newType');
    if (newType?.traitOnly === true) throw parameters.wrong('newType', 'a type that objects can have');
    const background = parameters.flag('background');
    const { values, unknown } = await readValues(context, newType ?? type, input);
    return asJob(context, NAME, { background }, async (job) => {
      // Once, not for each of a million nodes.
      for (const key of unknown) job.problem(`${(newType ?? type).name} has no property ${key}: it is left out`);
      if (newType === undefined && Object.keys(values).length === 0)
        return resultOf({ looked: 0, changed: 0, failed: 0 });
      const counts = await changeAll(context, job, NAME, {
        phase: `setting properties of ${type.name}`,
        query: { kind: 'nodes', trait: type.name, types: [type.name] },
        change: async (objects, node) => {
          const before = objects.tx.changes().length;
          const to = newType === undefined ? undefined : objects.schema.type(newType.name);
          const current = to === undefined ? node : await objects.tx.setNodeType(node.id, to.name, to.traits);
          if (to !== undefined) objects.touch(node.id);
          objects.switches.unlock(node.id, true);
          // A copy: what is converted on its way may be changed in place.
          await objects.update(current, structuredClone(values));
          return objects.tx.changes().length > before;
        },
      });
      return resultOf(counts);
    });
  },
};

/** What is to be written, as far as the type knows it; passwords are hashed once. Throws `SchemaError` for what is no value of a property. */
async function readValues(
  context: CommandContext,
  type: Type,
  input: JsonObject,
): Promise<{ readonly values: JsonObject; readonly unknown: readonly string[] }> {
  const { schema } = context.schemas;
  const values = Object.create(null) as JsonObject;
  const unknown: string[] = [];
  for (const [key, value] of Object.entries(input)) {
    if (OWN.has(key)) continue;
    if (key === 'id') throw new SchemaError('Ids cannot be set.', [{ property: 'id', token: 'is_system_property' }]);
    const property = type.properties.get(key);
    if (property === undefined) unknown.push(key);
    else values[key] = value;
  }
  await prepareInput(schema, type, values, { passwords: context.write().passwords });
  for (const [key, value] of Object.entries(values)) {
    const property = type.properties.get(key);
    if (property?.kind === 'value' && property.ignoresInput?.(value) !== true) property.fromJson(value, type.name);
  }
  for (const key of unknown) log.warn(`${NAME}: ${type.name} has no property ${key}; it is left out`);
  return { values, unknown };
}
