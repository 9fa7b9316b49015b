/** Everything that a query finds is deleted, in transactions of bounded size, past the rules of types. */
import {
  sizeOfEntity,
  type NodeQuery,
  type Origin,
  type RelationshipQuery,
  type WriteTransaction,
} from '../../graph/index.js';
import type { JobControl } from '../../files/index.js';
import type { CommandContext } from './command.js';

/** Objects deleted in one transaction, and bytes of them, about: they are in memory until its end. */
const MOST = 5000;
const MOST_BYTES = 16 * 1024 * 1024;

/** What was deleted: a node takes its relationships with it. */
export interface Deleted {
  nodes: number;
  relationships: number;
}

/** Who sets off what a command writes past typed objects. */
export function originOf({ actor }: Pick<CommandContext, 'actor'>, command: string): Origin {
  return { door: 'command', userId: actor.id, userName: actor.name, reason: `maintenance ${command}` };
}

/** Deletes until nothing is found any more. */
export async function deleteAll(
  context: CommandContext,
  job: JobControl,
  deleted: Deleted,
  command: string,
  phase: string,
  query: NodeQuery | RelationshipQuery,
): Promise<void> {
  const { graph } = context;
  job.phase(phase, (await graph.read((tx) => tx.count(query), { timeout: 0 })).count);
  const origin = originOf(context, command);
  for (;;) {
    await job.checkpoint();
    const ids = await idsOf(context, job, query);
    if (ids.length === 0) return;
    const done = await graph.write(
      async (tx) => {
        await deleteIn(tx, query.kind, ids);
        return countsOf(tx.changes());
      },
      { timeout: 0, origin },
    );
    deleted.nodes += done.nodes;
    deleted.relationships += done.relationships;
    job.chunk({ objects: ids.length });
  }
}

async function deleteIn(tx: WriteTransaction, kind: 'nodes' | 'relationships', ids: readonly string[]): Promise<void> {
  const together = kind === 'nodes' ? tx.deleteNodes?.(ids) : tx.deleteRelationships?.(ids);
  if (together !== undefined) return together;
  if (kind === 'nodes') {
    for (const node of await tx.nodes(ids)) if (node !== undefined) await tx.deleteNode(node.id);
  } else for (const id of ids) if ((await tx.relationship(id)) !== undefined) await tx.deleteRelationship(id);
}

/** Ids of the next ones. */
function idsOf(
  { graph }: CommandContext,
  job: JobControl,
  query: NodeQuery | RelationshipQuery,
): Promise<readonly string[]> {
  return graph.read(
    async (tx) => {
      const ids: string[] = [];
      let size = 0;
      for await (const batch of tx.stream({ ...query, limit: MOST })) {
        for (const entity of batch) {
          if (ids.length > 0 && size > MOST_BYTES) return ids;
          ids.push(entity.id);
          size += sizeOfEntity(entity);
        }
      }
      return ids;
    },
    { timeout: 0, signal: job.signal },
  );
}

/** What a list of changes says of deletions. */
export function countsOf(changes: readonly { readonly verb: string }[]): Deleted {
  const deleted = { nodes: 0, relationships: 0 };
  for (const { verb } of changes) {
    if (verb === 'delete') deleted.nodes++;
    else if (verb === 'unlink') deleted.relationships++;
  }
  return deleted;
}
