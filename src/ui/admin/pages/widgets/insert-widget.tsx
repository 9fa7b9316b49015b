/** Asks for the values of a widget, and puts it into a page. */
import { type ReactNode, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { useLoaded, useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { fieldsOf, readWidget, type WidgetField } from './widgets.js';

export function InsertWidget(props: {
  readonly id: string;
  readonly onInsert: (values: Readonly<Record<string, string>>) => Promise<void>;
  readonly onClose: () => void;
}): ReactNode {
  const { id, onInsert, onClose } = props;
  const { t } = useAreaTexts(pages);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const { value: widget, problem: unread } = useLoaded(() => readWidget(id));
  const { busy, problem, run } = useWork();
  const fields = widget === undefined ? [] : fieldsOf(widget);
  const values = Object.fromEntries(fields.map(({ key, first }) => [key, typed[key] ?? first]));
  return (
    <Modal title={t('pages.insertWidget', { name: widget?.name ?? '' })} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(() => onInsert(values));
        }}
      >
        <Trouble problem={problem ?? unread} />
        {(widget?.description ?? '') === '' ? null : <p className="soft">{widget?.description}</p>}
        {widget !== undefined && fields.length === 0 ? <p className="soft">{t('pages.asksNothing')}</p> : null}
        {fields.map((field) => (
          <Field
            key={field.key}
            field={field}
            text={values[field.key] ?? ''}
            onChange={(text) => {
              setTyped({ ...typed, [field.key]: text });
            }}
          />
        ))}
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || widget === undefined}>
            {t('pages.insert')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}

function Field(props: {
  readonly field: WidgetField;
  readonly text: string;
  readonly onChange: (text: string) => void;
}): ReactNode {
  const { field, text, onChange } = props;
  const { key, title, kind, placeholder, help, options } = field;
  const shared = {
    id: `widget-${key}`,
    value: text,
    placeholder,
    onChange: (event: { readonly target: { readonly value: string } }): void => {
      onChange(event.target.value);
    },
  };
  return (
    <div className="field">
      <label htmlFor={shared.id}>{title}</label>
      {kind === 'textarea' ? (
        <textarea {...shared} rows={4} />
      ) : kind === 'select' ? (
        <select {...shared}>
          {options.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      ) : (
        <input {...shared} autoComplete="off" />
      )}
      {help === '' ? null : <p className="soft">{help}</p>}
    </div>
  );
}
