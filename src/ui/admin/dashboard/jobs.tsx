/** Work in the background, wherever it was begun (docs/interface/imports.md 4). */
import type { ReactNode } from 'react';
import { Button } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { useAgainAndAgain } from '../server/again-and-again.js';
import { JobState, useJobName } from '../parts/job-words.js';
import { actOn, isOver, loadJobs, notesOf, type Job } from '../server/jobs.js';
import { useTexts } from '../texts/index.js';
import type { TextKey } from '../texts/en.js';

const PAUSE_MS = 2_000;
const SHOWN = 10;

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
export function Jobs(): ReactNode {
  const { t } = useTexts();
  const nameOf = useJobName();
  const { value: jobs, problem, now } = useAgainAndAgain(loadJobs, PAUSE_MS);
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
        <div className="jobs" tabIndex={0} role="region" aria-label={t('jobs.title')}>
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
                    {nameOf(job)}
                    {(job.filepath ?? '') === '' ? null : <small className="soft">{job.filepath}</small>}
                  </th>
                  <td>{job.username}</td>
                  <td>
                    <JobState job={job} />
                    {job.exception?.message === undefined ? null : (
                      <small className="wrong"> {job.exception.message}</small>
                    )}
                    {isOver(job) && notesOf(job).length > 0 ? <Notes job={job} /> : null}
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
                          void work.run(() => actOn(job.jobId, action).then(now));
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
        </div>
      )}
    </section>
  );
}

function Notes({ job }: { readonly job: Job }): ReactNode {
  const { t } = useTexts();
  const nameOf = useJobName();
  return (
    <details>
      <summary>{t('jobs.details', { name: nameOf(job) })}</summary>
      <ul className="notes">
        {notesOf(job).map((note, i) => (
          <li key={i}>{note}</li>
        ))}
      </ul>
    </details>
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
