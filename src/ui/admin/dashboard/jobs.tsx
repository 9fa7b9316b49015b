/** Work in the background, wherever it was begun (docs/interface/imports.md 4). */
import type { ReactNode } from 'react';
import { Badge, Button } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { useAgainAndAgain } from '../server/again-and-again.js';
import { call, read } from '../server/rest.js';
import { useTexts } from '../texts/index.js';
import type { TextKey } from '../texts/en.js';

const PAUSE_MS = 2_000;
const SHOWN = 10;

interface Job {
  readonly jobId: number;
  readonly jobtype: string;
  readonly jobName?: string | null;
  readonly username?: string | null;
  readonly filepath?: string | null;
  readonly status: string;
  readonly processedObjects?: number;
  readonly phase?: string | null;
  readonly phaseObjects?: number | null;
  readonly phaseTotal?: number | null;
  readonly problemCount?: number;
  readonly exception?: { readonly message?: string } | null;
}

const ACTIONS: Readonly<Record<string, readonly (readonly [action: string, title: TextKey])[]>> = {
  QUEUED: [['cancel', 'jobs.abort']],
  RUNNING: [
    ['pause', 'jobs.pause'],
    ['abort', 'jobs.abort'],
  ],
  PAUSED: [
    ['resume', 'jobs.resume'],
    ['abort', 'jobs.abort'],
  ],
};
const KINDS: Readonly<Record<string, 'good' | 'warn' | 'wrong' | 'plain'>> = {
  FINISHED: 'good',
  FAILED: 'wrong',
  ABORTED: 'warn',
  PAUSED: 'warn',
};

export function Jobs(): ReactNode {
  const { t } = useTexts();
  const { value: jobs, problem, now } = useAgainAndAgain(() => read<readonly Job[]>('jobs'), PAUSE_MS);
  const work = useWork();
  if (jobs === undefined && (problem?.status === 401 || problem?.status === 403)) return null;
  const shown = [...(jobs ?? [])].sort((a, b) => b.jobId - a.jobId).slice(0, SHOWN);
  return (
    <section className="card">
      <h2>{t('jobs.title')}</h2>
      <Trouble problem={work.problem ?? problem} />
      {shown.length === 0 ? (
        <p className="soft">{t('jobs.none')}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{t('jobs.work')}</th>
              <th scope="col">{t('jobs.user')}</th>
              <th scope="col">{t('jobs.state')}</th>
              <th scope="col">{t('jobs.progress')}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {shown.map((job) => (
              <tr key={job.jobId}>
                <th scope="row">
                  {job.jobName ?? job.jobtype}
                  {(job.filepath ?? '') === '' ? null : <small className="soft">{job.filepath}</small>}
                </th>
                <td>{job.username}</td>
                <td>
                  <Badge kind={KINDS[job.status] ?? 'plain'}>{job.status}</Badge>
                  {job.exception?.message === undefined ? null : (
                    <small className="wrong">{job.exception.message}</small>
                  )}
                </td>
                <td>
                  <Progress job={job} />
                  {(job.problemCount ?? 0) === 0 ? null : (
                    <small className="soft">{t('jobs.problems', { n: job.problemCount ?? 0 })}</small>
                  )}
                </td>
                <td className="actions">
                  {(ACTIONS[job.status] ?? []).map(([action, title]) => (
                    <Button
                      key={action}
                      disabled={work.busy}
                      onClick={() => {
                        void work.run(() => call(`jobs/${String(job.jobId)}/${action}`).then(now));
                      }}
                    >
                      {t(title)}
                    </Button>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Progress({ job }: { readonly job: Job }): ReactNode {
  const { t } = useTexts();
  const { phase, phaseObjects, phaseTotal, processedObjects = 0 } = job;
  if (job.status === 'RUNNING' && typeof phaseTotal === 'number' && typeof phaseObjects === 'number')
    return (
      <>
        {phase} <progress max={phaseTotal} value={phaseObjects} aria-label={phase ?? t('jobs.progress')} />
      </>
    );
  return t('jobs.objects', { n: processedObjects });
}
