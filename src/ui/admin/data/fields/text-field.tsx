/** The field of one value: one for each kind of column. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { CodeEditor } from '../../parts/code-editor.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { dataTexts } from '../../texts/data.js';
import type { Column } from '../columns.js';
import type { Draft } from '../drafts.js';
import { colorOf } from '../values.js';

export interface FieldProps {
  readonly column: Column;
  /** The object, of one that is there: of several related objects those are shown that it has. */
  readonly path?: string;
  readonly id?: string;
  readonly label: string;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void;
  readonly invalid?: boolean;
  readonly autoFocus?: boolean;
  /** There is room for an editor of code. */
  readonly wide?: boolean;
}

interface TextProps extends Omit<FieldProps, 'draft' | 'onChange'> {
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** A field of one value; elements of lists have the same. */
export function TextOf(props: TextProps): ReactNode {
  const { column, id, label, text, onText, onKeyDown, invalid = false, autoFocus = false, wide = false } = props;
  const { t } = useAreaTexts(dataTexts);
  const [first] = useState(text);
  const field = useRef<HTMLElement>(null);
  useEffect(() => {
    if (autoFocus) field.current?.focus();
  }, []);
  const shared = {
    id,
    'aria-label': label,
    'aria-invalid': invalid || undefined,
    value: text,
    onKeyDown,
    ref: field as never,
    onChange: (event: { readonly target: { readonly value: string } }): void => {
      onText(event.target.value);
    },
  };
  switch (column.element) {
    case 'boolean':
      return (
        <select {...shared}>
          <option value="" />
          <option value="true">{t('data.yes')}</option>
          <option value="false">{t('data.no')}</option>
        </select>
      );
    case 'enum':
      return (
        <select {...shared}>
          <option value="" />
          {column.members.map((member) => (
            <option key={member}>{member}</option>
          ))}
        </select>
      );
    case 'date':
      return <input {...shared} type="datetime-local" step="1" />;
    case 'day':
      return <input {...shared} type="date" />;
    case 'number':
      return <input {...shared} inputMode="decimal" />;
    case 'password':
      return <input {...shared} type="password" autoComplete="new-password" placeholder={t('data.newPassword')} />;
    case 'encrypted':
      return <SecretField shared={shared} />;
    default: {
      const language = column.language ?? (isJson(first) ? 'json' : undefined);
      if (wide && language !== undefined) {
        return (
          <div className="code-value">
            <CodeEditor label={label} value={text} onChange={onText} language={language} />
          </div>
        );
      }
      if (column.long || first.includes('\n') || first.length > 120)
        return <textarea {...shared} rows={wide ? 8 : 5} spellCheck />;
      return <ColorOrText column={column} shared={shared} text={text} onText={onText} />;
    }
  }
}

/** Whether a text holds an object or a list as JSON. */
function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/** A text that is a colour, or is called one, has a chooser beside it. */
function ColorOrText(props: {
  readonly column: Column;
  readonly shared: object;
  readonly text: string;
  readonly onText: (text: string) => void;
}): ReactNode {
  const { column, shared, text, onText } = props;
  const { t } = useAreaTexts(dataTexts);
  const color = colorOf(text);
  if (color === undefined && !/colou?r$/i.test(column.name)) return <input {...shared} />;
  return (
    <span className="color-field">
      <input {...shared} />
      <input
        type="color"
        aria-label={t('data.color', { name: column.name })}
        value={color ?? '#000000'}
        onChange={(event) => {
          onText(event.target.value);
        }}
      />
    </span>
  );
}

/** What is stored encrypted is covered until somebody wants to see it. */
function SecretField({ shared }: { readonly shared: object }): ReactNode {
  const { t } = useAreaTexts(dataTexts);
  const [isShown, setShown] = useState(false);
  return (
    <span className="color-field">
      <input {...shared} type={isShown ? 'text' : 'password'} autoComplete="off" />
      <Button
        onClick={() => {
          setShown(!isShown);
        }}
      >
        {t(isShown ? 'data.hide' : 'data.show')}
      </Button>
    </span>
  );
}
