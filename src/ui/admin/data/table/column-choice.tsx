/** Which columns are shown. */
import { Popover } from '@base-ui/react/popover';
import { type ReactNode, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { dataTexts } from '../../texts/data.js';
import type { Column } from '../columns.js';

export function ColumnChoice({
  all,
  shown,
  onChange,
}: {
  readonly all: readonly Column[];
  readonly shown: readonly string[];
  /** Undefined: those that tell most. */
  readonly onChange: (names: readonly string[] | undefined) => void;
}): ReactNode {
  const { t } = useAreaTexts(dataTexts);
  const [text, setText] = useState('');
  const found = all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  return (
    <Popover.Root>
      <Popover.Trigger className="button plain">{t('data.columns')}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className="floating" sticky>
          <Popover.Popup className="card popup" aria-label={t('data.columns')}>
            <input
              type="search"
              value={text}
              aria-label={t('data.findColumn')}
              placeholder={t('data.findColumn')}
              onChange={(event) => {
                setText(event.target.value);
              }}
            />
            {found.map(({ name }) => (
              <label key={name} className="choice">
                <input
                  type="checkbox"
                  checked={shown.includes(name)}
                  onChange={(event) => {
                    const next = event.target.checked ? [...shown, name] : shown.filter((one) => one !== name);
                    if (next.length > 0) onChange(next);
                  }}
                />
                {name}
              </label>
            ))}
            <div className="row">
              <Button
                onClick={() => {
                  onChange(undefined);
                }}
              >
                {t('data.usualColumns')}
              </Button>
              <Button
                onClick={() => {
                  onChange(all.map(({ name }) => name));
                }}
              >
                {t('data.allColumns')}
              </Button>
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
