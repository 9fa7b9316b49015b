/** The pages by name, searched on the server. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Confirm, Empty } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { placeOf } from '../../frame/place.js';
import { Trouble } from '../../frame/trouble.js';
import { call, list, remove, type Entity, type Listed } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { useFormats } from '../../texts/index.js';
import { pages } from '../../texts/pages.js';
import { NewPage } from './new-page.js';
import { ImportPage } from './import-page.js';
import { RenamePage } from './rename-page.js';

const AT_ONCE = 50;
/** Until somebody has ended typing, in ms. */
const PAUSE_MS = 150;

export interface ListedPage extends Entity {
  readonly position?: number | null;
  readonly category?: string | null;
  readonly showOnErrorCodes?: string | null;
  readonly lastModifiedDate?: string;
}

const SHOWN = ['id', 'type', 'name', 'position', 'category', 'showOnErrorCodes', 'lastModifiedDate'];

export function PageList(): ReactNode {
  const { t } = useAreaTexts(pages);
  const { number } = useFormats();
  const [text, setText] = useState('');
  const [page, setPage] = useState(1);
  const [turn, setTurn] = useState(0);
  const [found, setFound] = useState<Listed<ListedPage>>();
  const [window, setWindow] = useState<'new' | 'import'>();
  const { problem, run } = useWork();
  useEffect(() => {
    const aborter = new AbortController();
    const look = async (): Promise<void> => {
      const answer = await list<ListedPage>(
        'Page',
        {
          type: 'Page',
          ...(text === '' ? {} : { name: text, _inexact: 1 }),
          _sort: 'name',
          _pageSize: AT_ONCE,
          _page: page,
        },
        { properties: SHOWN, signal: aborter.signal },
      );
      setFound(answer);
    };
    const timer = setTimeout(
      () => {
        void run(() =>
          look().catch((error: unknown) => (aborter.signal.aborted ? undefined : Promise.reject(error as Error))),
        );
      },
      turn === 0 && text === '' ? 0 : PAUSE_MS,
    );
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [text, page, turn]);
  const again = (): void => {
    setTurn((before) => before + 1);
  };
  const count = found?.result_count ?? 0;
  return (
    <div className="page-list">
      <div className="head-row">
        <h1>{t('pages.title')}</h1>
        <div className="row">
          <a className="button" href={placeOf('pages', 'components')}>
            {t('pages.components')}
          </a>
          <a className="button" href={placeOf('pages', 'bin')}>
            {t('pages.bin')}
          </a>
          <Button
            onClick={() => {
              setWindow('import');
            }}
          >
            {t('pages.import')}
          </Button>
          <Button
            kind="main"
            onClick={() => {
              setWindow('new');
            }}
          >
            {t('pages.new')}
          </Button>
        </div>
      </div>
      <input
        type="search"
        className="find"
        value={text}
        aria-label={t('pages.find')}
        placeholder={t('pages.find')}
        onChange={(event) => {
          setText(event.target.value);
          setPage(1);
        }}
      />
      <Trouble problem={problem} />
      {found === undefined ? null : found.result.length === 0 ? (
        <Empty>{text === '' ? t('pages.none') : t('pages.noneFound')}</Empty>
      ) : (
        <>
          <table className="framed">
            <thead>
              <tr>
                <th scope="col">{t('pages.name')}</th>
                <th scope="col">{t('pages.use')}</th>
                <th scope="col">{t('pages.changed')}</th>
                <th scope="col">
                  <span className="hidden">{t('pages.actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {found.result.map((listed) => (
                <PageRow key={listed.id} listed={listed} again={again} />
              ))}
            </tbody>
          </table>
          <div className="row spread">
            <span className="soft">{t('pages.count', { count: number(count) })}</span>
            {count > AT_ONCE ? (
              <span className="row">
                <Button
                  disabled={page === 1}
                  onClick={() => {
                    setPage(page - 1);
                  }}
                >
                  {t('pages.previous')}
                </Button>
                <Button
                  disabled={page * AT_ONCE >= count}
                  onClick={() => {
                    setPage(page + 1);
                  }}
                >
                  {t('pages.next')}
                </Button>
              </span>
            ) : null}
          </div>
        </>
      )}
      {window === 'new' ? (
        <NewPage
          onClose={() => {
            setWindow(undefined);
          }}
        />
      ) : window === 'import' ? (
        <ImportPage
          onClose={() => {
            setWindow(undefined);
            again();
          }}
        />
      ) : null}
    </div>
  );
}

function PageRow({ listed, again }: { readonly listed: ListedPage; readonly again: () => void }): ReactNode {
  const { t } = useAreaTexts(pages);
  const { time } = useFormats();
  const [asked, setAsked] = useState<'delete' | 'rename'>();
  const { busy, problem, run } = useWork();
  const { id, name, position, category, showOnErrorCodes, lastModifiedDate } = listed;
  const title = name ?? id;
  const act = (work: () => Promise<unknown>): void => {
    void run(async () => {
      await work();
      setAsked(undefined);
      again();
    });
  };
  return (
    <tr>
      <td className="long">
        <a href={placeOf('pages', id)}>{title}</a>
        {asked === 'delete' ? (
          <Confirm
            question={t('pages.deleteQuestion', { name: title })}
            yes={t('app.delete')}
            no={t('app.cancel')}
            disabled={busy}
            onYes={() => {
              act(() => remove(`Page/${id}`));
            }}
            onNo={() => {
              setAsked(undefined);
            }}
          />
        ) : null}
        {asked === 'rename' ? (
          <RenamePage
            id={id}
            name={name ?? ''}
            onClose={() => {
              setAsked(undefined);
              again();
            }}
          />
        ) : null}
        <Trouble problem={problem} />
      </td>
      <td className="soft">
        {[
          typeof position === 'number' ? t('pages.startAt', { position }) : '',
          (showOnErrorCodes ?? '') === '' ? '' : t('pages.onErrors', { codes: showOnErrorCodes ?? '' }),
          category ?? '',
        ]
          .filter(Boolean)
          .join(' · ')}
      </td>
      <td className="soft">{lastModifiedDate === undefined ? '' : time(lastModifiedDate)}</td>
      <td className="actions">
        <Button
          aria-label={`${t('pages.rename')}: ${title}`}
          onClick={() => {
            setAsked('rename');
          }}
        >
          {t('pages.rename')}
        </Button>
        <Button
          aria-label={`${t('pages.clone')}: ${title}`}
          disabled={busy}
          onClick={() => {
            act(() => call(`Page/${id}/clonePage`));
          }}
        >
          {t('pages.clone')}
        </Button>
        <Button
          kind="danger"
          aria-label={`${t('app.delete')}: ${title}`}
          onClick={() => {
            setAsked('delete');
          }}
        >
          {t('app.delete')}
        </Button>
      </td>
    </tr>
  );
}
