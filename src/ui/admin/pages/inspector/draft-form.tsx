/** A form over a draft: fields by a list, what others have written, the buttons below. */
import { type ReactNode, useId } from 'react';
import { Button } from '../../../common/parts.js';
import { OthersChanged } from '../../parts/others-changed.js';
import { CodeEditor } from '../../parts/code-editor.js';
import type { CodeLanguage } from '../../parts/code-languages.js';
import { Trouble } from '../../frame/trouble.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import type { Draft, Value } from './draft.js';

export interface FormField {
  readonly key: string;
  readonly label: string;
  readonly kind?: 'text' | 'number' | 'flag' | 'choice' | 'code' | 'suggested';
  /** Of a choice all, of what is suggested some. Pairs of a value and its title where it has one. */
  readonly options?: readonly (string | readonly [string, string])[];
  readonly language?: CodeLanguage;
  /** Of code: a long text. */
  readonly isLong?: boolean;
  readonly help?: string;
}

export function DraftForm(props: {
  readonly draft: Draft;
  readonly fields: readonly FormField[];
  readonly children?: ReactNode;
}): ReactNode {
  const { draft, fields, children } = props;
  return (
    <form
      className="draft"
      onSubmit={(event) => {
        event.preventDefault();
        void draft.save();
      }}
    >
      <Trouble problem={draft.problem} />
      <OthersChanged met={draft.theirs} titleOf={(name) => fields.find(({ key }) => key === name)?.label ?? name} />
      {draft.values === undefined ? null : (
        <>
          {fields.map((field) => (
            <DraftField key={field.key} field={field} draft={draft} />
          ))}
          {children}
          <SaveRow draft={draft} />
        </>
      )}
    </form>
  );
}

export function SaveRow({ draft }: { readonly draft: Draft }): ReactNode {
  const { t } = useAreaTexts(pages);
  const isChanged = draft.changed.length > 0;
  return (
    <div className="row save-row">
      <Button type="submit" kind="main" disabled={draft.busy || !isChanged}>
        {t('app.save')}
      </Button>
      {isChanged ? (
        <>
          <Button onClick={draft.drop}>{t('pages.dropChanges')}</Button>
          <span className="soft" role="status">
            {t('pages.unsaved')}
          </span>
        </>
      ) : null}
    </div>
  );
}

export function DraftField({ field, draft }: { readonly field: FormField; readonly draft: Draft }): ReactNode {
  const { key, label, kind = 'text', options = [], language, isLong = false, help } = field;
  const id = useId();
  const value: Value = draft.values?.[key] ?? null;
  const wrong = draft.problem?.problems.find(({ property }) => property === key);
  const set = (text: string): void => {
    if (kind === 'number') draft.set(key, text.trim() === '' ? null : Number.isNaN(Number(text)) ? text : Number(text));
    else draft.set(key, text === '' ? null : text);
  };
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const described = help === undefined ? {} : { 'aria-describedby': `${id}-help` };
  if (kind === 'flag')
    return (
      <label className="choice">
        <input
          type="checkbox"
          checked={value === true}
          {...described}
          onChange={(event) => {
            draft.set(key, event.target.checked);
          }}
        />
        <span>
          {label}
          {help === undefined ? null : (
            <small className="soft" id={`${id}-help`}>
              {help}
            </small>
          )}
        </span>
      </label>
    );
  const shared = {
    id,
    value: text,
    'aria-invalid': wrong !== undefined || undefined,
    'data-invalid': wrong === undefined ? undefined : '',
    spellCheck: false,
    ...described,
    onChange: (event: { readonly target: { readonly value: string } }): void => {
      set(event.target.value);
    },
  };
  const pairs = options.map((option) => (typeof option === 'string' ? ([option, option] as const) : option));
  return (
    <div className="field">
      {kind === 'code' ? <span className="label">{label}</span> : <label htmlFor={id}>{label}</label>}
      {kind === 'code' ? (
        <div className={isLong ? 'code-field tall' : 'code-field'}>
          <CodeEditor
            label={label}
            value={text}
            language={language ?? 'javascript'}
            onChange={set}
            onGo={() => void draft.save()}
          />
        </div>
      ) : kind === 'choice' ? (
        <select {...shared}>
          {pairs.some(([name]) => name === text) ? null : <option value={text}>{text === '' ? '—' : text}</option>}
          {pairs.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          autoComplete="off"
          inputMode={kind === 'number' ? 'numeric' : undefined}
          list={kind === 'suggested' ? `${id}-list` : undefined}
        />
      )}
      {kind === 'suggested' ? (
        <datalist id={`${id}-list`}>
          {pairs.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </datalist>
      ) : null}
      {help === undefined ? null : (
        <p className="soft" id={`${id}-help`}>
          {help}
        </p>
      )}
      {wrong === undefined ? null : (
        <p className="wrong">{[wrong.token?.replaceAll('_', ' '), wrong.detail].filter(Boolean).join(' ')}</p>
      )}
    </div>
  );
}
