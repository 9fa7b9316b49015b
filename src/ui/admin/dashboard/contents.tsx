/** How many there are of what. */
import type { ReactNode } from 'react';
import { useAgainAndAgain } from '../server/again-and-again.js';
import { list } from '../server/rest.js';
import { useFormats, useTexts } from '../texts/index.js';
import type { TextKey } from '../texts/en.js';
import { Fact } from './server-facts.js';

const PAUSE_MS = 30_000;
const KINDS: readonly (readonly [type: string, title: TextKey])[] = [
  ['SchemaNode', 'dashboard.types'],
  ['User', 'dashboard.users'],
  ['Group', 'dashboard.groups'],
  ['File', 'dashboard.files'],
  ['Folder', 'dashboard.folders'],
  ['Page', 'dashboard.pages'],
];

/** Counts of a kind that may not be listed are left out. */
const load = (): Promise<readonly (number | undefined)[]> =>
  Promise.all(
    KINDS.map(([type]) =>
      list(type, { _pageSize: 1, _forceResultCount: 1 }, { properties: ['id'] }).then(
        ({ result_count: count }) => count,
        () => undefined,
      ),
    ),
  );

export function Contents(): ReactNode {
  const { t } = useTexts();
  const { number } = useFormats();
  const { value: counts } = useAgainAndAgain(load, PAUSE_MS);
  return (
    <section className="card">
      <h2>{t('dashboard.counts')}</h2>
      <dl className="facts">
        {KINDS.map(([type, title], i) => {
          const count = counts?.[i];
          return count === undefined ? null : (
            <Fact key={type} name={t(title)}>
              {number(count)}
            </Fact>
          );
        })}
      </dl>
      {counts?.every((count) => count === undefined) === true ? <p className="soft">{t('app.refused')}</p> : null}
    </section>
  );
}
