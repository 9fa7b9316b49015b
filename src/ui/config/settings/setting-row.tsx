/** One setting: what it is for, its value in the form that its type has, and the way back to its default. */
import { Field } from '@base-ui/react/field';
import { Switch } from '@base-ui/react/switch';
import type { ReactNode } from 'react';
import { Badge, Button } from '../../common/parts.js';
import type { Setting, Value } from '../asking.js';

export interface RowProps {
  readonly setting: Setting;
  /** What is entered and not saved; undefined, or null: nothing. */
  readonly edit: string | null | undefined;
  readonly problem: string | undefined;
  /** undefined: as it was. */
  readonly onEdit: (text: string | undefined) => void;
  /** Back to its default, at once. */
  readonly onReset: () => void;
}

export function SettingRow({ setting, edit, problem, onEdit, onReset }: RowProps): ReactNode {
  const { name, text, source, restart, unbuilt } = setting;
  const isFixed = source === 'environment';
  const saved = textOf(setting.value ?? '');
  const shown = edit ?? saved;
  const change = (value: string): void => {
    onEdit(value === saved && setting.secret !== true ? undefined : value);
  };
  return (
    <Field.Root className="setting" invalid={problem !== undefined} disabled={isFixed}>
      <div className="about">
        <Field.Label className="name">{name}</Field.Label>
        <Field.Description className="soft">{text}</Field.Description>
        <div className="badges">
          {edit === undefined ? null : <Badge kind="warn">not saved</Badge>}
          {source === 'file' ? <Badge>changed</Badge> : null}
          {isFixed ? <Badge kind="warn">given by the environment</Badge> : null}
          {restart ? <Badge>from the next start on</Badge> : null}
          {unbuilt ? <Badge kind="wrong">no effect in this version</Badge> : null}
          {setting.secret === true || setting.default === undefined ? null : (
            <span className="soft">default: {shownDefault(setting.default)}</span>
          )}
        </div>
      </div>
      <div className="input">
        <Control setting={setting} value={shown} isFixed={isFixed} onChange={change} />
        {problem === undefined ? null : (
          <Field.Error className="wrong" match>
            {problem}
          </Field.Error>
        )}
        {!isFixed && (source === 'file' || edit !== undefined) ? (
          <Button
            type="button"
            aria-label={edit === undefined ? `Reset ${name} to its default` : `Take back the change of ${name}`}
            onClick={() => {
              if (edit === undefined) onReset();
              else onEdit(undefined);
            }}
          >
            {edit === undefined ? 'Reset' : 'Take back'}
          </Button>
        ) : null}
      </div>
    </Field.Root>
  );
}

interface ControlProps {
  readonly setting: Setting;
  readonly value: string;
  readonly isFixed: boolean;
  readonly onChange: (value: string) => void;
}

function Control({ setting, value, isFixed, onChange }: ControlProps): ReactNode {
  const { name, type, secret, isSet, options = [], min, max } = setting;
  if (secret === true)
    return (
      <Field.Control
        type="password"
        autoComplete="new-password"
        placeholder={isSet === true ? 'is set; enter a new one' : 'is not set'}
        value={value}
        onValueChange={onChange}
      />
    );
  switch (type) {
    case 'boolean':
      return (
        <Switch.Root
          className="switch"
          aria-label={name}
          checked={value === 'true'}
          disabled={isFixed}
          onCheckedChange={(on) => {
            onChange(String(on));
          }}
        >
          <Switch.Thumb className="thumb" />
        </Switch.Root>
      );
    case 'choice':
      return (
        <Field.Control
          render={
            <select>
              {options.map((option) => (
                <option key={option} value={option}>
                  {option === '' ? '(none)' : option}
                </option>
              ))}
            </select>
          }
          value={value}
          onValueChange={onChange}
        />
      );
    case 'integer':
      return (
        <Field.Control
          type="number"
          step={1}
          {...(min === undefined ? {} : { min })}
          {...(max === undefined ? {} : { max })}
          value={value}
          onValueChange={onChange}
        />
      );
    case 'text':
      return <Field.Control render={<textarea rows={4} spellCheck={false} />} value={value} onValueChange={onChange} />;
    case 'multichoice':
      if (setting.options !== undefined)
        return <Words setting={setting} value={value} isFixed={isFixed} onChange={onChange} />;
      return <Field.Control render={<textarea rows={3} spellCheck={false} />} value={value} onValueChange={onChange} />;
    default:
      return <Field.Control type="text" spellCheck={false} autoComplete="off" value={value} onValueChange={onChange} />;
  }
}

/** Words that are chosen from few. Those of the file that are none of them are shown, too. */
function Words({ setting, value, isFixed, onChange }: ControlProps): ReactNode {
  const chosen = value.split(' ').filter((word) => word !== '');
  const words = [...new Set([...(setting.options ?? []), ...chosen])];
  return (
    <fieldset className="words" disabled={isFixed}>
      <legend className="hidden">{setting.name}</legend>
      {words.map((word) => (
        <label key={word}>
          <input
            type="checkbox"
            checked={chosen.includes(word)}
            onChange={({ target }) => {
              onChange(words.filter((one) => (one === word ? target.checked : chosen.includes(one))).join(' '));
            }}
          />
          {word}
        </label>
      ))}
    </fieldset>
  );
}

function textOf(value: Value): string {
  return typeof value === 'object' ? value.join(' ') : String(value);
}

function shownDefault(value: Value): ReactNode {
  const text = textOf(value);
  return text === '' ? 'empty' : <code>{text}</code>;
}
