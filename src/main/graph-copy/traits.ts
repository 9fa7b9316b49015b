/** The traits of all types, from the schema in a graph. */
import { Config } from '../config/index.js';
import type { Graph, TraitsByType } from '../graph/index.js';
import { SchemaError, SchemaService } from '../schema/index.js';

/** Undefined: the schema does not compile, which keeps a server from starting as well. */
export async function traitsIn(graph: Graph): Promise<TraitsByType | undefined> {
  // Which traits a type has depends on no setting.
  const config = Config.of();
  try {
    const { schema } = await SchemaService.start(graph, {
      dateFormat: config.get('dateproperty.defaultformat'),
      zonedDateTimeFormat: config.get('zoneddatetimeproperty.defaultformat'),
      timeZone: 'UTC',
      encryptionSecret: '',
      lenientJson: false,
    });
    return new Map([...schema.types].map(([name, type]) => [name, type.traits]));
  } catch (error) {
    if (error instanceof SchemaError) return undefined;
    throw error;
  }
}
