/** One file: what it looks like, its text, who may do what with it, and what is known of it. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { late } from '../../../common/late.js';
import { Button, Notice } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import type { Entity } from '../../server/rest.js';
import { TabRow, type TabOf } from '../../parts/tab-row.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { Archive, isArchive } from './archive.js';
import { Crumbs } from '../folders/crumbs.js';
import { Details } from './details.js';
import { Permissions } from './permissions.js';
import { filePlace, folderPlace, goTo } from '../places.js';
import { canCrop, isText, Preview } from './preview.js';
import { RenameDialog } from '../folders/selection-bar.js';
import { downloadAddress, entryOf, find, writeContent, type Entry } from '../tree-server.js';

// The editor and the cropper are large, and not for every file.
const TextFile = late(async () => (await import('./text-file.js')).TextFile);
const Crop = late(async () => (await import('./crop.js')).Crop);

const KEYS = [
  'id',
  'type',
  'name',
  'size',
  'contentType',
  'lastModifiedDate',
  'parentId',
  'isTemplate',
  'version',
  'tnMid',
  'width',
  'height',
];

export function FilePage(props: {
  readonly id: string;
  readonly tab: string | undefined;
  readonly way: readonly Entry[];
  /** Tells in which folder it lies. */
  readonly onFolder: (folder: string | undefined) => void;
  readonly onChanged: () => void;
}): ReactNode {
  const { id, tab, way, onFolder, onChanged } = props;
  const { t } = useAreaTexts(filesTexts);
  const [entity, setEntity] = useState<Entity>();
  const [gone, setGone] = useState(false);
  const [naming, setNaming] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const { busy, problem, run } = useWork();
  const load = (): void => {
    void run(async () => {
      const found = await find('File', id, KEYS);
      setGone(found === undefined);
      setEntity(found);
      onFolder(typeof found?.['parentId'] === 'string' ? found['parentId'] : undefined);
    });
  };
  useEffect(load, []);
  const changed = (): void => {
    load();
    onChanged();
  };
  if (gone) return <Notice kind="note">{t('noFile')}</Notice>;
  if (entity === undefined) return <Trouble problem={problem} />;
  const entry = entryOf(entity);
  const tabs: TabOf[] = [];
  // Text is edited where it is shown; only what looks otherwise is shown apart from it.
  const text = isText(entry.contentType);
  const waiting = <p className="soft">{t('app.loading')}</p>;
  const looks = !text || /markdown|svg/.test(entry.contentType);
  if (looks)
    tabs.push({ name: 'preview', title: t('preview'), content: () => <Preview entry={entry} entity={entity} /> });
  if (text)
    tabs.push({
      name: 'text',
      title: t('text'),
      content: () => <TextFile entry={entry} onSaved={changed} waiting={waiting} />,
    });
  if (canCrop(entity))
    tabs.push({
      name: 'crop',
      title: t('crop'),
      content: () => <Crop entry={entry} entity={entity} onChanged={changed} waiting={waiting} />,
    });
  if (isArchive(entry))
    tabs.push({ name: 'archive', title: t('unpack'), content: () => <Archive entry={entry} onChanged={changed} /> });
  tabs.push({ name: 'permissions', title: t('permissions'), content: () => <Permissions entry={entry} /> });
  tabs.push({ name: 'details', title: t('details'), content: () => <Details entry={entry} onChanged={changed} /> });
  return (
    <article className="file-page">
      <div className="head-row">
        <Crumbs way={way} last={entry.name} />
        <a className="button" href={folderPlace(way.at(-1)?.id)}>
          {t('back')}
        </a>
        <a className="button" href={downloadAddress(entry)} download={entry.name}>
          {t('download')}
        </a>
        <Button
          onClick={() => {
            setNaming(true);
          }}
        >
          {t('rename')}
        </Button>
        <Button disabled={busy} onClick={() => field.current?.click()}>
          {t('newContent')}
        </Button>
        <input
          ref={field}
          type="file"
          hidden
          aria-label={t('newContent')}
          onChange={(event) => {
            const content = event.target.files?.[0];
            event.target.value = '';
            if (content === undefined) return;
            void run(() => writeContent(id, content, '')).then((well) => {
              if (well) changed();
            });
          }}
        />
      </div>
      <Trouble problem={problem} />
      {naming ? (
        <RenameDialog
          entry={entry}
          onClose={() => {
            setNaming(false);
          }}
          onChanged={changed}
        />
      ) : null}
      <TabRow
        label={entry.name.slice(0, 200)}
        tabs={tabs}
        chosen={tab}
        onChoose={(name) => {
          goTo(filePlace(id, name));
        }}
      />
    </article>
  );
}
