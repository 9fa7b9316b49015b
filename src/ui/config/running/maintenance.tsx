/** Maintenance mode: the switch, and what visitors see meanwhile. */
import { type ReactNode, useState } from 'react';
import { Badge, Button, Notice } from '../../common/parts.js';
import { useLoaded, useWork } from '../../common/work.js';
import { server, type Settings } from '../asking.js';
import { SettingsArea } from '../settings/settings.js';

export function MaintenanceArea({
  settings,
  onSaved,
}: {
  readonly settings: Settings;
  readonly onSaved: (settings: Settings) => void;
}): ReactNode {
  const { value: mode, set, problem: loading } = useLoaded(server.maintenance);
  const { busy, problem, run } = useWork();
  const [moved, setMoved] = useState<string>();
  const failed = loading ?? problem;
  const shown = settings.settings.filter(({ name }) => name.startsWith('maintenance.'));
  const toggle = (enabled: boolean): void => {
    void run(async () => {
      const now = await server.switchMaintenance(enabled);
      set(now);
      // The same machine by the name that this page has, at the port where the application is now.
      setMoved(`${location.protocol}//${location.hostname}:${new URL(now.address).port}/svc/config#maintenance`);
    });
  };
  return (
    <section>
      <div className="bar">
        <h2>Maintenance mode</h2>
      </div>
      {failed === undefined ? null : <Notice kind="wrong">{failed.message}</Notice>}
      {mode === undefined ? null : (
        <div className="card">
          <p>
            Maintenance mode is {mode.enabled ? <Badge kind="warn">on</Badge> : <Badge kind="good">off</Badge>}. While
            it is on, the main ports show a page to all visitors, and everything else, these pages too, answers at the
            maintenance ports.
          </p>
          {mode.fromEnvironment ? (
            <Notice kind="note">The environment sets maintenance.enabled, so it cannot be switched here.</Notice>
          ) : null}
          <Button
            kind={mode.enabled ? 'main' : 'danger'}
            disabled={busy || mode.fromEnvironment}
            onClick={() => {
              toggle(!mode.enabled);
            }}
          >
            {mode.enabled ? 'Disable' : 'Enable'}
          </Button>
          {moved === undefined ? null : (
            <Notice kind="good">
              Done. The application answers at <a href={moved}>{moved}</a>.
            </Notice>
          )}
        </div>
      )}
      <SettingsArea
        title="What visitors see, and where"
        settings={settings}
        shown={shown}
        withDynamic={false}
        onSaved={onSaved}
      />
    </section>
  );
}
