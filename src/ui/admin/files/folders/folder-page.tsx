/** What lies in a folder, and what is done with it; or what a search has found. */
import { type ChangeEvent, type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react';
import { Button, Notice } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { useFormats } from '../../texts/index.js';
import { Crumbs } from './crumbs.js';
import { hasFiles, isOwn, takeFiles, takeOwn } from '../dragging.js';
import { EntryList, type Order } from '../list/entry-list.js';
import { useListing, type Source } from '../list/listing.js';
import { useAgainWhenAway } from '../uploads/again-when-away.js';
import { filePlace, folderPlace, goTo, settingsPlace } from '../places.js';
import { SearchBar, sourcesOf, type Wanted } from './search.js';
import { SelectionBar } from './selection-bar.js';
import { NameDialog } from './name-dialog.js';
import { createFolder, folderZipAddress, move, within, type Entry } from '../tree-server.js';
import { filesOfField } from '../dragging.js';
import { uploads } from '../uploads/upload-queue.js';

const ORDERS: Readonly<Record<Order['by'], string>> = {
  name: 'name',
  size: 'size',
  changed: 'lastModifiedDate',
  kind: 'contentType',
};

/** Folders first; those have no size and no content type. */
function listsOf(folder: string | undefined, { by, descending }: Order): readonly Source[] {
  const order = { _order: descending ? 'desc' : 'asc' };
  const ofFolders = by === 'size' || by === 'kind' ? 'name' : ORDERS[by];
  return [
    { path: 'Folder', query: { ...within(folder), _sort: ofFolders, ...order } },
    { path: 'File', query: { ...within(folder), _sort: ORDERS[by], ...order } },
  ];
}

export function FolderPage(props: {
  readonly folder: string | undefined;
  readonly way: readonly Entry[];
  readonly revision: number;
  readonly onChanged: () => void;
}): ReactNode {
  const { folder, way, revision, onChanged } = props;
  const { t } = useAreaTexts(filesTexts);
  const { number } = useFormats();
  const [order, setOrder] = useState<Order>({ by: 'name', descending: false });
  const [wanted, setWanted] = useState<Wanted>({ text: '', where: 'names' });
  const [selected, setSelected] = useState<ReadonlyMap<string, Entry>>(new Map());
  const [naming, setNaming] = useState(false);
  const [over, setOver] = useState(false);
  const [told, setTold] = useState('');
  const work = useWork();
  const later = useDeferredValue(wanted);
  const searching = later.text.trim() !== '';
  const listing = useListing(searching ? sourcesOf(later) : listsOf(folder, order));
  useEffect(() => {
    if (revision > 0) listing.again();
  }, [revision]);
  useAgainWhenAway(listing.problem, onChanged);
  const here = way.at(-1)?.id === folder ? way.at(-1) : undefined;
  const changed = (text = ''): void => {
    setTold(text);
    setSelected(new Map());
    onChanged();
  };
  const moveInto = (dragged: readonly Pick<Entry, 'id' | 'isFolder'>[], into: string | undefined): void => {
    const others = dragged.filter(({ id }) => id !== into);
    void work
      .run(async () => {
        await move(others, into);
      })
      .then(() => {
        changed();
      });
  };
  const drop = (data: DataTransfer, into: string | undefined): void => {
    if (isOwn(data)) moveInto(takeOwn(data), into);
    else
      void takeFiles(data).then((brought) => {
        uploads.add(brought, into);
      });
  };
  return (
    <div
      className={over ? 'files-folder over' : 'files-folder'}
      onDragOver={(event) => {
        if (!hasFiles(event.dataTransfer)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        if (!hasFiles(event.dataTransfer)) return;
        event.preventDefault();
        drop(event.dataTransfer, folder);
      }}
    >
      <div className="head-row">
        <Crumbs way={folder === undefined ? [] : way} />
        {here === undefined ? null : (
          <>
            <a className="button" href={folderZipAddress(here)} download>
              {t('downloadZip')}
            </a>
            <a className="button" href={settingsPlace(here.id)} aria-label={t('folderSettings')}>
              {t('settings')}
            </a>
          </>
        )}
        <Button
          onClick={() => {
            setNaming(true);
          }}
        >
          {t('newFolder')}
        </Button>
        <UploadButtons folder={folder} />
      </div>
      <SearchBar wanted={wanted} onChange={setWanted} />
      {naming ? (
        <NameDialog
          title={t('newFolder')}
          name=""
          action={t('create')}
          onClose={() => {
            setNaming(false);
          }}
          onName={async (name) => {
            await createFolder(name, folder);
            changed();
          }}
        />
      ) : null}
      <SelectionBar selected={selected} onSelect={setSelected} onChanged={changed} />
      <Trouble problem={work.problem ?? listing.problem} />
      {told === '' ? null : <Notice kind="good">{told}</Notice>}
      <EntryList
        label={searching ? t('found') : (here?.name ?? t('allFiles'))}
        listing={listing}
        order={searching ? undefined : order}
        onOrder={setOrder}
        selected={selected}
        onSelect={setSelected}
        onOpen={(entry) => {
          setWanted({ ...wanted, text: '' });
          goTo(entry.isFolder ? folderPlace(entry.id) : filePlace(entry.id));
        }}
        onDrop={(data, entry) => {
          drop(data, entry.id);
        }}
      />
      <p className="soft" role="status">
        {listing.count === undefined
          ? ''
          : listing.count === 0
            ? t(searching ? 'nothingFound' : 'emptyFolder')
            : t('things', { n: number(listing.count) })}
      </p>
    </div>
  );
}

/** Chooses files, or whole folders, to be uploaded. */
function UploadButtons({ folder }: { readonly folder: string | undefined }): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const ofFiles = useRef<HTMLInputElement>(null);
  const ofFolders = useRef<HTMLInputElement>(null);
  const field = {
    type: 'file',
    multiple: true,
    hidden: true,
    onChange: (event: ChangeEvent<HTMLInputElement>) => {
      if (event.target.files !== null) uploads.add(filesOfField(event.target.files), folder);
      // The same ones may be chosen again.
      event.target.value = '';
    },
  };
  return (
    <>
      <input ref={ofFiles} aria-label={t('uploadFiles')} {...field} />
      <input ref={ofFolders} aria-label={t('uploadFolder')} {...field} {...{ webkitdirectory: '' }} />
      <Button onClick={() => ofFolders.current?.click()}>{t('uploadFolder')}</Button>
      <Button kind="main" onClick={() => ofFiles.current?.click()}>
        {t('uploadFiles')}
      </Button>
    </>
  );
}
