/** Parts of forms over an object that others may edit too. */
import { type ReactNode, useId } from 'react';
import { Button, TextField } from '../../common/parts.js';
import { Trouble } from '../frame/trouble.js';
import { OthersChanged } from '../parts/others-changed.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { security } from '../texts/security.js';
import { problemAt, textIn, type Edited } from './edited.js';

export function FieldOf(props: {
  readonly edited: Edited;
  readonly name: string;
  readonly label: string;
  readonly help?: string;
}): ReactNode {
  const { edited, name, label, help } = props;
  return (
    <TextField
      label={label}
      value={textIn(edited.values, name)}
      onChange={(value) => {
        edited.set(name, value === '' ? null : value);
      }}
      problem={problemAt(edited.problem, name)}
      {...(help === undefined ? {} : { help })}
    />
  );
}

export function TickOf(props: {
  readonly edited: Edited;
  readonly name: string;
  readonly label: string;
  readonly help?: string;
}): ReactNode {
  const { edited, name, label, help } = props;
  const wrong = problemAt(edited.problem, name);
  const id = useId();
  return (
    <div className="sec-tick">
      <input
        id={id}
        type="checkbox"
        checked={edited.values[name] === true}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        onChange={(event) => {
          edited.set(name, event.target.checked);
        }}
      />
      <label htmlFor={id}>{label}</label>
      {help === undefined ? null : (
        <small id={`${id}-help`} className="soft">
          {help}
        </small>
      )}
      {wrong === undefined ? null : <small className="wrong">{wrong}</small>}
    </div>
  );
}

/** Says what others have changed, and saves. */
export function SaveOf({ edited, onSaved }: { readonly edited: Edited; readonly onSaved: () => void }): ReactNode {
  const { t } = useAreaTexts(security);
  return (
    <>
      <Trouble problem={edited.problem} />
      <OthersChanged met={edited.conflicts} />
      <Button
        kind="main"
        disabled={edited.busy || !edited.isChanged}
        onClick={() => {
          void edited.save().then((isSaved) => {
            if (isSaved) onSaved();
          });
        }}
      >
        {t('app.save')}
      </Button>
    </>
  );
}

/** Some of a few: a tick for each. */
export function Ticks<Option extends string>(props: {
  readonly legend: string;
  readonly options: readonly Option[];
  /** Absent: the option itself. */
  readonly titleOf?: (option: Option) => string;
  readonly chosen: ReadonlySet<Option>;
  readonly onChange: (chosen: ReadonlySet<Option>) => void;
}): ReactNode {
  const { legend, options, titleOf = (option) => option, chosen, onChange } = props;
  return (
    <fieldset className="row sec-methods">
      <legend className="hidden">{legend}</legend>
      {options.map((option) => (
        <label key={option}>
          <input
            type="checkbox"
            checked={chosen.has(option)}
            onChange={(event) => {
              const next = new Set(chosen);
              if (event.target.checked) next.add(option);
              else next.delete(option);
              onChange(next);
            }}
          />{' '}
          {titleOf(option)}
        </label>
      ))}
    </fieldset>
  );
}
