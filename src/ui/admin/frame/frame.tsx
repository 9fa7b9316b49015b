/** What is around all areas: the bar with the name of the instance, the list of areas, who is logged in. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { late, type Late } from '../../common/late.js';
import { Button, Notice } from '../../common/parts.js';
import { DocumentedPassword } from '../access/change-password.js';
import { AREAS } from '../areas.js';
import { logOut, type State, type User } from '../server/session.js';
import { languages, useTexts, type Language } from '../texts/index.js';
import { Boundary } from './boundary.js';
import { Connection } from './connection.js';
import { leave } from './leave.js';
import { placeOf, usePlace, type AreaProps } from './place.js';
import { SessionContext } from './session-context.js';

/** Not of the first screen: the area comes first. */
const WorkNotices = late(async () => (await import('./work-notices.js')).default);
const OwnPassword = late(async () => (await import('../access/own-password.js')).default);

/** Made once each: a new one would lose what is in it. */
const loaded: ReadonlyMap<string, Late<AreaProps>> = new Map(
  AREAS.map(({ name, load }) => [name, late(async () => (await load()).default)]),
);

export function Frame({
  state,
  user,
  again,
}: {
  readonly state: State;
  readonly user: User;
  readonly again: () => void;
}): ReactNode {
  const { t } = useTexts();
  const [named = '', ...place] = usePlace();
  const area = AREAS.find(({ name }) => name === named) ?? AREAS[0];
  const Shown = loaded.get(area?.name ?? '');
  const session = useMemo(() => ({ state, user, again }), [state, user, again]);
  const list = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // What the styles of the area go by (bundle-ui.js).
    if (area !== undefined) document.documentElement.dataset['area'] = area.name;
  }, [area]);
  useEffect(() => {
    // On a narrow page the list is a row that is longer than the page.
    const side = list.current;
    const here = side?.querySelector<HTMLElement>('[aria-current]');
    if (side === null || here === undefined || here === null) return;
    side.scrollLeft = here.offsetLeft - (side.clientWidth - here.offsetWidth) / 2;
  }, [area]);
  if (area === undefined || Shown === undefined) return null;
  return (
    <SessionContext value={session}>
      <div className="frame">
        <a className="skip" href="#content" onClick={focusContent}>
          {t('app.skip')}
        </a>
        <Bar state={state} user={user} first={Shown} />
        <nav ref={list} className="side" aria-label={t('app.areas')}>
          {AREAS.map(({ name, title }) => (
            <a key={name} className="tab" href={placeOf(name)} aria-current={name === area.name ? 'page' : undefined}>
              {t(title)}
            </a>
          ))}
        </nav>
        <main id="content" className="content" tabIndex={-1}>
          <Connection />
          <DocumentedPassword area={area.name} />
          <Boundary key={area.name} title={t('app.failed')} again={t('app.again')}>
            <Shown place={place} waiting={<p className="soft">{t('app.loading')}</p>} />
          </Boundary>
        </main>
      </div>
    </SessionContext>
  );
}

/** The address names the area, so that the link must not change it. */
function focusContent(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

/** `first`: what is loaded before parts of the bar are. */
function Bar({
  state,
  user,
  first,
}: {
  readonly state: State;
  readonly user: User;
  readonly first: Late<AreaProps>;
}): ReactNode {
  const { t, language, choose } = useTexts();
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    void first.begin().then(() => {
      setShown(true);
    });
  }, []);
  const [problem, setProblem] = useState('');
  const [changing, setChanging] = useState(false);
  // As it will be, so that nothing moves: narrow windows have none while nothing runs.
  const idle = (
    <button type="button" className="button idle" disabled>
      {t('work.none')}
    </button>
  );
  return (
    <header className="top">
      <p className="brand">{state.title}</p>
      <div className="who">
        {state.instance === '' && state.stage === '' ? null : (
          <span className="instance">{[state.instance, state.stage].filter(Boolean).join(' · ')}</span>
        )}
        {isShown ? (
          <Boundary title={t('app.failed')} again={t('app.again')} instead={null}>
            <WorkNotices waiting={idle} />
          </Boundary>
        ) : (
          idle
        )}
        <label className="hidden" htmlFor="language">
          {t('app.language')}
        </label>
        <select
          id="language"
          value={language}
          onChange={(event) => {
            choose(event.target.value as Language);
          }}
        >
          {languages.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
        {state.hasConfiguration ? (
          <a
            className="button wrench"
            href="config"
            target="_blank"
            rel="noreferrer"
            title={t('app.configurationHint')}
          >
            <Wrench />
            <span className="hidden">{t('app.configuration')}</span>
          </a>
        ) : null}
        <Button
          title={t('password.change')}
          onClick={() => {
            setChanging(true);
          }}
        >
          <span className="user">{user.name}</span>
        </Button>
        {changing ? (
          <Boundary title={t('app.failed')} again={t('app.again')}>
            <OwnPassword
              waiting={null}
              onClose={() => {
                setChanging(false);
              }}
            />
          </Boundary>
        ) : null}
        <Button
          onClick={() => {
            logOut().then(leave, (error: unknown) => {
              setProblem(String(error));
            });
          }}
        >
          {t('app.logout')}
        </Button>
      </div>
      {problem === '' ? null : <Notice kind="wrong">{problem}</Notice>}
    </header>
  );
}

function Wrench(): ReactNode {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 24 24"
      width="18"
      height="18"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
    >
      <path
        d="M14.7 6.3a1 1 0 0 0 0 1.4l1.6 1.6a1 1 0 0 0 1.4 0l3.77-3.77a6 6 0 0 1-7.94 7.94l-6.91 6.91a2.12 2.12 0 0 1-3-3l6.91-6.91a6 6 0 0 1 7.94-7.94z"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}
