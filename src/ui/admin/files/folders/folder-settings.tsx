/** A folder's permissions, its storage, and what is known of it. */
import { type ReactNode, useEffect, useState } from 'react';
import { Notice } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { useSession } from '../../frame/session-context.js';
import { TabRow, type TabOf } from '../../parts/tab-row.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { Crumbs } from './crumbs.js';
import { Details } from '../file/details.js';
import { Permissions } from '../file/permissions.js';
import { folderPlace, goTo, settingsPlace } from '../places.js';
import { Storage } from '../storage/storage.js';
import { entryOf, find, type Entry } from '../tree-server.js';

export function FolderSettings(props: {
  readonly id: string;
  readonly tab: string | undefined;
  readonly way: readonly Entry[];
  readonly onChanged: () => void;
}): ReactNode {
  const { id, tab, way, onChanged } = props;
  const { t } = useAreaTexts(filesTexts);
  const { user } = useSession();
  const [entry, setEntry] = useState<Entry>();
  const [gone, setGone] = useState(false);
  const { problem, run } = useWork();
  useEffect(() => {
    void run(async () => {
      const found = await find('Folder', id, ['id', 'type', 'name', 'isFolder']);
      setGone(found === undefined);
      setEntry(found === undefined ? undefined : entryOf(found));
    });
  }, []);
  if (gone) return <Notice kind="note">{t('noFolder')}</Notice>;
  if (entry === undefined) return <Trouble problem={problem} />;
  const tabs: TabOf[] = [
    { name: 'permissions', title: t('permissions'), content: () => <Permissions entry={entry} /> },
    { name: 'details', title: t('details'), content: () => <Details entry={entry} onChanged={onChanged} /> },
  ];
  if (user.isAdmin) tabs.push({ name: 'storage', title: t('storage'), content: () => <Storage folder={entry} /> });
  return (
    <article className="file-page">
      <div className="head-row">
        <Crumbs way={way} />
        <a className="button" href={folderPlace(id)}>
          {t('back')}
        </a>
      </div>
      <TabRow
        label={entry.name.slice(0, 200)}
        tabs={tabs}
        chosen={tab}
        onChoose={(name) => {
          goTo(settingsPlace(id, name));
        }}
      />
    </article>
  );
}
