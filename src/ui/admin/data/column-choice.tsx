/** Which columns are shown. */
import { Popover } from '@base-ui/react/popover';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/index.js';
import type { Column } from './columns.js';

export function ColumnChoice({
  all,
  shown,
  onChange,
}: {
  readonly all: readonly Column[];
  readonly shown: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}): ReactNode {
  const { t } = useTexts();
  return (
    <Popover.Root>
      <Popover.Trigger className="button plain">{t('data.columns')}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end">
          <Popover.Popup className="card popup" aria-label={t('data.columns')}>
            {all.map(({ name }) => (
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
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
