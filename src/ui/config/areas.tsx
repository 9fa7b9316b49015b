/** All areas, one beside the other: groups of settings, then what runs. */
import { Tabs } from '@base-ui/react/tabs';
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Notice } from '../common/parts.js';
import { useLoaded } from '../common/work.js';
import { server, type Setting, type State } from './asking.js';
import { ConnectionsArea } from './connections/connections.js';
import { MaintenanceArea } from './running/maintenance.js';
import { RestartHint } from './running/restart-hint.js';
import { ServicesArea } from './running/services.js';
import { SessionsArea } from './running/sessions.js';
import { SettingsArea } from './settings/settings.js';

const TITLES: Readonly<Record<string, string>> = {
  general: 'General',
  server: 'Server',
  application: 'Application',
  database: 'Database',
  dosfilter: 'Rate limits',
  servlets: 'Servlets',
  security: 'Security',
  oauth: 'OAuth',
  smtp: 'Mail',
  advanced: 'Advanced',
  misc: 'Other',
  licensing: 'Licensing',
};
const FIRST = 'general';

/** What stands before the slash of a group. */
function tabOf({ group }: Setting): string {
  return group.split('/')[0] ?? group;
}

export function Areas({
  state,
  name,
  onLogout,
}: {
  readonly state: State;
  readonly name: string;
  readonly onLogout: () => void;
}): ReactNode {
  const { value: settings, set, problem } = useLoaded(server.settings);
  const [area, setArea] = useState(location.hash.slice(1) || FIRST);
  useEffect(() => {
    const follow = (): void => {
      setArea(location.hash.slice(1) || FIRST);
    };
    addEventListener('hashchange', follow);
    return () => {
      removeEventListener('hashchange', follow);
    };
  }, []);
  useEffect(() => {
    // Where the tabs are a row that is longer than the screen.
    document.querySelector('.tab[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [area, settings !== undefined]);
  if (problem !== undefined) return <Notice kind="wrong">{problem.message}</Notice>;
  if (settings === undefined) return null;
  const tabs = [...new Set([FIRST, ...settings.settings.map(tabOf).sort(), 'misc'])];
  return (
    <Tabs.Root
      className="areas"
      orientation="vertical"
      value={area}
      onValueChange={(value: string) => {
        location.hash = value;
      }}
    >
      <header className="top">
        <div>
          <h1>
            <small>Configuration</small>
            {name}
          </h1>
          <p className="soft">
            Version {state.version} · {settings.file}
          </p>
        </div>
        <Button
          onClick={() => {
            void server.logout().then(onLogout);
          }}
        >
          Log out
        </Button>
      </header>
      <nav className="side" aria-label="Areas">
        <Tabs.List className="tabs">
          <span className="heading" aria-hidden="true">
            Settings
          </span>
          {tabs.map((one) => (
            <Tabs.Tab key={one} value={one} className="tab">
              {TITLES[one] ?? one}
            </Tabs.Tab>
          ))}
          <span className="heading" aria-hidden="true">
            Running
          </span>
          <Tabs.Tab value="services" className="tab">
            Services
          </Tabs.Tab>
          <Tabs.Tab value="databases" className="tab">
            Connections
          </Tabs.Tab>
          <Tabs.Tab value="maintenance" className="tab">
            Maintenance
          </Tabs.Tab>
          <Tabs.Tab value="sessions" className="tab">
            Sessions
          </Tabs.Tab>
        </Tabs.List>
      </nav>
      <main className="content">
        <RestartHint names={settings.restartNeeded} onBack={onLogout} />
        {settings.problems.length === 0 ? null : (
          <details className="notice note">
            <summary>
              {settings.problems.length === 1 ? 'One thing' : `${String(settings.problems.length)} things`} to look at
              in the settings file
            </summary>
            <ul>
              {settings.problems.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </details>
        )}
        {tabs.map((one) => (
          <Tabs.Panel key={one} value={one}>
            <SettingsArea
              title={TITLES[one] ?? one}
              settings={settings}
              shown={settings.settings.filter((setting) => tabOf(setting) === one)}
              withDynamic={one === 'misc'}
              onSaved={set}
            />
          </Tabs.Panel>
        ))}
        <Tabs.Panel value="services">
          <ServicesArea />
        </Tabs.Panel>
        <Tabs.Panel value="databases">
          <ConnectionsArea
            onChanged={() => {
              void server.settings().then(set);
            }}
          />
        </Tabs.Panel>
        <Tabs.Panel value="maintenance">
          <MaintenanceArea settings={settings} onSaved={set} />
        </Tabs.Panel>
        <Tabs.Panel value="sessions">
          <SessionsArea />
        </Tabs.Panel>
      </main>
    </Tabs.Root>
  );
}
