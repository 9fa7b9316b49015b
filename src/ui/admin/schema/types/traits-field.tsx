/** The types that a type inherits, chosen by their names. */
import { Combobox } from '@base-ui/react/combobox';
import type { ReactNode } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { schemaTexts } from '../../texts/schema.js';
import { useForm, useWords } from '../form/fields.js';
import { fieldOf } from '../form/problems.js';
import { isInternal, texts, type Schema } from '../model.js';

const NAME = 'inheritedTraits';

export function TraitsField({ schema, self }: { readonly schema: Schema; readonly self?: string }): ReactNode {
  const { t } = useAreaTexts(schemaTexts);
  const { draft, problem } = useForm();
  const words = useWords();
  const chosen = texts(draft.values[NAME]);
  const offered = schema.types
    .filter(({ name, isServiceClass }) => !isServiceClass && !isInternal(name) && name !== self)
    .map(({ name }) => name);
  const wrong = problem?.problems.filter((one) => fieldOf(one, draft.values) === NAME) ?? [];
  return (
    <div className="field">
      <Combobox.Root
        multiple
        items={offered}
        value={[...chosen]}
        onValueChange={(next, { reason }) => {
          // Escape leaves what was chosen.
          if (reason !== 'escape-key') draft.set(NAME, [...next].sort());
        }}
      >
        <Combobox.Label className="label">{t('types.inherits')}</Combobox.Label>
        <Combobox.Chips className="type-chips">
          {chosen.map((name) => (
            <Combobox.Chip key={name} className="badge type-chip" aria-label={name}>
              {name}
              <Combobox.ChipRemove className="chip-remove" aria-label={t('types.withoutTrait', { name })}>
                ×
              </Combobox.ChipRemove>
            </Combobox.Chip>
          ))}
          <Combobox.Input placeholder={t('types.addTrait')} aria-label={t('types.addTrait')} />
        </Combobox.Chips>
        <Combobox.Portal>
          <Combobox.Positioner className="floating">
            <Combobox.Popup className="card options">
              <Combobox.Empty className="soft">{t('picker.none')}</Combobox.Empty>
              <Combobox.List>
                {(name: string) => (
                  <Combobox.Item key={name} value={name} className="option">
                    {name}
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
      {wrong.map((one) => (
        <p key={words(one)} className="wrong" role="alert">
          {words(one)}
        </p>
      ))}
    </div>
  );
}
