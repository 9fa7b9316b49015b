/** Events by groups of time: a plot, and the same as a table. */
import { type ReactNode, useState } from 'react';
import { Empty, TextField } from '../../common/parts.js';
import { Trouble } from '../frame/trouble.js';
import { analyticsTexts } from '../texts/analytics.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { useFormats } from '../texts/index.js';
import { MOST_LINES } from './colours.js';
import { loadGroups, queryOf, unitOf, type Asked, type Summary } from './events.js';
import { Plot, type Line } from './plot.js';
import { useTimes } from './times.js';
import { useAsked } from './use-asked.js';

const ROWS = 500;
/** Under which name the second expression is counted. */
const MATCHING = 'matching';

interface Counted {
  readonly times: readonly number[];
  readonly lines: readonly Line[];
}

export function OverTime({ asked, summary }: { readonly asked: Asked; readonly summary: Summary }): ReactNode {
  const { t } = useAreaTexts(analyticsTexts);
  const { number } = useFormats();
  const [byAction, setByAction] = useState(false);
  const [counted, setCounted] = useState('');
  const unit = unitOf(asked, summary);
  const time = useTimes(unit);
  const separate = byAction && asked.action === '';
  const actions = separate ? summary.actions.slice(0, MOST_LINES) : [];
  const { value, problem } = useAsked(JSON.stringify([asked, unit, actions, counted]), async (signal) => {
    const query = queryOf(asked, summary);
    const total = await loadGroups({ ...query, ...(counted === '' ? {} : { [MATCHING]: counted }) }, unit, signal);
    const times = [...total.keys()].sort((a, b) => a - b);
    const parts = await Promise.all(actions.map((action) => loadGroups({ ...query, action }, unit, signal)));
    const lines: Line[] = separate
      ? actions.map((name, i) => ({ name, values: times.map((at) => parts[i]?.get(at)?.['total'] ?? 0) }))
      : [{ name: t('analytics.total'), values: times.map((at) => total.get(at)?.['total'] ?? 0) }];
    if (counted !== '' && !separate)
      lines.push({ name: t('analytics.matching'), values: times.map((at) => total.get(at)?.[MATCHING] ?? 0) });
    return { times, lines };
  });
  return (
    <>
      <div className="row plot-options">
        <label className="choice">
          <input
            type="checkbox"
            checked={separate}
            disabled={asked.action !== ''}
            onChange={(event) => {
              setByAction(event.target.checked);
            }}
          />
          {t('analytics.byAction')}
          {separate && summary.actions.length > MOST_LINES ? (
            <span className="soft">
              {t('analytics.firstActions', { n: MOST_LINES, all: number(summary.actions.length) })}
            </span>
          ) : null}
        </label>
        <TextField
          label={t('analytics.counted')}
          value={counted}
          onChange={setCounted}
          disabled={separate}
          help={t('analytics.countedHelp')}
        />
      </div>
      <Trouble problem={problem} />
      {value === undefined ? null : <Shown {...value} time={time} />}
    </>
  );
}

function Shown({ times, lines, time }: Counted & { readonly time: (at: number) => string }): ReactNode {
  const { t } = useAreaTexts(analyticsTexts);
  const { number } = useFormats();
  const places = times.map((_, i) => i).filter((i) => lines.some(({ values }) => (values[i] ?? 0) > 0));
  if (places.length === 0) return <Empty>{t('analytics.empty')}</Empty>;
  return (
    <>
      <Plot
        label={t('analytics.plot')}
        at={times.map((at) => at / 1000)}
        lines={lines}
        axisLabel={(at) => time(at * 1000)}
        fullLabel={(i) => time(times[i] ?? 0)}
      />
      <details className="plot-table" open>
        <summary>{t('analytics.table')}</summary>
        <p className="soft">
          {t('analytics.withEvents')}
          {places.length > ROWS ? ` ${t('analytics.firstRows', { n: number(ROWS), all: number(places.length) })}` : ''}
        </p>
        <div className="plot-scroll" tabIndex={0} role="region" aria-label={t('analytics.table')}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('analytics.group')}</th>
                {lines.map(({ name }) => (
                  <th key={name} scope="col" className="count">
                    <bdi>{name}</bdi>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {places.slice(0, ROWS).map((i) => (
                <tr key={times[i]}>
                  <th scope="row">{time(times[i] ?? 0)}</th>
                  {lines.map(({ name, values }) => (
                    <td key={name} className="count" data-name={name}>
                      {number(values[i] ?? 0)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}
