/** The users, by pages. Those that are ticked are dragged and put into groups together. */
import { type DragEvent, type ReactNode, useState } from 'react';
import { Badge, Button } from '../../../common/parts.js';
import { Trouble } from '../../frame/trouble.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { useFormats } from '../../texts/index.js';
import { security } from '../../texts/security.js';
import { CreatePrincipal } from './create-principal.js';
import type { Deeds } from './people.js';
import { DRAGGED, nameOf, searchFor, SHOWN, type Principal } from './principals.js';
import { Pager, SearchField, usePaged } from '../paged.js';

/** Begins to drag these. */
export function drag(event: DragEvent, dragged: readonly Principal[]): void {
  event.stopPropagation();
  event.dataTransfer.effectAllowed = 'copy';
  event.dataTransfer.setData(DRAGGED, JSON.stringify(dragged));
}

export function UserList({ deeds }: { readonly deeds: Deeds }): ReactNode {
  const { t } = useAreaTexts(security);
  const { number } = useFormats();
  const [text, setText] = useState('');
  const [ticked, setTicked] = useState<ReadonlyMap<string, Principal>>(new Map());
  const paged = usePaged<Principal>('User/ui', searchFor(text), SHOWN, { revision: deeds.revision });
  const tick = (user: Principal, isTicked: boolean): void => {
    const next = new Map(ticked);
    if (isTicked) next.set(user.id, user);
    else next.delete(user.id);
    setTicked(next);
  };
  return (
    <section className="card" aria-label={t('sec.users')}>
      <div className="row spread">
        <h2>
          {t('sec.users')}{' '}
          <small className="soft" role="status">
            {paged.rows === undefined ? '' : number(paged.count)}
          </small>
        </h2>
        <CreatePrincipal trait="User" onCreated={deeds.changed} />
      </div>
      <SearchField label={t('sec.findUser')} text={text} onChange={setText} />
      <Trouble problem={paged.problem} />
      {ticked.size === 0 ? null : (
        <div className="row sec-ticked">
          <span className="grow">{t('sec.ticked', { n: number(ticked.size) })}</span>
          <Button
            onClick={() => {
              deeds.ask([...ticked.values()]);
            }}
          >
            {t('sec.putTicked')}
          </Button>
          <Button
            onClick={() => {
              setTicked(new Map());
            }}
          >
            {t('sec.untick')}
          </Button>
        </div>
      )}
      {paged.rows?.length === 0 ? <p className="soft">{t(text === '' ? 'sec.noUsers' : 'sec.nothingFits')}</p> : null}
      <ul className="sec-list">
        {(paged.rows ?? []).map((user) => (
          <li
            key={user.id}
            className="sec-item"
            draggable
            onDragStart={(event) => {
              drag(event, ticked.has(user.id) ? [...ticked.values()] : [user]);
            }}
          >
            <input
              type="checkbox"
              aria-label={t('sec.tick', { name: nameOf(user) })}
              checked={ticked.has(user.id)}
              onChange={(event) => {
                tick(user, event.target.checked);
              }}
            />
            <Name principal={user} deeds={deeds} />
            <Marks user={user} />
          </li>
        ))}
      </ul>
      <Pager paged={paged} label={t('sec.users')} />
    </section>
  );
}

/** The name, which opens it, and the button that puts it into a group. */
export function Name({ principal, deeds }: { readonly principal: Principal; readonly deeds: Deeds }): ReactNode {
  const { t } = useAreaTexts(security);
  const { eMail } = principal;
  const name = nameOf(principal);
  return (
    <>
      <button
        type="button"
        className="sec-name"
        onClick={() => {
          deeds.open(principal.id);
        }}
      >
        <bdi>{name}</bdi>
        {typeof eMail === 'string' && eMail !== name ? <small className="soft">{eMail}</small> : null}
      </button>
      <button
        type="button"
        className="button sec-small"
        aria-label={t('sec.putInto', { name })}
        title={t('sec.putInto', { name })}
        onClick={() => {
          deeds.ask([principal]);
        }}
      >
        {t('sec.plusGroup')}
      </button>
    </>
  );
}

function Marks({ user }: { readonly user: Principal }): ReactNode {
  const { t } = useAreaTexts(security);
  const { isAdmin, blocked, isTwoFactorUser, passwordAttempts } = user;
  return (
    <span className="sec-marks">
      {isAdmin === true ? <Badge kind="warn">{t('sec.admin')}</Badge> : null}
      {blocked === true ? <Badge kind="wrong">{t('sec.blocked')}</Badge> : null}
      {(passwordAttempts ?? 0) > 0 ? <Badge>{t('sec.failures', { n: passwordAttempts ?? 0 })}</Badge> : null}
      {isTwoFactorUser === true ? <Badge kind="good">{t('sec.twoFactor')}</Badge> : null}
    </span>
  );
}
