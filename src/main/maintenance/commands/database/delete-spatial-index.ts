/** Nodes of a spatial index of old versions: they have a box, a kind of geometry and a place, and are objects of no type that knows these. */
import type { NodeQuery, Predicate } from '../../../graph/index.js';
import type { Schema } from '../../../schema/index.js';
import { asJob } from '../as-job.js';
import type { CommandContext, MaintenanceCommand } from '../command.js';
import { deleteAll, originOf } from '../deleting.js';
import { Parameters } from '../parameters.js';
import type { JobControl } from '../../../files/index.js';

const NAME = 'deleteSpatialIndex';
/** Keys that all of them have. */
const KEYS = ['bbox', 'gtype', 'latitude', 'longitude'];
/** Nodes of others that are deleted in one transaction. */
const MOST = 1000;

export const deleteSpatialIndex: MaintenanceCommand = {
  name: NAME,
  run(context, input) {
    const parameters = new Parameters(NAME, input);
    parameters.only();
    return asJob(context, NAME, { background: parameters.flag('background') }, async (job) => {
      const deleted = { nodes: 0, relationships: 0 };
      await deleteAll(
        context,
        job,
        deleted,
        NAME,
        'deleting nodes of the spatial index',
        queryOf(context.schemas.schema),
      );
      deleted.nodes += await deleteForeign(context, job);
      return { nodes: deleted.nodes };
    });
  },
};

function queryOf(schema: Schema): NodeQuery {
  const has = KEYS.map((key): Predicate => ({ op: 'not', term: { op: 'isNull', key } }));
  // A type that declares such keys has them for its own reasons.
  const declaring = [...schema.types.values()].filter(
    ({ properties }) => properties.has('bbox') || properties.has('gtype'),
  );
  const known: Predicate = { op: 'in', key: 'type', values: declaring.map(({ name }) => name) };
  return { kind: 'nodes', where: { op: 'and', terms: [...has, { op: 'not', term: known }] } };
}

/** Nodes that are no objects at all, where the database may have such. */
async function deleteForeign(context: CommandContext, job: JobControl): Promise<number> {
  const has = ['id', ...KEYS].map((key) => `n.${key} IS NOT NULL`).join(' AND ');
  const text = `MATCH (n) WHERE NOT n:NodeInterface AND ${has} WITH n LIMIT $most DETACH DELETE n RETURN count(*)`;
  const statement = { text, parameters: { most: MOST }, mostRows: 10, mostText: 1000 };
  for (let deleted = 0; ;) {
    await job.checkpoint();
    const options = { timeout: 0, origin: originOf(context, NAME) };
    const result = await context.graph.write(async (tx) => tx.cypherWrite?.(statement), options);
    const count = Number(result?.rows[0]?.[0] ?? 0);
    if (count > 0) job.chunk({ objects: count });
    deleted += count;
    if (count < MOST) return deleted;
  }
}
