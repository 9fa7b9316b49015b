/** Where a user is logged in, and how that is ended (docs/interface/security.md 3.5, 6.3). */
import type { ReactNode } from 'react';
import { Button } from '../../../common/parts.js';
import { useLoaded, useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { change, read, remove } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { useFormats } from '../../texts/index.js';
import { security } from '../../texts/security.js';
import type { Opened } from './principals.js';

interface SessionInfo {
  readonly id: string;
  readonly begun: string;
  readonly lastAccess: string;
}

export function UserSessions({
  path,
  opened,
  again,
}: {
  readonly path: string;
  readonly opened: Opened;
  readonly again: () => void;
}): ReactNode {
  const { t } = useAreaTexts(security);
  const { time, number } = useFormats();
  const sessions = useLoaded(() => read<readonly SessionInfo[]>('_sessions', { user: opened.id }));
  const { busy, problem, run } = useWork();
  const end = (which: string): void => {
    void run(async () => {
      await remove(`_sessions${which}?user=${opened.id}`);
      sessions.again();
    });
  };
  const tokens = opened['refreshTokens'];
  const pairs = Array.isArray(tokens) ? tokens.length : 0;
  return (
    <>
      <Trouble problem={problem ?? sessions.problem} />
      {sessions.value?.length === 0 ? <p className="soft">{t('sec.noSessions')}</p> : null}
      {sessions.value === undefined || sessions.value.length === 0 ? null : (
        <>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('sec.begun')}</th>
                <th scope="col">{t('sec.lastAccess')}</th>
                <th scope="col">
                  <span className="hidden">{t('sec.end')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {sessions.value.map(({ id, begun, lastAccess }) => (
                <tr key={id}>
                  <td>{time(begun)}</td>
                  <td>{time(lastAccess)}</td>
                  <td className="actions">
                    <Button
                      disabled={busy}
                      aria-label={t('sec.endOf', { time: time(begun) })}
                      onClick={() => {
                        end(`/${id}`);
                      }}
                    >
                      {t('sec.end')}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <p>
            <Button
              kind="danger"
              disabled={busy}
              onClick={() => {
                end('');
              }}
            >
              {t('sec.endAll')}
            </Button>
          </p>
        </>
      )}
      <p>
        {t('sec.tokens', { n: number(pairs) })}{' '}
        {pairs === 0 ? null : (
          <Button
            kind="danger"
            disabled={busy}
            onClick={() => {
              void run(async () => {
                await change(path, { refreshTokens: [] });
                again();
              });
            }}
          >
            {t('sec.endTokens')}
          </Button>
        )}
      </p>
    </>
  );
}
