/** One run of a deployment: how far it is, and its log line by line, as its job tells it. */
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { Button, Notice } from '../../common/parts.js';
import { JobState, useJobName } from '../parts/job-words.js';
import { actOn, isOver, loadJob, loadJobs, notesOf, wentWrong, type Job } from '../server/jobs.js';
import { useFormats, useTexts } from '../texts/index.js';

const PAUSE_MS = 500;

export interface Run {
  /** As it was seen last. */
  readonly job: Job | undefined;
  /** Follows a job that is known, or the next one of a type that is begun from now on. Resolves when it is known which are there now. */
  readonly follow: (what: { readonly id: number } | { readonly type: string }) => Promise<void>;
  /** What is shown stays; a job that has not begun is waited for no more. */
  readonly stop: () => void;
}

export function useRun(): Run {
  const [job, setJob] = useState<Job>();
  const turn = useRef(0);
  const stop = useCallback(() => {
    turn.current++;
  }, []);
  useEffect(() => stop, [stop]);
  const follow = useCallback<Run['follow']>(async (what) => {
    const mine = ++turn.current;
    setJob(undefined);
    let id = 'id' in what ? what.id : undefined;
    const before = 'id' in what ? 0 : Math.max(0, ...(await loadJobs()).map(({ jobId }) => jobId));
    const look = async (): Promise<void> => {
      if (mine !== turn.current) return;
      try {
        if ('type' in what)
          id ??= (await loadJobs()).find(({ jobId, jobtype }) => jobId > before && jobtype === what.type)?.jobId;
        if (id !== undefined) {
          const now = await loadJob(id);
          if (mine !== turn.current) return;
          setJob(now);
          if (isOver(now)) return;
        }
      } catch {
        // The connection is told of elsewhere; the job goes on.
      }
      setTimeout(() => void look(), PAUSE_MS);
    };
    void look();
  }, []);
  return { job, follow, stop };
}

/** Says that a run has failed or was not begun, and why. */
export function RunRefused({ run: { job } }: { readonly run: Run }): ReactNode {
  const { t } = useTexts();
  if (job === undefined || !isOver(job) || !wentWrong(job)) return null;
  return <Notice kind="wrong">{t('deploy.refused', { why: notesOf(job).at(-1) ?? '' })}</Notice>;
}

export function RunLog({ run: { job } }: { readonly run: Run }): ReactNode {
  const { t } = useTexts();
  const { number, time } = useFormats();
  const nameOf = useJobName();
  if (job === undefined) return null;
  const { phase, phases = [], phaseObjects, phaseTotal, timeLeft, duration } = job;
  const over = isOver(job);
  const notes = over ? notesOf(job) : [];
  return (
    <div className="run">
      <p>
        <strong>{nameOf(job)}</strong> <JobState job={job} />{' '}
        {over && typeof duration === 'number' ? <span className="soft">{number(duration / 1000)} s</span> : null}
        {!over && typeof phaseTotal === 'number' && typeof phaseObjects === 'number' ? (
          <progress max={phaseTotal} value={phaseObjects} aria-label={phase ?? t('jobs.progress')} />
        ) : null}
        {!over && typeof timeLeft === 'number' ? (
          <span className="soft"> {number(Math.ceil(timeLeft / 1000))} s</span>
        ) : null}
        {over ? null : (
          <Button
            onClick={() => {
              // What does not apply any more has ended meanwhile, which is shown.
              actOn(job.jobId, 'abort').catch(() => undefined);
            }}
          >
            {t('jobs.abort')}
          </Button>
        )}
      </p>
      <div className="log run-log" role="log" tabIndex={0} aria-label={t('deploy.log')}>
        {phases.map(({ phase: name, begun }, i) => (
          <div key={i} className="line">
            <span className="soft">{time(begun)}</span> {name}
            {i === phases.length - 1 && typeof phaseObjects === 'number' && phaseObjects > 0
              ? ` (${number(phaseObjects)})`
              : ''}
          </div>
        ))}
        {notes.map((note, i) => (
          <div
            key={`note ${String(i)}`}
            className={wentWrong(job) && i === notes.length - 1 ? 'line error' : 'line warn'}
          >
            {note}
          </div>
        ))}
      </div>
    </div>
  );
}
