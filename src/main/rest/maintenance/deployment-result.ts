/** How commands that deploy answer: when their job has ended, or with `background` at once (docs/interface/deployment.md 3.1). */
import { refusalOf } from '../../deployment/index.js';
import type { Job } from '../../files/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { RestError } from '../errors.js';

/** The result of a command: nothing, or why nothing has begun. Throws `RestError` for a job that has failed, or was aborted. */
export async function resultOf(job: Job, input: JsonObject, stays: string): Promise<readonly JsonValue[]> {
  if (input['background'] === true) return [{ jobId: job.id }];
  await job.ended;
  if (job.status !== 'FINISHED')
    throw new RestError(
      job.status === 'ABORTED' ? 409 : 422,
      job.exception?.message ?? `The deployment was aborted; ${stays}.`,
      job.exception?.tokens,
    );
  const refused = refusalOf(job);
  return refused === undefined ? [] : [refused];
}
