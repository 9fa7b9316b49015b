/** The types, own ones first. */
import { type ReactNode, useState } from 'react';
import { placeOf } from '../../frame/place.js';
import type { TypeInfo } from '../../server/schema.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { dataTexts } from '../../texts/data.js';

export function TypeList({
  types,
  chosen,
}: {
  readonly types: readonly TypeInfo[];
  readonly chosen: string | undefined;
}): ReactNode {
  const { t } = useAreaTexts(dataTexts);
  const [text, setText] = useState('');
  const wanted = text.toLowerCase();
  const found = types.filter(({ name }) => name.toLowerCase().includes(wanted));
  const own = found.filter(({ isBuiltin }) => !isBuiltin);
  const builtin = found.filter(({ isBuiltin }) => isBuiltin);
  return (
    <nav className="types" aria-label={t('data.types')}>
      <input
        type="search"
        value={text}
        aria-label={t('data.findType')}
        placeholder={t('data.findType')}
        onChange={(event) => {
          setText(event.target.value);
        }}
      />
      {found.length === 0 ? <p className="soft">{t('data.noTypeFits')}</p> : null}
      <h2>{t('data.ownTypes')}</h2>
      {own.length === 0 && wanted === '' ? <p className="soft">{t('data.noOwnTypes')}</p> : null}
      <Links types={own} chosen={chosen} />
      <details open={wanted !== '' || builtin.some(({ name }) => name === chosen)}>
        <summary>{t('data.builtinTypes')}</summary>
        <Links types={builtin} chosen={chosen} />
      </details>
    </nav>
  );
}

function Links({
  types,
  chosen,
}: {
  readonly types: readonly TypeInfo[];
  readonly chosen: string | undefined;
}): ReactNode {
  return (
    <ul>
      {types.map(({ name }) => (
        <li key={name}>
          <a className="tab" href={placeOf('data', name)} aria-current={name === chosen ? 'page' : undefined}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
}
