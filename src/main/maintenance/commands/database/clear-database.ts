/**
 * Deletes all nodes and relationships: first what nobody needs to go on with it, then the schema as a whole, users last, administrators as
 * the very last. So whoever ends it before its end, or comes back after a crash, can still log in and begin it again.
 */
import { sizeOfEntity, type NodeQuery, type Predicate, type RelationshipQuery } from '../../../graph/index.js';
import type { JobControl } from '../../../files/index.js';
import { META_TYPES, type Schema } from '../../../schema/index.js';
import { logger } from '../../../../shared/log.js';
import { asJob } from '../as-job.js';
import { writing } from '../batches.js';
import type { CommandContext, MaintenanceCommand } from '../command.js';
import { Parameters } from '../parameters.js';

const log = logger('maintenance');
const NAME = 'clearDatabase';
/** Objects deleted in one transaction, and bytes of them, about: they are in memory until its end. */
const MOST = 1000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Times that it is looked for what others have written meanwhile. */
const ROUNDS = 10;

export const clearDatabase: MaintenanceCommand = {
  name: NAME,
  run(context, input) {
    const parameters = new Parameters(NAME, input);
    parameters.only();
    return asJob(context, NAME, { background: parameters.flag('background') }, async (job) => {
      log.warn(`${context.actor.name} deletes all nodes and relationships`);
      const deleted = { nodes: 0, relationships: 0 };
      for (let round = 0; round < ROUNDS; round++) {
        const before = deleted.nodes;
        await clear(context, job, deleted);
        if (deleted.nodes === before && round > 0) break;
      }
      await context.graph.forget();
      await context.graph.caches.flush();
      const counts = `${String(deleted.nodes)} nodes and ${String(deleted.relationships)} relationships`;
      log.warn(`${counts} are deleted; the initial user is made at the next start`);
      return deleted;
    });
  },
};

interface Deleted {
  nodes: number;
  relationships: number;
}

async function clear(context: CommandContext, job: JobControl, deleted: Deleted): Promise<void> {
  const { schema } = context.schemas;
  const users = schema.type('Principal')?.concreteTypes ?? [];
  const meta = [...META_TYPES];
  const isAdmin: Predicate = { op: 'equals', key: 'isAdmin', value: true };
  // Before the nodes: one may have a million of them, which must not go in one transaction.
  await deleteAll(context, job, deleted, 'deleting relationships', {
    kind: 'relationships',
    where: no({ op: 'in', key: 'type', values: neededRelations(schema, users) }),
  });
  await deleteAll(context, job, deleted, 'deleting nodes', {
    kind: 'nodes',
    where: no({ op: 'in', key: 'type', values: [...meta, ...users] }),
  });
  await deleteSchema(context, job, deleted, meta);
  await deleteAll(context, job, deleted, 'deleting users', { kind: 'nodes', where: no(isAdmin) });
  await deleteAll(context, job, deleted, 'deleting administrators', { kind: 'nodes' });
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

async function deleteAll(
  context: CommandContext,
  job: JobControl,
  deleted: Deleted,
  phase: string,
  query: NodeQuery | RelationshipQuery,
): Promise<void> {
  const { graph, actor } = context;
  job.phase(phase, (await graph.read((tx) => tx.count(query), { timeout: 0 })).count);
  const origin = { door: 'command', userId: actor.id, userName: actor.name, reason: `maintenance ${NAME}` } as const;
  for (;;) {
    await job.checkpoint();
    const ids = await graph.read(
      async (tx) => {
        const some: string[] = [];
        let size = 0;
        for await (const batch of tx.stream({ ...query, limit: MOST })) {
          for (const entity of batch) {
            if (some.length > 0 && size > MOST_BYTES) return some;
            some.push(entity.id);
            size += sizeOfEntity(entity);
          }
        }
        return some;
      },
      { timeout: 0, signal: job.signal },
    );
    if (ids.length === 0) return;
    await graph.write(
      async (tx) => {
        if (query.kind === 'nodes') {
          for (const node of await tx.nodes(ids)) if (node !== undefined) await tx.deleteNode(node.id);
        } else for (const id of ids) if ((await tx.relationship(id)) !== undefined) await tx.deleteRelationship(id);
        for (const { verb } of tx.changes()) {
          if (verb === 'delete') deleted.nodes++;
          else if (verb === 'unlink') deleted.relationships++;
        }
      },
      { timeout: 0, origin },
    );
    job.chunk({ objects: ids.length });
  }
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
      const verbs = tx.changes().map(({ verb }) => verb);
      return {
        nodes: verbs.filter((verb) => verb === 'delete').length,
        relationships: verbs.filter((verb) => verb === 'unlink').length,
      };
    },
    { timeout: 0 },
    { quietly: true, methods: false },
  );
  deleted.nodes += counts.nodes;
  deleted.relationships += counts.relationships;
  job.chunk({ objects: counts.nodes });
}
