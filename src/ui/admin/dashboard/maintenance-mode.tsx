/** The mode in which visitors see the maintenance page (docs/interface/operations.md, Maintenance mode). */
import { type ReactNode, useState } from 'react';
import { Button, Confirm } from '../../common/parts.js';
import { useLoaded, useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { call, read } from '../server/rest.js';
import { useTexts } from '../texts/index.js';

const load = (): Promise<{ readonly maintenanceModeActive: boolean }> => read('_env');

export function MaintenanceMode(): ReactNode {
  const { t } = useTexts();
  const { value, again, problem } = useLoaded(load);
  const [asking, setAsking] = useState(false);
  const work = useWork();
  const enabled = value?.maintenanceModeActive ?? false;
  const turn = (): void => {
    setAsking(false);
    void work
      .run(async () => {
        await call('maintenance/maintenanceMode', { action: enabled ? 'disable' : 'enable' });
      })
      .then(again);
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
