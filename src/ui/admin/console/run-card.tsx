/** One line that was run, with what came of it. */
import type { ReactNode } from 'react';
import { Badge, Button, Notice } from '../../common/parts.js';
import { Trouble } from '../frame/trouble.js';
import { OutcomeView } from '../parts/outcome-view.js';
import { ValueView } from '../parts/value-view.js';
import { useFormats } from '../texts/index.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { consoleTexts } from '../texts/console.js';
import { scriptTexts } from '../texts/scripts.js';
import { MODES, type Mode } from './modes.js';
import type { Came, JobState } from './run.js';
import { COMMANDS, isSecret } from './shell.js';

export interface Run {
  readonly n: number;
  readonly mode: Mode;
  readonly line: string;
  /** Absent: it runs. */
  readonly came?: Came;
  readonly job?: JobState;
}

const MOST_SHOWN = 4_000;

export function RunCard({ run, onUse }: { readonly run: Run; readonly onUse: (run: Run) => void }): ReactNode {
  const { t } = useAreaTexts(consoleTexts);
  const { mode, line, came, job } = run;
  const secret = mode === 'shell' && isSecret(line);
  const title = MODES.find(({ name }) => name === mode)?.title ?? 'console.title';
  return (
    <li className="card run">
      <div className="run-head">
        <Badge>{t(title)}</Badge>
        <pre className="run-line">
          <bdi>{secret ? 'user password …' : line.slice(0, MOST_SHOWN)}</bdi>
        </pre>
        {secret ? null : (
          <Button
            onClick={() => {
              onUse(run);
            }}
          >
            {t('console.use')}
          </Button>
        )}
      </div>
      {came === undefined ? (
        <p role="status">
          {t('console.running')} {job === undefined ? null : <JobLine job={job} />}
        </p>
      ) : (
        <CameView came={came} label={line.slice(0, 80)} />
      )}
    </li>
  );
}

function JobLine({ job }: { readonly job: JobState }): ReactNode {
  const { number } = useFormats();
  const { t } = useAreaTexts(consoleTexts);
  return (
    <span className="soft">
      {t('console.job.more', { phase: job.phase ?? job.status, n: number(job.processedObjects ?? 0) })}
    </span>
  );
}

function CameView({ came, label }: { readonly came: Came; readonly label: string }): ReactNode {
  const { t } = useAreaTexts(consoleTexts);
  const { t: s } = useAreaTexts(scriptTexts);
  const { number } = useFormats();
  const took = (ms: number): ReactNode => (
    <p className="soft outcome-time">{s('script.took', { ms: number(Math.round(ms * 10) / 10) })}</p>
  );
  switch (came.kind) {
    case 'script':
      return <OutcomeView outcome={came.outcome} label={label} />;
    case 'rest': {
      const { status, isGood, value, count, milliseconds } = came.answer;
      return (
        <>
          <p className="rest-status">
            <Badge kind={isGood ? 'good' : 'wrong'}>{status}</Badge>{' '}
            {count === undefined || !Array.isArray(value) ? null : (
              <span className="soft">{t('console.count', { n: number(count) })}</span>
            )}
          </p>
          <ValueView value={value} label={label} />
          {took(milliseconds)}
        </>
      );
    }
    case 'help':
      return <Help only={came.command?.name} />;
    case 'said': {
      const { key, values, isFault } = came.said;
      return <Notice kind={isFault === true ? 'wrong' : 'good'}>{t(key, values)}</Notice>;
    }
    case 'job': {
      const { job, milliseconds } = came;
      const { status } = job;
      return (
        <>
          <Notice kind={status === 'FINISHED' ? 'good' : 'wrong'}>
            {status === 'FAILED'
              ? t('console.job.FAILED', { message: job.exception?.message ?? '' })
              : t(status === 'FINISHED' ? 'console.job.FINISHED' : 'console.job.ABORTED')}
          </Notice>
          {took(milliseconds)}
        </>
      );
    }
    case 'unreadable':
      return <Notice kind="wrong">{t(`console.fault.${came.fault}`, { word: came.word })}</Notice>;
    case 'left':
      return <Notice kind="note">{t('console.left')}</Notice>;
    case 'refused':
      return <Trouble problem={came.problem} />;
  }
}

function Help({ only }: { readonly only: string | undefined }): ReactNode {
  const { t } = useAreaTexts(consoleTexts);
  const shown = only === undefined ? COMMANDS : COMMANDS.filter(({ name }) => name === only);
  return (
    <dl className="help">
      {shown.map(({ name, usage, meaning }) => (
        <div key={name}>
          <dt>
            <code>{usage}</code>
          </dt>
          <dd>{t(meaning)}</dd>
        </div>
      ))}
    </dl>
  );
}
