/** The mode in which visitors see the maintenance page (docs/interface/operations.md, Maintenance mode). */
import { type ReactNode, useState } from 'react';
import { Button, Confirm } from '../../common/parts.js';
import { useLoaded, useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { call, read } from '../server/rest.js';
import { useTexts } from '../texts/index.js';

const load = (): Promise<{ readonly maintenanceModeActive: boolean }> => read('_env');

interface Done {
  /** Where the application answers now. */
  readonly baseUrl: string;
  /** Where it answered before. */
  readonly formerUrl: string;
}

/**
 * Goes to the port at which the application answers now, by the name of the server that the browser knows. False: it is the same as before, or
 * the page has not come from the former port but from a proxy before it, whose addresses the server does not know.
 */
function goTo({ baseUrl, formerUrl }: Done): boolean {
  const target = new URL(location.href);
  const { protocol, port } = new URL(baseUrl);
  const former = new URL(formerUrl);
  if (former.protocol === protocol && former.port === port) return false;
  if (former.protocol !== target.protocol || former.port !== target.port) return false;
  target.protocol = protocol;
  target.port = port;
  location.assign(target.href);
  return true;
}

export function MaintenanceMode(): ReactNode {
  const { t } = useTexts();
  const { value, again, problem } = useLoaded(load);
  const [asking, setAsking] = useState(false);
  const work = useWork();
  const enabled = value?.maintenanceModeActive ?? false;
  const turn = (): void => {
    setAsking(false);
    void work.run(async () => {
      const action = enabled ? 'disable' : 'enable';
      const [done] = (await call<readonly Done[]>('maintenance/maintenanceMode', { action })) ?? [];
      if (done !== undefined && !goTo(done)) again();
    });
  };
  return (
    <section className="card">
      <h2>{t('maintenance.title')}</h2>
      <Trouble problem={work.problem ?? problem} />
      {value === undefined ? null : (
        <>
          <p>{t(enabled ? 'maintenance.on' : 'maintenance.off')}</p>
          {asking ? (
            <Confirm
              question={t('maintenance.sure')}
              yes={t('maintenance.enable')}
              no={t('app.cancel')}
              onYes={turn}
              onNo={() => {
                setAsking(false);
              }}
            />
          ) : (
            <Button
              disabled={work.busy}
              onClick={() => {
                if (enabled) turn();
                else setAsking(true);
              }}
            >
              {t(enabled ? 'maintenance.disable' : 'maintenance.enable')}
            </Button>
          )}
        </>
      )}
    </section>
  );
}
