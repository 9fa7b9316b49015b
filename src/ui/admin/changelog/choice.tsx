/** Chooses whose history is shown: by type and name, or by an id, which may be that of something that is gone. */
import { type ReactNode, useState } from 'react';
import { Button, TextField } from '../../common/parts.js';
import { useLoaded } from '../../common/work.js';
import { placeOf } from '../frame/place.js';
import { Trouble } from '../frame/trouble.js';
import { ObjectPicker } from '../parts/object-picker.js';
import { loadTypes } from '../server/schema.js';
import { changelogTexts } from '../texts/changelog.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { isId } from './history.js';

type Of = 'object' | 'user';

export function Choice({ of: shown }: { readonly of: Of }): ReactNode {
  const { t } = useAreaTexts(changelogTexts);
  const { value: types, problem } = useLoaded(loadTypes);
  const [of, setOf] = useState<Of>(shown);
  const [type, setType] = useState('');
  const [id, setId] = useState('');
  const show = (wanted: string): void => {
    location.hash = placeOf('changelog', of, wanted);
  };
  const own = types?.filter(({ isBuiltin }) => !isBuiltin) ?? [];
  const chosen = of === 'user' ? 'User' : type === '' ? (own[0]?.name ?? 'User') : type;
  const isBad = id !== '' && !isId(id.trim());
  return (
    <section className="card">
      <Trouble problem={problem} />
      <div className="row">
        <div className="field">
          <label htmlFor="changelog-of">{t('changelog.of')}</label>
          <select
            id="changelog-of"
            value={of}
            onChange={(event) => {
              setOf(event.target.value as Of);
            }}
          >
            <option value="object">{t('changelog.object')}</option>
            <option value="user">{t('changelog.user')}</option>
          </select>
        </div>
        {of === 'user' ? null : (
          <div className="field">
            <label htmlFor="changelog-type">{t('changelog.type')}</label>
            <select
              id="changelog-type"
              value={chosen}
              onChange={(event) => {
                setType(event.target.value);
              }}
            >
              {[...own, ...(types ?? []).filter(({ isBuiltin }) => isBuiltin)].map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </div>
        )}
        <div className="field">
          <span className="label" aria-hidden="true">
            {t('changelog.name')}
          </span>
          <ObjectPicker
            key={chosen}
            type={chosen}
            label={t('changelog.name')}
            picked={undefined}
            onPick={(picked) => {
              if (picked !== undefined) show(picked.id);
            }}
          />
        </div>
        <form
          className="row id-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (isId(id.trim())) show(id.trim());
          }}
        >
          <TextField
            label={t('changelog.id')}
            value={id}
            onChange={setId}
            problem={isBad ? t('changelog.badId') : undefined}
          />
          <Button type="submit" disabled={!isId(id.trim())}>
            {t('changelog.show')}
          </Button>
        </form>
      </div>
    </section>
  );
}
