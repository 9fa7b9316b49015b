/** The users, by pages. Those that are ticked are dragged and put into groups together. */
import { type ReactNode, useState } from 'react';
import { Badge, Button } from '../../../common/parts.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { useFormats } from '../../texts/index.js';
import { security } from '../../texts/security.js';
import { CreatePrincipal } from './create-principal.js';
import { drag, Name, type Deeds } from './named.js';
import { nameOf, searchFor, SHOWN, type Principal } from './principals.js';
import { PagedCard, SearchField, usePaged } from '../paged.js';

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
    <PagedCard
      title={t('sec.users')}
      action={<CreatePrincipal trait="User" onCreated={deeds.changed} />}
      search={
        <>
          <SearchField label={t('sec.findUser')} text={text} onChange={setText} />
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
        </>
      }
      isSearched={text !== ''}
      none={t('sec.noUsers')}
      paged={paged}
    >
      {(rows) => (
        <ul className="sec-list">
          {rows.map((user) => (
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
      )}
    </PagedCard>
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
