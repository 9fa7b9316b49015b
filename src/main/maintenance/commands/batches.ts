/** Many objects changed in transactions of bounded size, beside the traffic. */
import type { JobControl } from '../../files/index.js';
import {
  GraphError,
  type EntityOf,
  type NodeQuery,
  type Query,
  type ReadTransaction,
  type RelationshipQuery,
  type WriteTransaction,
} from '../../graph/index.js';
import { ObjectTransaction, SchemaError, type WriteOptions } from '../../schema/index.js';
import { logger } from '../../../shared/log.js';
import type { JsonObject } from '../../../shared/json/index.js';
import type { CommandContext } from './command.js';

const log = logger('maintenance');

/** Objects of one transaction: it has the writer for about a tenth of a second. */
export const BATCH = 1000;
/** Objects that could not be changed and are named in the log. */
const MOST_TOLD = 100;

/** Objects to be changed. */
export interface Pass<Q extends Query> {
  /** What clients see of it: `Setting properties`. */
  readonly phase: string;
  /** Without order and limit. */
  readonly query: Q;
  /** Objects of one transaction; default `BATCH`. */
  readonly size?: number;
  /** Changes one, as it is in the transaction; whether anything was to be changed. What `SchemaError` says is told, and the others go on. */
  change(objects: ObjectTransaction, entity: EntityOf<Q>): Promise<boolean>;
}

/** What came of it. */
export interface Changed {
  looked: number;
  changed: number;
  failed: number;
}

/** The same as the result of a job. */
export function resultOf({ looked, changed, failed }: Changed): JsonObject {
  return { looked, changed, failed };
}

/** Settings of what a command writes; commits name it. */
export function writing({ write }: Pick<CommandContext, 'write'>, command: string): WriteOptions {
  return { ...write(), door: 'command', reason: `maintenance ${command}` };
}

/**
 * Changes all objects that a query finds: those that are there when it comes to them. Methods of users do not run; rules and checks do
 * for objects that `change` writes as typed ones. One that cannot be changed is a problem of the job and stays as it is.
 */
export async function changeAll<Q extends NodeQuery | RelationshipQuery>(
  context: CommandContext,
  job: JobControl,
  command: string,
  pass: Pass<Q>,
): Promise<Changed> {
  const { graph } = context;
  const counts: Changed = { looked: 0, changed: 0, failed: 0 };
  const { size = BATCH } = pass;
  await graph.read(
    async (tx) => {
      job.phase(pass.phase, (await tx.count(pass.query)).count);
      let ids: string[] = [];
      const flush = async (): Promise<void> => {
        await job.checkpoint();
        const some = ids;
        ids = [];
        const changed = await changeSome(context, job, command, pass, some, counts);
        counts.looked += some.length;
        counts.changed += changed;
        job.chunk({ objects: some.length, ignored: some.length - changed });
      };
      for await (const batch of tx.stream(pass.query)) {
        for (const { id } of batch) {
          ids.push(id);
          if (ids.length >= size) await flush();
        }
      }
      if (ids.length > 0) await flush();
    },
    { timeout: 0, signal: job.signal },
  );
  return counts;
}

/** All as one transaction, or those that can be, each on its own. */
async function changeSome<Q extends NodeQuery | RelationshipQuery>(
  context: CommandContext,
  job: JobControl,
  command: string,
  pass: Pass<Q>,
  ids: readonly string[],
  counts: Changed,
): Promise<number> {
  const { schemas, actor, access } = context;
  const options = writing(context, command);
  const quiet = { quietly: true, methods: false };
  const tell = (id: string, error: Error): void => {
    const message = `${id}: ${described(error)}`;
    job.problem(message);
    if (++counts.failed <= MOST_TOLD) log.warn(`${command} left ${message}`);
  };
  try {
    return await schemas.write(
      actor,
      access,
      options,
      async (objects) => {
        let changed = 0;
        for (const entity of await found(objects.tx, pass.query, ids)) {
          if (await pass.change(objects, entity)) changed++;
        }
        return changed;
      },
      undefined,
      quiet,
    );
  } catch (error) {
    if (!isAboutObjects(error)) throw error;
  }
  try {
    return await schemas.write(
      actor,
      access,
      options,
      async ({ tx, schema }) => {
        let changed = 0;
        for (const entity of await found(tx, pass.query, ids)) {
          try {
            const did = await tx.savepoint(async () => {
              const objects = new ObjectTransaction(tx, schema, actor, access, options);
              const one = await pass.change(objects, entity);
              await objects.finish();
              return one;
            });
            if (did) changed++;
          } catch (error) {
            if (!isAboutObjects(error)) throw error;
            tell(entity.id, error);
          }
        }
        return changed;
      },
      undefined,
      quiet,
    );
  } catch (error) {
    // What is wrong with all of them together: a schema that would not compile.
    if (!isAboutObjects(error)) throw error;
    for (const id of ids) tell(id, error);
    return 0;
  }
}

/** Those that are there and that the query still finds. */
async function found<Q extends NodeQuery | RelationshipQuery>(
  tx: ReadTransaction | WriteTransaction,
  query: Q,
  ids: readonly string[],
): Promise<EntityOf<Q>[]> {
  const among = { op: 'in', key: 'id', values: ids } as const;
  const where = query.where === undefined ? among : ({ op: 'and', terms: [among, query.where] } as const);
  return tx.find({ ...query, where });
}

/** Whether what is stored is to blame, and not the storage or the database. */
function isAboutObjects(error: unknown): error is Error {
  return error instanceof SchemaError || (error instanceof GraphError && error.code === 'already_taken');
}

function described(error: Error): string {
  if (!(error instanceof SchemaError)) return error.message;
  const details = error.tokens.map(({ property, token }) => [property, token].filter(Boolean).join(' '));
  return details.length === 0 ? error.message : `${error.message} (${details.join(', ')})`;
}
