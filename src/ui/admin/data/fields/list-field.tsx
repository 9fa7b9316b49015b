/** A list of values: a field for each element, and for members of an Enum a box for each. */
import type { ReactNode } from 'react';
import { Button } from '../../../common/parts.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { dataTexts } from '../../texts/data.js';
import { TextOf, type FieldProps } from './text-field.js';

/** Elements that are shown as fields; a longer list is written as lines. */
const MOST_FIELDS = 50;

export function ListField(props: FieldProps): ReactNode {
  const { column, label, draft, onChange, onKeyDown, invalid, autoFocus = false } = props;
  const { t } = useAreaTexts(dataTexts);
  const { name, element, members } = column;
  const set = (items: readonly string[]): void => {
    onChange({ ...draft, items });
  };
  if (element === 'enum') {
    return (
      <fieldset className="members" aria-label={label}>
        {members.map((member, i) => (
          <label key={member} className="choice">
            <input
              type="checkbox"
              autoFocus={autoFocus && i === 0}
              checked={draft.items.includes(member)}
              onKeyDown={onKeyDown}
              onChange={(event) => {
                set(event.target.checked ? [...draft.items, member] : draft.items.filter((one) => one !== member));
              }}
            />
            {member}
          </label>
        ))}
      </fieldset>
    );
  }
  if (draft.items.length > MOST_FIELDS) {
    return (
      <textarea
        aria-label={label}
        aria-invalid={invalid}
        rows={8}
        value={draft.items.join('\n')}
        onChange={(event) => {
          set(event.target.value.split('\n'));
        }}
      />
    );
  }
  return (
    <fieldset className="elements" aria-label={label}>
      {draft.items.map((text, i) => (
        // Elements have no other name than their place.
        <div key={i} className="element">
          <TextOf
            column={column}
            label={t('data.item', { name, n: i + 1 })}
            text={text}
            invalid={invalid === true}
            autoFocus={autoFocus && i === 0}
            {...(onKeyDown === undefined ? {} : { onKeyDown })}
            onText={(next) => {
              set(draft.items.with(i, next));
            }}
          />
          <Button
            aria-label={t('data.remove', { name: t('data.item', { name, n: i + 1 }) })}
            onClick={() => {
              set(draft.items.toSpliced(i, 1));
            }}
          >
            ×
          </Button>
        </div>
      ))}
      <Button
        aria-label={t('data.addItem', { name })}
        autoFocus={autoFocus && draft.items.length === 0}
        onClick={() => {
          set([...draft.items, '']);
        }}
      >
        {t('data.add')}
      </Button>
    </fieldset>
  );
}
