/** Who has changed what (docs/interface/changelog.md 7). The place is `#/changelog/object/<id>` or `#/changelog/user/<id>`. */
import type { ReactNode } from 'react';
import { Empty } from '../../common/parts.js';
import { useLoaded } from '../../common/work.js';
import { placeOf, type AreaProps } from '../frame/place.js';
import { read, type Entity } from '../server/rest.js';
import { changelogTexts } from '../texts/changelog.js';
import { useAreaTexts } from '../texts/catalogue.js';
import './changelog.css';
import { Choice } from './choice.js';
import { HistoryList } from './history-list.js';

export default function Changelog({ place }: AreaProps): ReactNode {
  const { t } = useAreaTexts(changelogTexts);
  const [kind = '', id = ''] = place;
  const of = kind === 'user' ? 'user' : 'object';
  return (
    <>
      <h1>{t('changelog.title')}</h1>
      <Choice key={of} of={of} />
      {id === '' ? <Empty>{t('changelog.help')}</Empty> : <OneHistory key={`${of} ${id}`} of={of} id={id} />}
    </>
  );
}

/** A history, below what it is of: the name where that can be read, else the id. */
function OneHistory({ of, id }: { readonly of: 'object' | 'user'; readonly id: string }): ReactNode {
  const { t } = useAreaTexts(changelogTexts);
  const { value, problem } = useLoaded(() => read<Entity>(encodeURIComponent(id)));
  return (
    <section aria-labelledby="changelog-whose">
      <h2 id="changelog-whose">
        <bdi>{value === undefined ? id : `${value.type} ${(value.name ?? id).slice(0, 200)}`}</bdi>
      </h2>
      {problem?.status === 404 ? <p className="soft">{t('changelog.gone')}</p> : null}
      {value === undefined || of === 'user' ? null : (
        <p className="soft">
          <code>{id}</code> · <a href={placeOf('data', value.type)}>{t('changelog.openData')}</a>
        </p>
      )}
      <HistoryList of={of} id={id} type={of === 'object' ? (value?.type ?? '') : ''} />
    </section>
  );
}
