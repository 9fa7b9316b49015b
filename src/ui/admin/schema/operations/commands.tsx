/** The Admin menu: commands on indexes and stored values, as jobs (docs/interface/operations.md 9). */
import { Menu } from '@base-ui/react/menu';
import { type ReactNode, useState } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { operationTexts } from '../../texts/schema-operations.js';
import type { Schema } from '../model.js';
import { COMMANDS, type Command } from './command-list.js';
import { CommandWindow } from './command-window.js';
import { RunningJobs } from './running-jobs.js';

export function Commands({
  schema,
  onChanged,
}: {
  readonly schema: Schema;
  readonly onChanged: () => void;
}): ReactNode {
  const { t } = useAreaTexts(operationTexts);
  const [open, setOpen] = useState<Command>();
  const [begun, setBegun] = useState<ReadonlyMap<number, string>>(new Map());
  const [done, setDone] = useState<string>();
  return (
    <section>
      <div className="bar">
        <span className="grow soft">{t('commands.help')}</span>
        <Menu.Root>
          <Menu.Trigger className="button main">{t('commands.menu')} ▾</Menu.Trigger>
          <Menu.Portal>
            <Menu.Positioner className="floating" align="end" sideOffset={4}>
              <Menu.Popup className="card options admin-menu">
                {COMMANDS.map((group) => (
                  <Menu.Group key={group.title}>
                    <Menu.GroupLabel className="soft menu-title">{t(group.title)}</Menu.GroupLabel>
                    {group.commands.map((command) => (
                      <Menu.Item
                        key={command.name}
                        className="option"
                        onClick={() => {
                          setDone(undefined);
                          setOpen(command);
                        }}
                      >
                        {t(command.title)}
                      </Menu.Item>
                    ))}
                  </Menu.Group>
                ))}
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        </Menu.Root>
      </div>
      {open === undefined ? null : (
        <CommandWindow
          key={open.name}
          command={open}
          schema={schema}
          onClose={() => {
            setOpen(undefined);
          }}
          onBegun={(id) => {
            const title = t(open.title);
            if (id === undefined) {
              setDone(title);
              onChanged();
            } else setBegun((before) => new Map([...before, [id, title]]));
            setOpen(undefined);
          }}
        />
      )}
      <RunningJobs begun={begun} done={done} onEnded={onChanged} />
    </section>
  );
}
