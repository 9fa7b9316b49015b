/** Tabs of an area or of one thing in it: what is shown changes, the page stays. */
import { Tabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface TabOf {
  readonly name: string;
  readonly title: string;
  readonly content: () => ReactNode;
}

/** Shows the tab `chosen`, else the first; only that one is made. */
export function TabRow({
  label,
  tabs,
  chosen,
  onChoose,
}: {
  readonly label: string;
  readonly tabs: readonly TabOf[];
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
}): ReactNode {
  const shown = tabs.find(({ name }) => name === chosen) ?? tabs[0];
  return (
    <Tabs.Root className="tabs" value={shown?.name} onValueChange={onChoose}>
      <Tabs.List className="tab-row" aria-label={label}>
        {tabs.map(({ name, title }) => (
          <Tabs.Tab key={name} className="tab" value={name}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, content }) => (
        <Tabs.Panel key={name} className="tab-panel" value={name}>
          {name === shown?.name ? content() : null}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
