/** Long work, wherever it was begun: what runs now, in the bar, and a word when something has ended. */
import { Popover } from '@base-ui/react/popover';
import { Toast } from '@base-ui/react/toast';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { RefusedError } from '../../common/request.js';
import { JobState, useJobName } from '../parts/job-words.js';
import { isOver, loadJobs, notesOf, wentWrong, type Job } from '../server/jobs.js';
import { useFormats, useTexts } from '../texts/index.js';
import { placeOf } from './place.js';

/** Between two looks: while something runs, and while nothing does. */
const BUSY_MS = 2_000;
const CALM_MS = 5_000;
/** So long a word stays; it can be read in the list later. */
const STAYS_MS = 8_000;
const SHOWN = 8;

export default function WorkNotices(): ReactNode {
  return (
    <Toast.Provider timeout={STAYS_MS} limit={3}>
      <Work />
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

/** The jobs, again and again; undefined: they are not for this user. */
function useJobs(onEnd: (job: Job) => void): readonly Job[] | undefined {
  const [jobs, setJobs] = useState<readonly Job[] | undefined>([]);
  const ended = useRef<ReadonlySet<number>>(undefined);
  const told = useRef(onEnd);
  told.current = onEnd;
  useEffect(() => {
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      let pause = CALM_MS;
      try {
        const next = document.visibilityState === 'visible' ? await loadJobs() : undefined;
        if (over) return;
        if (next !== undefined) {
          setJobs(next);
          const done = next.filter(isOver);
          const before = ended.current;
          // What had ended when the page was opened is no news.
          if (before !== undefined) for (const job of done) if (!before.has(job.jobId)) told.current(job);
          ended.current = new Set(done.map(({ jobId }) => jobId));
          if (next.length > done.length) pause = BUSY_MS;
        }
      } catch (error) {
        if (error instanceof RefusedError && (error.status === 401 || error.status === 403)) {
          setJobs(undefined);
          return;
        }
      }
      timer = setTimeout(() => void look(), pause);
    };
    void look();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, []);
  return jobs;
}

function Work(): ReactNode {
  const { t } = useTexts();
  const { number } = useFormats();
  const nameOf = useJobName();
  const { add } = Toast.useToastManager();
  const jobs = useJobs((job) => {
    const failed = wentWrong(job);
    add({
      title: t(failed ? 'work.failed' : job.status === 'ABORTED' ? 'work.aborted' : 'work.finished', {
        name: nameOf(job),
      }),
      description: failed ? (notesOf(job).at(-1) ?? '').slice(0, 300) : (job.filepath ?? ''),
      type: failed ? 'wrong' : 'good',
      ...(failed ? { priority: 'high', timeout: 0 } : {}),
    });
  });
  if (jobs === undefined) return null;
  const running = jobs.filter((job) => !isOver(job));
  const shown = [...jobs].sort((a, b) => b.jobId - a.jobId).slice(0, SHOWN);
  return (
    <Popover.Root>
      <Popover.Trigger className={running.length === 0 ? 'button idle' : 'button working'}>
        {running.length === 0 ? t('work.none') : t('work.running', { n: number(running.length) })}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="floating" align="end" sideOffset={6}>
          <Popover.Popup className="card work-list">
            <Popover.Title>{t('jobs.title')}</Popover.Title>
            {shown.length === 0 ? <p className="soft">{t('jobs.none')}</p> : null}
            <ul>
              {shown.map((job) => (
                <li key={job.jobId}>
                  <strong>{nameOf(job)}</strong> <JobState job={job} />
                  {isOver(job) ? null : <Progress job={job} />}
                </li>
              ))}
            </ul>
            <a href={placeOf('dashboard')}>{t('work.more')}</a>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Progress({ job }: { readonly job: Job }): ReactNode {
  const { t } = useTexts();
  const { phase, phaseObjects, phaseTotal } = job;
  const known = typeof phaseTotal === 'number' && typeof phaseObjects === 'number';
  return (
    <small className="soft">
      {phase}{' '}
      {known ? <progress max={phaseTotal} value={phaseObjects} aria-label={phase ?? t('jobs.progress')} /> : null}
    </small>
  );
}

function Toasts(): ReactNode {
  const { t } = useTexts();
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={`toast ${toast.type ?? ''}`}>
      <Toast.Content>
        <Toast.Title className="toast-title" />
        <Toast.Description className="toast-text" />
        <Toast.Close className="link">{t('work.close')}</Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}
