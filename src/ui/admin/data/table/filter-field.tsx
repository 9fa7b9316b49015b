/** What is written above a column to find objects by it; what needs more room than a cell has is in a window below. */
import { Popover } from '@base-ui/react/popover';
import type { ReactNode } from 'react';
import { Tick } from '../../../common/parts.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { dataTexts } from '../../texts/data.js';
import { useFormats } from '../../texts/index.js';
import type { Column } from '../columns.js';
import { isSet, type Filter } from './filters.js';
import { Adder, Chip } from '../fields/related-field.js';

interface Props {
  readonly column: Column;
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
}

export function FilterField(props: Props): ReactNode {
  const { column, filter, onChange } = props;
  const { t } = useAreaTexts(dataTexts);
  const label = t('data.filter', { name: column.name });
  switch (column.kind) {
    case 'date':
    case 'day':
      return (
        <Below {...props} label={label}>
          <Days {...props} />
        </Below>
      );
    case 'related':
      return (
        <Below {...props} label={label}>
          <Related {...props} />
        </Below>
      );
    case 'enum':
      return (
        <Below {...props} label={label}>
          <Members {...props} />
        </Below>
      );
    case 'boolean':
      return (
        <select
          aria-label={label}
          value={filter.text ?? ''}
          onChange={(event) => {
            onChange({ text: event.target.value });
          }}
        >
          <option value="">{t('data.any')}</option>
          <option value="true">{t('data.yes')}</option>
          <option value="false">{t('data.no')}</option>
        </select>
      );
    default:
      if (column.element === 'enum')
        return (
          <Below {...props} label={label}>
            <Members {...props} />
          </Below>
        );
      return (
        <input
          type="search"
          aria-label={label}
          placeholder={column.kind === 'number' ? t('data.range') : column.kind === 'list' ? t('data.listHelp') : ''}
          value={filter.text ?? ''}
          onChange={(event) => {
            onChange({ text: event.target.value });
          }}
        />
      );
  }
}

function Below(props: Props & { readonly label: string; readonly children: ReactNode }): ReactNode {
  const { filter, label, children } = props;
  const { t } = useAreaTexts(dataTexts);
  const said = useSaid(filter);
  return (
    <Popover.Root>
      <Popover.Trigger className={`filter-button${isSet(filter) ? ' set' : ''}`} aria-label={`${label}: ${said}`}>
        {said}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start" className="floating" sticky>
          <Popover.Popup className="card popup" aria-label={label}>
            {children}
            <Popover.Close className="button plain">{t('data.close')}</Popover.Close>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** A filter in a few words. */
function useSaid({ from = '', to = '', members = [], picked = [], none = false }: Filter): string {
  const { t } = useAreaTexts(dataTexts);
  const { day } = useFormats();
  const dayOf = (text: string): string => (text === '' ? '…' : day(new Date(`${text}T00:00:00`)));
  if (none) return t('data.without');
  if (from !== '' || to !== '') return `${dayOf(from)} – ${dayOf(to)}`;
  const names = picked.length > 0 ? picked.map(({ name }) => name) : members;
  return names.length > 0 ? names.join(', ') : t('data.any');
}

/** Nothing is not a day, a member or an object: it stands alone. */
function None({ filter, onChange }: Props): ReactNode {
  const { t } = useAreaTexts(dataTexts);
  return (
    <Tick
      label={t('data.without')}
      checked={filter.none === true}
      onChange={(isOn) => {
        onChange({ none: isOn });
      }}
    />
  );
}

function Days(props: Props): ReactNode {
  const { filter, onChange } = props;
  const { t } = useAreaTexts(dataTexts);
  const { from = '', to = '' } = filter;
  return (
    <>
      <label className="field">
        {t('data.from')}
        <input
          type="date"
          value={from}
          onChange={(event) => {
            onChange({ from: event.target.value, to });
          }}
        />
      </label>
      <label className="field">
        {t('data.to')}
        <input
          type="date"
          value={to}
          onChange={(event) => {
            onChange({ from, to: event.target.value });
          }}
        />
      </label>
      <None {...props} />
    </>
  );
}

function Members(props: Props): ReactNode {
  const { column, filter, onChange } = props;
  const { members = [] } = filter;
  return (
    <>
      {column.members.map((member) => (
        <label key={member} className="choice">
          <input
            type="checkbox"
            checked={members.includes(member)}
            onChange={(event) => {
              onChange({
                members: event.target.checked ? [...members, member] : members.filter((one) => one !== member),
              });
            }}
          />
          {member}
        </label>
      ))}
      <None {...props} />
    </>
  );
}

function Related(props: Props): ReactNode {
  const { column, filter, onChange } = props;
  const { t } = useAreaTexts(dataTexts);
  const { picked = [] } = filter;
  return (
    <>
      <p className="soft">{t('data.oneOf')}</p>
      <ul className="several">
        {picked.map((one) => (
          <Chip
            key={one.id}
            one={one}
            action={t('data.remove', { name: one.name })}
            sign="×"
            onAction={() => {
              onChange({ picked: picked.filter(({ id }) => id !== one.id) });
            }}
          />
        ))}
      </ul>
      <Adder
        type={column.relation?.type ?? 'NodeInterface'}
        label={t('data.addRelated', { name: column.name })}
        onAdd={(one) => {
          if (!picked.some(({ id }) => id === one.id)) onChange({ picked: [...picked, one] });
        }}
      />
      <None {...props} />
    </>
  );
}
