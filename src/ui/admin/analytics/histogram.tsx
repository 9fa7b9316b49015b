/** Events by what an expression captures in their messages (docs/interface/analytics.md 6). */
import { type ReactNode, useState } from 'react';
import { Empty, TextField } from '../../common/parts.js';
import { Trouble } from '../frame/trouble.js';
import { analyticsTexts } from '../texts/analytics.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { useFormats } from '../texts/index.js';
import { loadGroups, queryOf, type Asked, type Summary } from './events.js';
import { Plot, shortened } from './plot.js';
import { useAsked } from './use-asked.js';

const BARS = 30;
const ROWS = 1_000;

export function Histogram({ asked, summary }: { readonly asked: Asked; readonly summary: Summary }): ReactNode {
  const { t } = useAreaTexts(analyticsTexts);
  const [expression, setExpression] = useState('(.*)');
  const { value, problem } = useAsked(JSON.stringify([asked, expression]), async (signal) => {
    if (expression === '') return [];
    const query = { ...queryOf(asked, summary), histogram: expression };
    const groups = await loadGroups(query, 'year', signal);
    const counts = new Map<string, number>();
    for (const group of groups.values())
      for (const [text, count] of Object.entries(group))
        if (text !== 'total') counts.set(text, (counts.get(text) ?? 0) + count);
    return [...counts].sort((a, b) => b[1] - a[1]);
  });
  return (
    <>
      <TextField
        label={t('analytics.expression')}
        value={expression}
        onChange={setExpression}
        help={t('analytics.expressionHelp')}
      />
      <Trouble problem={problem} />
      {value === undefined ? null : value.length === 0 ? (
        <Empty>{t('analytics.nothingCaptured')}</Empty>
      ) : (
        <Bars counts={value} />
      )}
    </>
  );
}

function Bars({ counts }: { readonly counts: readonly (readonly [text: string, count: number])[] }): ReactNode {
  const { t } = useAreaTexts(analyticsTexts);
  const { number } = useFormats();
  const bars = counts.slice(0, BARS);
  return (
    <>
      <Plot
        bars
        label={t('analytics.bars')}
        at={bars.map((_, i) => i)}
        lines={[{ name: t('analytics.events'), values: bars.map(([, count]) => count) }]}
        axisLabel={(i) => shortened(bars[i]?.[0] ?? '')}
        fullLabel={(i) => (bars[i]?.[0] ?? '').slice(0, 200)}
      />
      {counts.length > BARS ? <p className="soft">{t('analytics.rest', { n: number(counts.length - BARS) })}</p> : null}
      <details className="plot-table" open>
        <summary>{t('analytics.table')}</summary>
        {counts.length > ROWS ? (
          <p className="soft">{t('analytics.firstRows', { n: number(ROWS), all: number(counts.length) })}</p>
        ) : null}
        <div className="plot-scroll" tabIndex={0} role="region" aria-label={t('analytics.table')}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('analytics.captured')}</th>
                <th scope="col" className="count">
                  {t('analytics.events')}
                </th>
              </tr>
            </thead>
            <tbody>
              {counts.slice(0, ROWS).map(([text, count]) => (
                <tr key={text}>
                  <th scope="row">
                    <bdi className="message">{text.slice(0, 500)}</bdi>
                  </th>
                  <td className="count">{number(count)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}
