import type { Job } from '../../files/index.js';
import { RestError } from '../errors.js';

/** Resolves when a job has done its work. Throws `RestError` when it has failed or was ended; `what` begins the sentence. */
export async function ended(job: Job, what: string): Promise<void> {
  await job.ended;
  if (job.status === 'FINISHED') return;
  const why = job.exception?.message ?? 'it was aborted; what was done until then stays';
  throw new RestError(job.status === 'ABORTED' ? 409 : 500, `${what} (job ${String(job.id)}) has not finished: ${why}`);
}
