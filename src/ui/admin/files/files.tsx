/** Files and folders: the tree, what lies in a folder, one file, uploads (docs/interface/admin-ui.md, Files). */
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { useWork } from '../../common/work.js';
import type { AreaProps } from '../frame/place.js';
import { Trouble } from '../frame/trouble.js';
import { filesTexts } from '../texts/files.js';
import { useAreaTexts } from '../texts/catalogue.js';
import './files.css';
import { FilePage } from './file/file-page.js';
import { FolderPage } from './folders/folder-page.js';
import { FolderSettings } from './folders/folder-settings.js';
import { FolderTree } from './folders/folder-tree.js';
import { wayTo, type Entry } from './tree-server.js';
import { UploadPanel } from './uploads/upload-panel.js';
import { uploads } from './uploads/upload-queue.js';

/** So long nothing more must have arrived before lists are read again. */
const ARRIVED_MS = 400;

export default function Files({ place }: AreaProps): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const [kind = 'folder', id, tab] = place;
  const [revision, setRevision] = useState(0);
  const again = (): void => {
    setRevision((before) => before + 1);
  };
  const { arrivals } = useSyncExternalStore(uploads.subscribe, uploads.snapshot);
  useEffect(() => {
    if (arrivals === 0) return;
    const timer = setTimeout(again, ARRIVED_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [arrivals]);
  const isFile = kind === 'file' && id !== undefined;
  const [fileFolder, setFileFolder] = useState<string>();
  const folder = isFile ? fileFolder : id;
  const { way, problem } = useWay(folder, revision);
  return (
    <div className="files">
      <div className="area-side">
        <h1>{t('title')}</h1>
        <FolderTree chosen={folder} opened={way} revision={revision} onChanged={again} />
      </div>
      <section className="files-main" aria-label={t('title')}>
        <Trouble problem={problem} />
        <UploadPanel />
        {isFile ? (
          <FilePage key={id} id={id} tab={tab} way={way} onFolder={setFileFolder} onChanged={again} />
        ) : kind === 'settings' && id !== undefined ? (
          <FolderSettings key={id} id={id} tab={tab} way={way} onChanged={again} />
        ) : (
          <FolderPage key={id ?? ''} folder={id} way={way} revision={revision} onChanged={again} />
        )}
      </section>
    </div>
  );
}

const NONE: readonly Entry[] = [];

/** The folders down to one; those of before until they are known. */
function useWay(
  folder: string | undefined,
  revision: number,
): { readonly way: readonly Entry[]; readonly problem: ReturnType<typeof useWork>['problem'] } {
  const [way, setWay] = useState(NONE);
  const { problem, run } = useWork();
  useEffect(() => {
    if (folder === undefined) {
      setWay(NONE);
      return;
    }
    let stale = false;
    void run(async () => {
      const found = await wayTo(folder);
      if (!stale) setWay(found);
    });
    return () => {
      stale = true;
    };
  }, [folder, revision, run]);
  return { way, problem };
}
