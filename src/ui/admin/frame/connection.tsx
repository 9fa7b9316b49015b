/** Says that the server does not answer, or that the session has ended, until it is otherwise. What is typed stays where it is. */
import { type ReactNode, useEffect, useState } from 'react';
import { Notice } from '../../common/parts.js';
import { Login } from '../access/login.js';
import { loadState } from '../server/session.js';
import { useTexts } from '../texts/index.js';
import { leave } from './leave.js';
import { useSession } from './session-context.js';

/** How often it is asked: while all is well, and while the server does not answer. */
const CALM_MS = 30_000;
const EAGER_MS = 2_000;

type Seen = 'well' | 'silent' | 'ended';

export function Connection(): ReactNode {
  const { t } = useTexts();
  const { user, state } = useSession();
  const [seen, setSeen] = useState<Seen>('well');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let over = false;
    let looking = false;
    const look = async (): Promise<void> => {
      looking = true;
      const now: Seen = await loadState().then(
        ({ user: next }) => {
          // Somebody else has logged in, in another tab: what is typed here must not be sent in their name.
          if (next !== undefined && next.id !== user.id) leave();
          return next?.id === user.id ? 'well' : 'ended';
        },
        () => 'silent' as const,
      );
      looking = false;
      if (over) return;
      setSeen(now);
      timer = setTimeout(look, now === 'silent' ? EAGER_MS : CALM_MS);
    };
    const soon = (): void => {
      // The look itself may be what was refused.
      if (looking) return;
      clearTimeout(timer);
      void look();
    };
    timer = setTimeout(look, CALM_MS);
    addEventListener('online', soon);
    addEventListener('offline', soon);
    addEventListener('svc:refused', soon);
    // Who comes back from another tab may have logged in there.
    addEventListener('focus', soon);
    return () => {
      over = true;
      clearTimeout(timer);
      removeEventListener('online', soon);
      removeEventListener('offline', soon);
      removeEventListener('svc:refused', soon);
      removeEventListener('focus', soon);
    };
  }, [user.id, seen]);
  if (seen === 'well') return null;
  if (seen === 'silent') return <Notice kind="note">{t('app.offline')}</Notice>;
  return (
    <section className="narrow">
      <Notice kind="note">{t('app.sessionEnded')}</Notice>
      <Login
        providers={state.providers}
        onLogin={() => {
          loadState().then(
            (next) => {
              if (next.user?.id === user.id) setSeen('well');
              else leave();
            },
            () => {
              setSeen('silent');
            },
          );
        }}
      />
    </section>
  );
}
