/** The keys by language. */
import { type ReactNode, useState } from 'react';
import { localTexts } from '../texts/localisations.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { useFormats } from '../texts/index.js';
import { Cell } from './cell.js';
import { ChangeKey } from './change-key.js';
import type { Entry } from './entries.js';
import type { Key } from './keys.js';

export function KeyTable(props: {
  readonly keys: readonly Key[];
  readonly locales: readonly string[];
  readonly onChanged: (id: string, entry: Entry | undefined) => void;
  readonly onRenamed: () => void;
}): ReactNode {
  const { keys, locales, onChanged, onRenamed } = props;
  const { t } = useAreaTexts(localTexts);
  const { number } = useFormats();
  const [chosen, setChosen] = useState<Key>();
  return (
    <div className="local-scroll" tabIndex={0} role="region" aria-label={t('localisations.title')}>
      <table className="local-table">
        <thead>
          <tr>
            <th scope="col">{t('local.key')}</th>
            {locales.map((locale) => {
              const missing = keys.filter(({ texts }) => !texts.has(locale)).length;
              return (
                <th key={locale} scope="col">
                  {locale} {missing === 0 ? null : <small>{t('local.missingIn', { n: number(missing) })}</small>}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={JSON.stringify([key.name, key.domain])}>
              <th scope="row">
                <button
                  type="button"
                  className="local-key"
                  onClick={() => {
                    setChosen(key);
                  }}
                >
                  <span className="hidden">{t('local.change')} </span>
                  <bdi>{key.name.length > 200 ? `${key.name.slice(0, 200)}…` : key.name}</bdi>
                  <small className="soft">{key.domain === '' ? t('local.noDomain') : key.domain}</small>
                </button>
              </th>
              {locales.map((locale) => (
                <td key={locale} data-locale={locale}>
                  <Cell
                    name={key.name}
                    domain={key.domain}
                    locale={locale}
                    entry={key.texts.get(locale)}
                    onChanged={onChanged}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {chosen === undefined ? null : (
        <ChangeKey
          changed={chosen}
          onDone={() => {
            setChosen(undefined);
            onRenamed();
          }}
          onClose={() => {
            setChosen(undefined);
          }}
        />
      )}
    </div>
  );
}
