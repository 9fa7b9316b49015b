/** The field to edit a value with: one for each kind of column. */
import type { KeyboardEvent, ReactNode } from 'react';
import { useTexts } from '../texts/index.js';
import type { Column } from './columns.js';

export interface FieldProps {
  readonly column: Column;
  readonly id?: string;
  readonly label?: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void;
  readonly invalid?: boolean;
  readonly autoFocus?: boolean;
}

export function ValueField({
  column,
  id,
  label,
  text,
  onChange,
  onKeyDown,
  invalid = false,
  autoFocus = false,
}: FieldProps): ReactNode {
  const { t } = useTexts();
  const shared = {
    id,
    'aria-label': label,
    'aria-invalid': invalid || undefined,
    value: text,
    onKeyDown,
    ref: (element: HTMLElement | null): void => {
      if (autoFocus) element?.focus();
    },
    onChange: (event: { readonly target: { readonly value: string } }): void => {
      onChange(event.target.value);
    },
  };
  switch (column.kind) {
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
    case 'number':
      return <input {...shared} inputMode="decimal" />;
    default:
      return text.includes('\n') ? <textarea {...shared} rows={4} /> : <input {...shared} />;
  }
}
