/** Lists that may be long: one page of them, read as it is looked at; the search is the server's. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Empty, Notice } from '../../common/parts.js';
import { asRefusal, type RefusedError } from '../../common/request.js';
import { Trouble } from '../frame/trouble.js';
import { list, type Entity, type Query } from '../server/rest.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { useFormats } from '../texts/index.js';
import { security } from '../texts/security.js';

const PAGE = 25;
/** Until somebody has ended typing, in ms. */
const PAUSE_MS = 150;

export interface Paged<T> {
  /** Undefined until the first page is there. */
  readonly rows: readonly T[] | undefined;
  readonly count: number;
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  readonly problem: RefusedError | undefined;
  readonly goTo: (page: number) => void;
  readonly again: () => void;
}

interface Seen<T> {
  readonly rows?: readonly T[];
  readonly count?: number;
  readonly problem?: RefusedError;
}

/** `properties`: what is shown. `revision`: another number reads the page anew. */
export function usePaged<T = Entity>(
  path: string,
  query: Query,
  properties: readonly string[],
  { revision = 0, size = PAGE }: { readonly revision?: number; readonly size?: number } = {},
): Paged<T> {
  const [at, setAt] = useState({ key: '', page: 1 });
  const [seen, setSeen] = useState<Seen<T>>({});
  const [turn, setTurn] = useState(0);
  const key = JSON.stringify([path, query]);
  // Another search begins with its first page.
  const page = at.key === key ? at.page : 1;
  useEffect(() => {
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      list<T>(
        path,
        { _sort: 'name', ...query, _page: page, _pageSize: size, _forceResultCount: 1, _outputNestingDepth: 1 },
        { properties, signal: aborter.signal },
      ).then(
        ({ result, result_count: count = result.length }) => {
          // What was on the last page may have gone.
          if (result.length === 0 && page > 1) setAt({ key, page: Math.max(1, Math.ceil(count / size)) });
          else setSeen({ rows: result, count });
        },
        (error: unknown) => {
          if (aborter.signal.aborted) return;
          const problem = asRefusal(error);
          setSeen((before) => ({ ...before, problem }));
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [key, page, turn, revision]);
  const count = seen.count ?? 0;
  return {
    rows: seen.rows,
    count,
    page,
    pages: Math.max(1, Math.ceil(count / size)),
    problem: seen.problem,
    goTo: (next) => {
      setAt({ key, page: next });
    },
    again: () => {
      setTurn((before) => before + 1);
    },
  };
}

/** Where in the list one is; nothing where it has one page. */
export function Pager({
  paged,
  label,
}: {
  readonly paged: Omit<Paged<never>, 'rows'>;
  readonly label: string;
}): ReactNode {
  const { t } = useAreaTexts(security);
  const { number } = useFormats();
  const { page, pages, goTo } = paged;
  if (pages < 2) return null;
  return (
    <nav className="row sec-pager" aria-label={t('sec.pagesOf', { name: label })}>
      <Button
        disabled={page <= 1}
        onClick={() => {
          goTo(page - 1);
        }}
      >
        {t('sec.before')}
      </Button>
      <span className="soft">{t('sec.pageOf', { page: number(page), pages: number(pages) })}</span>
      <Button
        disabled={page >= pages}
        onClick={() => {
          goTo(page + 1);
        }}
      >
        {t('sec.next')}
      </Button>
    </nav>
  );
}

/** A field that searches a list. */
export function SearchField({
  label,
  text,
  onChange,
}: {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}): ReactNode {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => {
        onChange(event.target.value);
      }}
    />
  );
}

/** A list by pages as a card: its title with how many there are, what makes a new one, the search, and nothing where nothing fits. */
export function PagedCard<T>(props: {
  readonly title: string;
  /** Makes a new one. */
  readonly action: ReactNode;
  readonly help?: string;
  /** What was done last. */
  readonly told?: string;
  readonly search: ReactNode;
  /** Something is searched for. */
  readonly isSearched: boolean;
  /** Said where there is none at all. */
  readonly none: string;
  readonly paged: Paged<T>;
  readonly children: (rows: readonly T[]) => ReactNode;
}): ReactNode {
  const { title, action, help, told = '', search, isSearched, none, paged, children } = props;
  const { t } = useAreaTexts(security);
  const { number } = useFormats();
  const { rows, count, problem } = paged;
  return (
    <section className="card" aria-label={title}>
      <div className="row spread sec-head">
        <h2>
          {title}{' '}
          <small className="soft" role="status">
            {rows === undefined ? '' : number(count)}
          </small>
        </h2>
        {action}
      </div>
      {help === undefined ? null : <p className="soft">{help}</p>}
      {told === '' ? null : <Notice kind="good">{told}</Notice>}
      {search}
      <Trouble problem={problem} />
      {rows === undefined ? null : rows.length === 0 ? (
        <Empty>{isSearched ? t('sec.nothingFits') : none}</Empty>
      ) : (
        children(rows)
      )}
      <Pager paged={paged} label={title} />
    </section>
  );
}
