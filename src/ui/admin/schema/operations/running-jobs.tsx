/** The jobs of maintenance commands, with their progress; those of others too. */
import { type ReactNode, useEffect, useRef } from 'react';
import { Badge, Button, Notice } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { useAgainAndAgain } from '../../server/again-and-again.js';
import { call, read } from '../../server/rest.js';
import { useFormats } from '../../texts/index.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { operationTexts } from '../../texts/schema-operations.js';

const PAUSE_MS = 1_000;
const SHOWN = 10;

interface Job {
  readonly jobId: number;
  readonly jobtype: string;
  readonly jobName?: string | null;
  readonly status: string;
  readonly processedObjects?: number;
  readonly phase?: string | null;
  readonly phaseObjects?: number | null;
  readonly phaseTotal?: number | null;
  readonly problemCount?: number;
  readonly problems?: readonly unknown[];
  readonly result?: unknown;
  readonly exception?: { readonly message?: string } | null;
}

const BADGES: Readonly<Record<string, 'good' | 'wrong' | 'warn' | 'plain'>> = {
  FINISHED: 'good',
  FAILED: 'wrong',
  ABORTED: 'warn',
};
const isOver = (status: string): boolean => status in BADGES;

/** `begun`: titles of the jobs that were begun here. `done`: what has ended at once. */
export function RunningJobs({
  begun,
  done,
  onEnded,
}: {
  readonly begun: ReadonlyMap<number, string>;
  readonly done: string | undefined;
  readonly onEnded: () => void;
}): ReactNode {
  const { t } = useAreaTexts(operationTexts);
  const { value: jobs, problem, now } = useAgainAndAgain(() => read<readonly Job[]>('jobs'), PAUSE_MS);
  const work = useWork();
  const seen = useRef(new Set<number>());
  useEffect(() => {
    now();
  }, [begun.size]);
  useEffect(() => {
    const ended =
      jobs?.filter(({ jobId, status }) => begun.has(jobId) && isOver(status) && !seen.current.has(jobId)) ?? [];
    for (const { jobId } of ended) seen.current.add(jobId);
    if (ended.length > 0) onEnded();
  }, [jobs]);
  const shown = (jobs ?? [])
    .filter(({ jobtype, jobId }) => jobtype === 'MAINTENANCE' || begun.has(jobId))
    .sort((a, b) => b.jobId - a.jobId)
    .slice(0, SHOWN);
  return (
    <div className="card">
      <h2>{t('commands.jobs')}</h2>
      {done === undefined ? null : <Notice kind="good">{t('commands.done', { title: done })}</Notice>}
      <Trouble problem={work.problem ?? problem} />
      {shown.length === 0 ? (
        <p className="soft">{t('commands.noJobs')}</p>
      ) : (
        <table className="schema-table framed">
          <thead>
            <tr>
              <th scope="col">{t('commands.command')}</th>
              <th scope="col">{t('commands.state')}</th>
              <th scope="col">{t('commands.progress')}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {shown.map((job) => (
              <tr key={job.jobId}>
                <th scope="row" className="long">
                  {begun.get(job.jobId) ?? job.jobName ?? job.jobtype}
                  <small className="soft">
                    {job.jobName} #{job.jobId}
                  </small>
                </th>
                <td>
                  <Badge kind={BADGES[job.status] ?? 'plain'}>{job.status}</Badge>
                </td>
                <td className="long">
                  <Progress job={job} />
                </td>
                <td className="actions">
                  {isOver(job.status) ? null : (
                    <Button
                      disabled={work.busy}
                      aria-label={`${t('commands.abort')}: #${String(job.jobId)}`}
                      onClick={() => {
                        const action = job.status === 'QUEUED' ? 'cancel' : 'abort';
                        void work.run(() => call(`jobs/${String(job.jobId)}/${action}`).then(now));
                      }}
                    >
                      {t('commands.abort')}
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function Progress({ job }: { readonly job: Job }): ReactNode {
  const { t } = useAreaTexts(operationTexts);
  const { number } = useFormats();
  const { phase, phaseObjects, phaseTotal, processedObjects = 0, problemCount = 0, exception, result } = job;
  if (!isOver(job.status) && typeof phaseTotal === 'number' && typeof phaseObjects === 'number')
    return (
      <>
        {phase}: {number(phaseObjects)} / {number(phaseTotal)}
        <progress max={phaseTotal} value={phaseObjects} aria-label={phase ?? t('commands.progress')} />
      </>
    );
  const counts = Object.entries(typeof result === 'object' && result !== null && !Array.isArray(result) ? result : {});
  return (
    <>
      {counts.length === 0
        ? t('commands.objects', { n: number(processedObjects) })
        : counts
            .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
            .join(', ')
            .slice(0, 300)}
      {problemCount === 0 ? null : (
        <small className="wrong">{t('commands.problems', { n: number(problemCount) })}</small>
      )}
      {exception?.message === undefined ? null : <small className="wrong">{exception.message}</small>}
    </>
  );
}
