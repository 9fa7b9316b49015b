/** The analytics log (docs/interface/analytics.md): over time, as a histogram, event by event. The place is `#/analytics/<view>`. */
import { type ReactNode, useState } from 'react';
import { Empty } from '../../common/parts.js';
import { useLoaded } from '../../common/work.js';
import { placeOf, type AreaProps } from '../frame/place.js';
import { Trouble } from '../frame/trouble.js';
import { TabRow } from '../parts/tab-row.js';
import { analyticsTexts } from '../texts/analytics.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { useFormats } from '../texts/index.js';
import './analytics.css';
import { EventList } from './event-list.js';
import { loadSummary, NO_FILTERS } from './events.js';
import { Filters } from './filters.js';
import { Histogram } from './histogram.js';
import { OverTime } from './over-time.js';

export default function Analytics({ place }: AreaProps): ReactNode {
  const { t } = useAreaTexts(analyticsTexts);
  const { number, time } = useFormats();
  const { value: summary, problem } = useLoaded(loadSummary);
  const [asked, setAsked] = useState(NO_FILTERS);
  return (
    <>
      <h1>{t('analytics.title')}</h1>
      <Trouble problem={problem} />
      {summary === undefined ? null : summary.entryCount === 0 ? (
        <Empty>{t('analytics.none')}</Empty>
      ) : (
        <>
          <p className="soft">
            {summary.firstEntry === null || summary.lastEntry === null
              ? t('analytics.timeless', { n: number(summary.entryCount) })
              : t('analytics.summary', {
                  n: number(summary.entryCount),
                  first: time(summary.firstEntry),
                  last: time(summary.lastEntry),
                })}
          </p>
          <Filters asked={asked} actions={summary.actions} onChange={setAsked} />
          <TabRow
            label={t('analytics.views')}
            chosen={place[0]}
            onChoose={(view) => {
              location.hash = placeOf('analytics', view);
            }}
            tabs={[
              {
                name: 'time',
                title: t('analytics.overTime'),
                content: () => <OverTime asked={asked} summary={summary} />,
              },
              {
                name: 'histogram',
                title: t('analytics.histogram'),
                content: () => <Histogram asked={asked} summary={summary} />,
              },
              {
                name: 'events',
                title: t('analytics.log'),
                content: () => <EventList asked={asked} summary={summary} />,
              },
            ]}
          />
        </>
      )}
    </>
  );
}
