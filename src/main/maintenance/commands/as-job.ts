/** Long commands are jobs of one lane: they go on when their client has gone, can be looked at and ended, one runs at a time. */
import type { JobControl } from '../../files/index.js';
import type { JsonValue } from '../../../shared/json/index.js';
import { CommandError, type CommandContext } from './command.js';

/** Of the commands of an instance one runs at a time. */
const LANE = 'maintenance';

/**
 * Runs the work of a command. Without `background` the answer comes when it has ended, and throws `CommandError` when it has failed (500)
 * or was aborted (409); with it at once, and is the id of the job. What the work returns is the job's result; `tells`: it is that of
 * the command, too.
 */
export async function asJob(
  { files, actor }: Pick<CommandContext, 'files' | 'actor'>,
  command: string,
  { background, tells = false }: { readonly background: boolean; readonly tells?: boolean },
  run: (job: JobControl) => Promise<JsonValue>,
): Promise<readonly JsonValue[]> {
  const job = files.jobs.submit({ jobtype: 'MAINTENANCE', name: command, lane: LANE, actor, run });
  if (background) return [{ jobId: job.id }];
  await job.ended;
  if (job.status === 'FINISHED') return tells && job.result !== undefined ? [job.result] : [];
  const why = job.exception?.message ?? 'it was aborted; what was done until then stays';
  throw new CommandError(
    job.status === 'ABORTED' ? 409 : 500,
    `${command} (job ${String(job.id)}) has not finished: ${why}`,
  );
}
