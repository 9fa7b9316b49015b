/** A history to be read: what each transaction has done, the newest first, by pages. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Notice, TextField } from '../../common/parts.js';
import { asRefusal, type RefusedError } from '../../common/request.js';
import { placeOf } from '../frame/place.js';
import { Trouble } from '../frame/trouble.js';
import { changelogTexts } from '../texts/changelog.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { useFormats } from '../texts/index.js';
import { useDateKeys } from './date-keys.js';
import { EntryLine } from './entry-line.js';
import {
  loadHistory,
  momentsOf,
  PAGE_SIZE,
  VERBS,
  type Asked,
  type Entry,
  type History,
  type Moment,
} from './history.js';

const SERVICE = /^0{32}$/;

/** Until somebody has ended typing, in ms. */
const PAUSE_MS = 200;

function useHistory(asked: Asked): {
  readonly history: History | undefined;
  readonly problem: RefusedError | undefined;
} {
  const [history, setHistory] = useState<History>();
  const [problem, setProblem] = useState<RefusedError>();
  const key = JSON.stringify(asked);
  useEffect(() => {
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      loadHistory(asked, aborter.signal).then(
        (next) => {
          setHistory(next);
          setProblem(undefined);
        },
        (error: unknown) => {
          if (!aborter.signal.aborted) setProblem(asRefusal(error));
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [key]);
  return { history, problem };
}

/** `type`: of the object; empty: not known, or a user's log. */
export function HistoryList({ of, id, type }: Pick<Asked, 'of' | 'id'> & { readonly type: string }): ReactNode {
  const { t } = useAreaTexts(changelogTexts);
  const { number } = useFormats();
  const [asked, setAsked] = useState<Omit<Asked, 'of' | 'id'>>({ page: 1, verb: '', key: '', from: '', to: '' });
  const { history, problem } = useHistory({ of, id, ...asked });
  const typeOf = ({ targetObj, type: own }: Entry): string => targetObj?.type ?? own ?? type;
  const isDate = useDateKeys((history?.entries ?? []).filter(({ verb }) => verb === 'change').map(typeOf));
  const filter = (more: Partial<Asked>): void => {
    setAsked({ ...asked, page: 1, ...more });
  };
  const filtered = [asked.verb, asked.key, asked.from, asked.to].some((text) => text !== '');
  const pages = Math.max(1, Math.ceil((history?.count ?? 0) / PAGE_SIZE));
  return (
    <>
      <div className="row filters">
        <div className="field">
          <label htmlFor="changelog-verb">{t('changelog.verb')}</label>
          <select
            id="changelog-verb"
            value={asked.verb}
            onChange={(event) => {
              filter({ verb: event.target.value });
            }}
          >
            <option value="">{t('changelog.any')}</option>
            {VERBS.map((verb) => (
              <option key={verb} value={verb}>
                {t(`changelog.${verb}`)}
              </option>
            ))}
          </select>
        </div>
        <TextField
          label={t('changelog.key')}
          value={asked.key}
          onChange={(key) => {
            filter({ key });
          }}
        />
        {(['from', 'to'] as const).map((bound) => (
          <div key={bound} className="field">
            <label htmlFor={`changelog-${bound}`}>{t(`changelog.${bound}`)}</label>
            <input
              id={`changelog-${bound}`}
              type="datetime-local"
              value={asked[bound]}
              onChange={(event) => {
                filter({ [bound]: event.target.value });
              }}
            />
          </div>
        ))}
      </div>
      <Trouble problem={problem} />
      {history?.enabled === false ? (
        <Notice kind="note">
          {t('changelog.off', {
            setting: of === 'user' ? 'application.changelog.user_centric.enabled' : 'application.changelog.enabled',
          })}
        </Notice>
      ) : null}
      <p className="soft" role="status">
        {history === undefined
          ? ''
          : history.count > 0
            ? t('changelog.count', { n: number(history.count) })
            : t(filtered ? 'changelog.noneFiltered' : 'changelog.none')}
      </p>
      <ol className="history">
        {momentsOf(history?.entries ?? []).map((moment, i) => (
          <MomentOf
            key={i}
            moment={moment}
            ofUser={of === 'user'}
            isDate={(entry) => isDate(typeOf(entry), entry.key ?? '')}
          />
        ))}
      </ol>
      {pages < 2 ? null : (
        <nav className="row" aria-label={t('changelog.page', { n: number(asked.page), all: number(pages) })}>
          <Button
            disabled={asked.page <= 1}
            onClick={() => {
              setAsked({ ...asked, page: asked.page - 1 });
            }}
          >
            {t('changelog.newer')}
          </Button>
          <span>{t('changelog.page', { n: number(asked.page), all: number(pages) })}</span>
          <Button
            disabled={asked.page >= pages}
            onClick={() => {
              setAsked({ ...asked, page: asked.page + 1 });
            }}
          >
            {t('changelog.older')}
          </Button>
        </nav>
      )}
    </>
  );
}

function MomentOf({
  moment,
  ofUser,
  isDate,
}: {
  readonly moment: Moment;
  readonly ofUser: boolean;
  readonly isDate: (entry: Entry) => boolean;
}): ReactNode {
  const { t } = useAreaTexts(changelogTexts);
  const { time } = useFormats();
  const { userId, userName, entries } = moment;
  return (
    <li className="card moment">
      <p className="soft when">
        <time dateTime={new Date(moment.time).toISOString()}>{time(moment.time)}</time>
        {ofUser ? null : ' · '}
        {ofUser ? null : SERVICE.test(userId) ? (
          t('changelog.service')
        ) : userId === 'anonymous' ? (
          t('changelog.nobody')
        ) : (
          <a href={placeOf('changelog', 'user', userId)}>
            <bdi>{userName}</bdi>
          </a>
        )}
      </p>
      <ul>
        {entries.map((entry, i) => (
          <li key={i}>
            <EntryLine entry={entry} ofUser={ofUser} isDate={isDate(entry)} />
          </li>
        ))}
      </ul>
    </li>
  );
}
