/** What came of a script: its value or its fault, its log, its time. */
import type { ReactNode } from 'react';
import { Notice } from '../../common/parts.js';
import type { Outcome, ScriptFault } from '../server/console.js';
import type { CodeProblem } from './code-editor.js';
import { useFormats } from '../texts/index.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { scriptTexts } from '../texts/scripts.js';
import { ValueView } from './value-view.js';
import './script.css';

/** Faults of a script that is called `name` at their lines, for its editor. */
export function problemsOf(error: ScriptFault | undefined, isOwn: (name: string) => boolean): readonly CodeProblem[] {
  const script = error?.script;
  if (script === undefined || script.row === null || !isOwn(script.name)) return [];
  return [{ line: script.row, message: script.message }];
}

export function FaultView({ error }: { readonly error: ScriptFault }): ReactNode {
  const { t } = useAreaTexts(scriptTexts);
  const { script, errors = [] } = error;
  const fields = errors.map(({ property = '', token = '', detail = '' }) =>
    [property, token.replaceAll('_', ' '), typeof detail === 'string' ? detail : ''].filter(Boolean).join(' '),
  );
  return (
    <Notice kind="wrong">
      {script === undefined ? (
        error.message
      ) : (
        <>
          <strong>
            {script.row === null ? null : t('script.place', { line: script.row, column: script.column ?? 1 })}{' '}
            {t('script.in', { name: script.name })}
          </strong>
          <br />
          {script.message}
        </>
      )}
      {fields.length === 0 ? null : ` (${fields.join('; ')})`}
    </Notice>
  );
}

export function OutcomeView({ outcome, label }: { readonly outcome: Outcome; readonly label: string }): ReactNode {
  const { t } = useAreaTexts(scriptTexts);
  const { number } = useFormats();
  const { value, log, milliseconds, error } = outcome;
  return (
    <div className="outcome">
      {error === undefined ? <ValueView value={value} label={label} /> : <FaultView error={error} />}
      {log.length === 0 ? null : (
        <div className="outcome-log">
          <h3>{t('script.log')}</h3>
          <pre className="value-text" tabIndex={0}>
            {log.join('\n')}
          </pre>
        </div>
      )}
      <p className="soft outcome-time">{t('script.took', { ms: number(Math.round(milliseconds * 10) / 10) })}</p>
    </div>
  );
}
