/** What jobs are called, and how they are, in the language of who reads. */
import type { ReactNode } from 'react';
import { Badge } from '../../common/parts.js';
import { wentWrong, type Job } from '../server/jobs.js';
import { useTexts } from '../texts/index.js';

const TYPES = [
  'CSV',
  'XML',
  'ARCHIVE',
  'UNARCHIVE',
  'DIRECT_IMPORT',
  'DEPLOYMENT_EXPORT',
  'DEPLOYMENT_IMPORT',
  'DEPLOYMENT_DATA_EXPORT',
  'DEPLOYMENT_DATA_IMPORT',
  'SYNC_EXPORT',
  'SYNC_IMPORT',
] as const;
const STATES = ['QUEUED', 'RUNNING', 'WAIT_PAUSE', 'PAUSED', 'WAIT_ABORT', 'FINISHED', 'ABORTED', 'FAILED'] as const;
const KINDS: Readonly<Record<string, 'good' | 'warn' | 'wrong'>> = {
  FINISHED: 'good',
  FAILED: 'wrong',
  ABORTED: 'warn',
  PAUSED: 'warn',
};

/** The name of a job: its own, else what its type is called; a type without a word as it is. */
export function useJobName(): (job: Job) => string {
  const { t } = useTexts();
  return ({ jobName, jobtype }) => {
    const known = TYPES.find((type) => type === jobtype);
    return jobName ?? (known === undefined ? jobtype : t(`job.${known}`));
  };
}

export function JobState({ job }: { readonly job: Job }): ReactNode {
  const { t } = useTexts();
  // One that was not begun has ended by itself.
  const state = wentWrong(job) ? 'FAILED' : job.status;
  const known = STATES.find((one) => one === state);
  return <Badge kind={KINDS[state] ?? 'plain'}>{known === undefined ? state : t(`job.${known}`)}</Badge>;
}
