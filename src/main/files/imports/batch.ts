/** What an import reads, written as its user in transactions of bounded size. */
import { GraphError } from '../../graph/index.js';
import {
  ObjectTransaction,
  prepareInput,
  SchemaError,
  type Actor,
  type ErrorToken,
  type Schema,
  type Type,
} from '../../schema/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import type { FilesContext } from '../context.js';
import { FilesError } from '../errors.js';
import { RequestContents } from '../upload/input-contents.js';
import { JobError, type JobControl } from '../jobs/job.js';
import { rightsNow, type Rights } from '../jobs/rights.js';
import { through } from '../writing.js';

/** One object, or what belongs together, of a file. */
export interface Item {
  /** What errors call it: `Row 12 (line 13)`. */
  readonly name: string;
  /** Objects to be made of it, with their types. */
  readonly inputs: readonly { readonly type: Type; readonly input: JsonObject }[];
}

/** How an import writes. */
export interface Writer<T extends Item> {
  /** Names of all types that it makes objects of. */
  readonly types: readonly string[];
  /** Items that cannot be written are left out and told; otherwise the first one ends the import. */
  readonly ignoreInvalid: boolean;
  /** Writes one; returns how many objects it made. */
  write(objects: ObjectTransaction, item: T): Promise<number>;
}

/** What came of items: objects made, and items that any were made of. */
interface Tally {
  created: number;
  used: number;
}

/** Writes items as one transaction, with the rights their user has now. Throws `JobError` naming the first bad one. */
export async function writeBatch<T extends Item>(
  context: FilesContext,
  job: JobControl,
  asked: Actor,
  items: readonly T[],
  writer: Writer<T>,
): Promise<void> {
  if (items.length === 0) return;
  const rights = await rightsNow(context, asked);
  await mayCreate(context, rights.actor, writer.types);
  const contents = new RequestContents(context, rights.actor);
  let published = false;
  try {
    const good = await prepareAll(context, job, contents, items, writer);
    const options = { ...through('import', `job ${String(job.id)}`, context), contents };
    const one = async (objects: ObjectTransaction, item: T, tally: Tally): Promise<void> => {
      const made = await writer.write(objects, item);
      tally.created += made;
      if (made > 0) tally.used++;
    };
    let tally: Tally;
    try {
      // Others write meanwhile; what it has counted counts once, however often it is done.
      tally = await context.schemas.writeLast(rights.actor, rights.access, options, async (objects) => {
        const own = { created: 0, used: 0 };
        for (const item of good) await one(objects, item, own);
        return own;
      });
    } catch (error) {
      if (!isAboutInput(error)) throw error;
      // Which item it was is found out by writing each on its own.
      tally = await writeEach(context, job, rights, options, good, writer, one);
    }
    published = true;
    job.chunk({ objects: items.length, created: tally.created, ignored: items.length - tally.used });
  } finally {
    await contents.end(published);
  }
}

/**
 * Who is no administrator makes by an import what he could make by REST: objects of types to whose endpoint he may send
 * them. Throws `FilesError` 403.
 */
export async function mayCreate(
  { security }: Pick<FilesContext, 'security'>,
  actor: Actor,
  types: readonly string[],
): Promise<void> {
  for (const type of types) {
    try {
      await security.resourceAccess.check(actor, type, 'POST', `import of ${type}`);
    } catch {
      throw new FilesError(403, `To import objects of type ${type} you need the permission to POST to ${type}.`);
    }
  }
}

/** The type of this name. Throws `FilesError` 422. */
export function typeNamed(schema: Schema, name: string): Type {
  const type = schema.type(name);
  if (type === undefined || type.isServiceClass || (type.traitOnly && type.kind === 'node'))
    throw new FilesError(422, `There is no type ${name} that objects can have.`);
  return type;
}

async function prepareAll<T extends Item>(
  context: FilesContext,
  job: JobControl,
  contents: RequestContents,
  items: readonly T[],
  writer: Writer<T>,
): Promise<T[]> {
  const { schema } = context.schemas;
  const { passwords } = context.write();
  const good: T[] = [];
  for (const item of items) {
    try {
      for (const { type, input } of item.inputs) {
        await prepareInput(schema, type, input, { passwords, contents });
      }
      good.push(item);
    } catch (error) {
      refuse(job, item, error, writer);
    }
  }
  return good;
}

async function writeEach<T extends Item>(
  { schemas }: FilesContext,
  job: JobControl,
  { actor, access }: Rights,
  options: ObjectTransaction['options'],
  items: readonly T[],
  writer: Writer<T>,
  one: (objects: ObjectTransaction, item: T, tally: Tally) => Promise<void>,
): Promise<Tally> {
  return schemas.write(actor, access, options, async ({ tx, schema }) => {
    const tally = { created: 0, used: 0 };
    for (const item of items) {
      const own = { created: 0, used: 0 };
      try {
        await tx.savepoint(async () => {
          const objects = new ObjectTransaction(tx, schema, actor, access, options);
          await one(objects, item, own);
          await objects.finish();
        });
        tally.created += own.created;
        tally.used += own.used;
      } catch (error) {
        refuse(job, item, error, writer);
      }
    }
    return tally;
  });
}

function refuse(
  job: JobControl,
  { name }: Item,
  error: unknown,
  { ignoreInvalid }: { readonly ignoreInvalid: boolean },
) {
  if (!isAboutInput(error)) throw error;
  const tokens = error instanceof SchemaError ? error.tokens : [];
  const message = `${name}: ${messageOf(error, tokens)}`;
  if (!ignoreInvalid) throw new JobError(message, tokens, { cause: error });
  job.problem(message);
}

/** Whether what was sent is to blame, and not the storage or the database. */
export function isAboutInput(error: unknown): error is Error {
  return error instanceof SchemaError || (error instanceof GraphError && error.code === 'already_taken');
}

function messageOf({ message }: Error, tokens: readonly ErrorToken[]): string {
  const details = tokens.map(({ property, token }) => [property, token].filter((word) => word !== undefined).join(' '));
  return details.length === 0 ? message : `${message} (${details.join(', ')})`;
}
