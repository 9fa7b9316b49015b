/** Files with content, and jobs that work on them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.js';

/** Creates a file with this content; returns its uuid. */
export function fileWith(
  client: Client,
  name: string,
  content: string | Buffer,
  more: Record<string, unknown> = {},
): Promise<string> {
  return client.create('File', { name, base64Data: Buffer.from(content).toString('base64'), ...more });
}

/** What a job says of itself. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type JobInfo = any;

/** The job as it is once `test` holds. */
export async function untilJob(client: Client, id: number, test: (info: JobInfo) => boolean): Promise<JobInfo> {
  for (const end = Date.now() + 60_000; ; await sleep(10)) {
    const { body, status, text } = await client.get(`/jobs/${String(id)}`);
    if (status !== 200) throw new Error(`GET /jobs/${String(id)} answered ${String(status)}: ${text}`);
    if (test(body.result)) return body.result;
    if (Date.now() > end) throw new Error(`the job does not come to that: ${text}`);
  }
}

/** The job when it has ended. */
export function endedJob(client: Client, id: number): Promise<JobInfo> {
  return untilJob(client, id, ({ ended }) => ended !== null);
}
