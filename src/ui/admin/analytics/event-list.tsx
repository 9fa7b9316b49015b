/** The events themselves, the newest first, by pages. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../common/parts.js';
import { Trouble } from '../frame/trouble.js';
import { restPath } from '../server/rest.js';
import { analyticsTexts } from '../texts/analytics.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { useFormats } from '../texts/index.js';
import { listQuery, loadEvents, PAGE_SIZE, queryOf, type Asked, type Summary } from './events.js';
import { useAsked } from './use-asked.js';

/** Characters of a message that are shown at first. */
const SHOWN = 300;

export function EventList({ asked, summary }: { readonly asked: Asked; readonly summary: Summary }): ReactNode {
  const { t } = useAreaTexts(analyticsTexts);
  const { number, time } = useFormats();
  const [page, setPage] = useState(1);
  const query = queryOf(asked, summary);
  const question = JSON.stringify(asked);
  useEffect(() => {
    setPage(1);
  }, [question]);
  const { value, problem } = useAsked(JSON.stringify([asked, page]), (signal) => loadEvents(query, page, signal));
  const count = value?.result_count ?? 0;
  const pages = Math.max(1, Math.ceil(count / PAGE_SIZE));
  return (
    <>
      <div className="row spread">
        <p className="soft" role="status">
          {value === undefined ? '' : count === 0 ? t('analytics.empty') : t('analytics.count', { n: number(count) })}
        </p>
        <div className="row">
          {(['csv', 'ndjson'] as const).map((format) => (
            <a
              key={format}
              className="button"
              href={restPath('log', { ...listQuery(query), _format: format })}
              download={`events.${format}`}
            >
              {t(format === 'csv' ? 'analytics.exportCsv' : 'analytics.exportNdjson')}
            </a>
          ))}
        </div>
      </div>
      <Trouble problem={problem} />
      {count === 0 ? null : (
        <table className="events framed">
          <thead>
            <tr>
              <th scope="col">{t('analytics.time')}</th>
              <th scope="col">{t('analytics.action')}</th>
              <th scope="col">{t('analytics.subject')}</th>
              <th scope="col">{t('analytics.object')}</th>
              <th scope="col">{t('analytics.message')}</th>
            </tr>
          </thead>
          <tbody>
            {value?.result.map((event, i) => (
              <tr key={i}>
                <td className="when">{time(event.timestamp)}</td>
                <td className="word" data-label={t('analytics.action')}>
                  {event.action}
                </td>
                <td className="long word" data-label={t('analytics.subject')}>
                  <bdi>{event.subject}</bdi>
                </td>
                <td className="long" data-label={t('analytics.object')}>
                  <bdi>{event.object}</bdi>
                </td>
                <td className="long" data-label={t('analytics.message')}>
                  <Message text={event.message ?? ''} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {pages < 2 ? null : (
        <nav className="row" aria-label={t('analytics.page', { n: number(page), all: number(pages) })}>
          <Button
            disabled={page <= 1}
            onClick={() => {
              setPage(page - 1);
            }}
          >
            {t('analytics.newer')}
          </Button>
          <span>{t('analytics.page', { n: number(page), all: number(pages) })}</span>
          <Button
            disabled={page >= pages}
            onClick={() => {
              setPage(page + 1);
            }}
          >
            {t('analytics.older')}
          </Button>
        </nav>
      )}
    </>
  );
}

function Message({ text }: { readonly text: string }): ReactNode {
  if (text.length <= SHOWN) return <bdi className="message">{text}</bdi>;
  return (
    <details>
      <summary>
        <bdi className="message">{text.slice(0, SHOWN)}…</bdi>
      </summary>
      <bdi className="message">{text}</bdi>
    </details>
  );
}
