/** Scripts that come with an import (docs/interface/imports.md 3.1): `transforms` of its cells, and `onFinish`. */
import type { Actor } from '../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import type { FilesContext } from '../context.js';
import { FilesError } from '../errors.js';
import { JobError } from '../jobs/job.js';
import { rightsNow, type Rights } from '../jobs/rights.js';
import type { ImportScripts, TransformedCell } from './script-runner.js';
import { isAboutInput } from './batch.js';
import { objectIn, textIn } from './parameters.js';

/** Longer ones are no scripts for a cell. */
const LONGEST = 1024 * 1024;

/** Scripts that the parameters of an import hold, by the properties that they are for, and the one for its end. */
export interface ScriptsOfImport {
  readonly transforms: ReadonlyMap<string, string>;
  readonly onFinish: string | undefined;
}

/**
 * Reads `transforms` and `onFinish`. Throws `FilesError`: 400 for what is no text, 422 for a script that cannot be read, and 403
 * for scripts of anybody but administrators: what a script may do is not bounded by the rights of who wrote it (`doPrivileged`).
 */
export async function scriptsOf(context: FilesContext, actor: Actor, input: JsonObject): Promise<ScriptsOfImport> {
  const transforms = new Map<string, string>();
  for (const [property, source] of Object.entries(objectIn(input['transforms'] ?? {}, 'transforms'))) {
    if (source !== null && source !== '') transforms.set(property, textIn(source, `transforms.${property}`));
  }
  const { onFinish: finish } = input;
  const onFinish = finish === undefined || finish === null || finish === '' ? undefined : textIn(finish, 'onFinish');
  const all = [...transforms].map(([property, source]): [string, string] => [`transforms.${property}`, source]);
  if (onFinish !== undefined) all.push(['onFinish', onFinish]);
  if (all.length > 0 && !actor.isAdmin) {
    throw new FilesError(403, `Only administrators may import with scripts ("transforms", "onFinish").`);
  }
  for (const [key, source] of all) {
    const problem =
      source.length > LONGEST
        ? `it is longer than ${String(LONGEST)} characters`
        : await runner(context).problemIn(source);
    if (problem !== undefined) throw new FilesError(422, `The script "${key}" cannot be read: ${problem}.`);
  }
  return { transforms, onFinish };
}

function runner({ importScripts }: FilesContext): ImportScripts {
  if (importScripts.current === undefined) {
    throw new FilesError(503, 'The service is starting; try again.', { 'Retry-After': '1' });
  }
  return importScripts.current;
}

/** The user's rights as they are now. Throws `JobError` when he administers no more. */
async function rightsForScripts(context: FilesContext, asked: Actor): Promise<Rights> {
  const rights = await rightsNow(context, asked);
  if (!rights.actor.isAdmin) throw new JobError(`The user ${asked.name} may run no scripts any more.`);
  return rights;
}

/** The results of the scripts for the cells of a row. Throws `TransformError` for what is wrong with this row. */
export async function transformed(
  context: FilesContext,
  asked: Actor,
  row: string,
  cells: readonly TransformedCell[],
  signal: AbortSignal,
): Promise<readonly JsonValue[]> {
  const rights = await rightsForScripts(context, asked);
  try {
    return await runner(context).transform(`${row} of the import`, cells, rights, signal);
  } catch (error) {
    if (!(error instanceof JobError || isAboutInput(error))) throw error;
    throw new TransformError(`${row}: ${error.message}`, error instanceof JobError ? error.tokens : [], {
      cause: error,
    });
  }
}

/** A row that cannot be imported because of what its scripts say. */
export class TransformError extends JobError {}

/** What a job is to do at its end. */
export function finishing(
  context: FilesContext,
  asked: Actor,
  { onFinish }: ScriptsOfImport,
): ((info: JsonObject, signal: AbortSignal) => Promise<void>) | undefined {
  if (onFinish === undefined) return undefined;
  return async (info, signal) => {
    const rights = await rightsForScripts(context, asked);
    await runner(context).finish('onFinish of the import', onFinish, info, rights, signal);
  };
}
