/** The folders down to where somebody is, as links. */
import type { ReactNode } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { folderPlace } from '../places.js';
import type { Entry } from '../tree-server.js';

export function Crumbs({ way, last }: { readonly way: readonly Entry[]; readonly last?: string }): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const above = last === undefined ? way.slice(0, -1) : way;
  const here = last ?? way.at(-1)?.name;
  return (
    <nav className="crumbs" aria-label={t('way')}>
      <ol>
        {here === undefined ? null : (
          <li>
            <a href={folderPlace(undefined)}>{t('allFiles')}</a>
          </li>
        )}
        {above.map(({ id, name }) => (
          <li key={id}>
            <a href={folderPlace(id)} dir="auto">
              {name}
            </a>
          </li>
        ))}
        <li>
          <h2 dir="auto">{here ?? t('allFiles')}</h2>
        </li>
      </ol>
    </nav>
  );
}
