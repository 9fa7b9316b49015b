/** A form for a new object, with a field for each property that can be written. */
import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useState } from 'react';
import { Button } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { create } from '../server/rest.js';
import { useTexts } from '../texts/index.js';
import type { Column } from './columns.js';
import { ValueField } from './field.js';
import { valueOf } from './values.js';

export function CreateObject({
  type,
  columns,
  onCreated,
}: {
  readonly type: string;
  readonly columns: readonly Column[];
  readonly onCreated: () => void;
}): ReactNode {
  const { t } = useTexts();
  const [open, setOpen] = useState(false);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const { busy, problem, run } = useWork();
  const fields = columns.filter(({ readOnly }) => !readOnly);
  const wrong = fields
    .filter((column) => valueOf(column, texts[column.name] ?? '') === undefined)
    .map(({ name }) => name);
  const save = async (): Promise<void> => {
    const values: Record<string, unknown> = {};
    for (const column of fields) {
      const text = texts[column.name] ?? '';
      if (text !== '') values[column.name] = valueOf(column, text)?.value;
    }
    await create(encodeURIComponent(type), values);
    setTexts({});
    setOpen(false);
    onCreated();
  };
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className="button main">{t('data.create')}</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="card dialog">
          <Dialog.Title>{t('data.createTitle', { type })}</Dialog.Title>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void run(save);
            }}
          >
            <Trouble problem={problem} />
            {fields.map((column) => (
              <div key={column.name} className="field">
                <label htmlFor={`new-${column.name}`}>
                  {column.name}
                  {column.needed ? ' *' : ''}
                </label>
                <ValueField
                  column={column}
                  id={`new-${column.name}`}
                  text={texts[column.name] ?? ''}
                  onChange={(text) => {
                    setTexts({ ...texts, [column.name]: text });
                  }}
                  invalid={wrong.includes(column.name) || problem?.fields.has(column.name) === true}
                />
              </div>
            ))}
            <div className="row">
              <Button type="submit" kind="main" disabled={busy || wrong.length > 0}>
                {t('data.create')}
              </Button>
              <Dialog.Close className="button plain">{t('app.cancel')}</Dialog.Close>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
