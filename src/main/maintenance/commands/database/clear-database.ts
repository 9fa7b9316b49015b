/**
 * Deletes all nodes and relationships: first what nobody needs to go on with it, then the schema as a whole, users last, administrators as
 * the very last. So whoever ends it before its end, or comes back after a crash, can still log in and begin it again.
 */
import type { Predicate } from '../../../graph/index.js';
import type { JobControl } from '../../../files/index.js';
import { META_TYPES, type Schema } from '../../../schema/index.js';
import { logger } from '../../../../shared/log.js';
import { asJob } from '../as-job.js';
import { writing } from '../batches.js';
import type { CommandContext, MaintenanceCommand } from '../command.js';
import { countsOf, deleteAll, type Deleted, originOf } from '../deleting.js';
import { Parameters } from '../parameters.js';
import { stepsOf } from '../steps.js';

const log = logger('maintenance');
const NAME = 'clearDatabase';
/** Times that it is looked for what others have written meanwhile. */
const ROUNDS = 10;

export const clearDatabase: MaintenanceCommand = {
  name: NAME,
  run(context, input) {
    const parameters = new Parameters(NAME, input);
    parameters.only();
    return asJob(context, NAME, { background: parameters.flag('background') }, async (job) => {
      log.warn(`${context.actor.name} deletes all nodes and relationships`);
      const deleted = await empty(context, job);
      for (let round = 0; round < ROUNDS; round++) {
        const before = deleted.nodes;
        await clear(context, job, deleted);
        if (deleted.nodes === before && round > 0) break;
      }
      await context.graph.forget();
      await context.graph.caches.flush();
      const counts = `${String(deleted.nodes)} nodes and ${String(deleted.relationships)} relationships`;
      log.warn(`${counts} are deleted; the initial user is made at the next start`);
      return { ...deleted };
    });
  },
};

/** All but the schema and users at once. What is left afterwards, and where this is not possible all, is deleted one by one. */
async function empty(context: CommandContext, job: JobControl): Promise<Deleted> {
  const { config, graph, schemas } = context;
  // Each deletion is to be written down.
  const isLogged =
    config.get('application.changelog.enabled') || config.get('application.changelog.user_centric.enabled');
  if (isLogged) return { nodes: 0, relationships: 0 };
  await job.checkpoint();
  const users = usersIn(schemas.schema);
  const kept = { nodes: [...META_TYPES, ...users], relationships: neededRelations(schemas.schema, users) };
  return { ...((await graph.clear(kept, stepsOf(job), originOf(context, NAME))) ?? { nodes: 0, relationships: 0 }) };
}

function usersIn(schema: Schema): readonly string[] {
  return schema.type('Principal')?.concreteTypes ?? [];
}

async function clear(context: CommandContext, job: JobControl, deleted: Deleted): Promise<void> {
  const { schema } = context.schemas;
  const users = usersIn(schema);
  const meta = [...META_TYPES];
  const isAdmin: Predicate = { op: 'equals', key: 'isAdmin', value: true };
  // Before the nodes: one may have a million of them, which must not go in one transaction.
  await deleteAll(context, job, deleted, NAME, 'deleting relationships', {
    kind: 'relationships',
    where: no({ op: 'in', key: 'type', values: neededRelations(schema, users) }),
  });
  await deleteAll(context, job, deleted, NAME, 'deleting nodes', {
    kind: 'nodes',
    where: no({ op: 'in', key: 'type', values: [...meta, ...users] }),
  });
  await deleteSchema(context, job, deleted, meta);
  await deleteAll(context, job, deleted, NAME, 'deleting users', { kind: 'nodes', where: no(isAdmin) });
  await deleteAll(context, job, deleted, NAME, 'deleting administrators', { kind: 'nodes' });
}

const no = (term: Predicate): Predicate => ({ op: 'not', term });

/** Relationships among schema objects, and among users and groups: they go with their nodes. */
function neededRelations(schema: Schema, users: readonly string[]): string[] {
  const isNeeded = (trait: string): boolean =>
    META_TYPES.has(trait) || (schema.type(trait)?.concreteTypes.every((type) => users.includes(type)) ?? false);
  return [...schema.relations.values()]
    .filter(({ source, target }) => isNeeded(source) && isNeeded(target))
    .map(({ name }) => name);
}

/** As one transaction: half of a schema does not compile. */
async function deleteSchema(
  context: CommandContext,
  job: JobControl,
  deleted: Deleted,
  meta: readonly string[],
): Promise<void> {
  const { schemas, actor, access } = context;
  await job.checkpoint();
  job.phase('deleting the schema');
  const counts = await schemas.write(
    actor,
    access,
    writing(context, NAME),
    async ({ tx }) => {
      for (const type of meta) {
        for (const { id } of await tx.find({ kind: 'nodes', trait: type, types: [type] })) await tx.deleteNode(id);
      }
      return countsOf(tx.changes());
    },
    { timeout: 0 },
    { quietly: true, methods: false },
  );
  deleted.nodes += counts.nodes;
  deleted.relationships += counts.relationships;
  job.chunk({ objects: counts.nodes });
}
