/** The folders as a tree; things are moved by dragging, and what is dropped from the desktop is uploaded. */
import { type ReactNode, useState } from 'react';
import { RefusedError } from '../../../common/request.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Tree, type TreeNode } from '../../parts/tree.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { useAgainWhenAway } from '../uploads/again-when-away.js';
import { hasFiles, isOwn, takeFiles, takeOwn } from '../dragging.js';
import { folderPlace, goTo } from '../places.js';
import { foldersIn, move, type Entry } from '../tree-server.js';
import { uploads } from '../uploads/upload-queue.js';

const ROOT = 'root';
/** Folders at the root that the service makes for itself are in the list, not in the tree. */
const OF_SERVICE = '._svc_';
/** In the id of a node that stands for the folders that a branch does not show. */
const MORE = 'more:';

/** The nodes of a branch; what a folder cannot show ends with a node that leads to its list. */
export async function nodesIn(id: string, more: string): Promise<readonly TreeNode[]> {
  const found = await foldersIn(id === ROOT ? undefined : id);
  const shown = found.folders.filter(({ name }) => id !== ROOT || !name.startsWith(OF_SERVICE));
  const nodes = shown.map(({ id: folder, name }) => ({ id: folder, name, isFolder: true }));
  return found.more ? [...nodes, { id: `${MORE}${id}`, name: more, isFolder: false }] : nodes;
}

/** The id of the folder that a node leads to; undefined: the root. */
export function folderOf({ id }: TreeNode): string | undefined {
  const folder = id.startsWith(MORE) ? id.slice(MORE.length) : id;
  return folder === ROOT ? undefined : folder;
}

export function FolderTree(props: {
  readonly chosen: string | undefined;
  readonly opened: readonly Entry[];
  readonly revision: number;
  readonly onChanged: () => void;
}): ReactNode {
  const { chosen, opened, revision, onChanged } = props;
  const { t } = useAreaTexts(filesTexts);
  const { problem, run } = useWork();
  const [unread, setUnread] = useState<RefusedError>();
  useAgainWhenAway(unread, onChanged);
  const load = async (id: string): Promise<readonly TreeNode[]> => {
    try {
      const nodes = await nodesIn(id, t('moreFolders'));
      setUnread(undefined);
      return nodes;
    } catch (error) {
      if (error instanceof RefusedError) setUnread(error);
      return [];
    }
  };
  const moveTo = (dragged: readonly Pick<Entry, 'id' | 'isFolder'>[], into: TreeNode | undefined): void => {
    void run(async () => {
      await move(dragged, into === undefined ? undefined : folderOf(into));
    }).then(onChanged);
  };
  return (
    <nav className="files-tree" aria-label={t('folders')}>
      <Trouble problem={problem ?? unread} />
      <a
        className="tab"
        href={folderPlace(undefined)}
        aria-current={chosen === undefined ? 'page' : undefined}
        onDragOver={(event) => {
          if (isOwn(event.dataTransfer) || hasFiles(event.dataTransfer)) event.preventDefault();
        }}
        onDrop={(event) => {
          event.preventDefault();
          drop(event.dataTransfer, undefined);
        }}
      >
        {t('allFiles')}
      </a>
      <Tree
        label={t('folders')}
        root={ROOT}
        load={load}
        revision={revision}
        chosen={chosen}
        opened={opened.map(({ id }) => id)}
        onChoose={(node) => {
          goTo(folderPlace(folderOf(node)));
        }}
        onMove={moveTo}
        canMove={(nodes) => nodes.every(({ isFolder }) => isFolder)}
        onDropForeign={drop}
      />
    </nav>
  );

  function drop(data: DataTransfer, into: TreeNode | undefined): void {
    if (isOwn(data)) {
      moveTo(takeOwn(data), into);
      return;
    }
    const folder = into === undefined ? undefined : folderOf(into);
    void takeFiles(data).then((brought) => {
      uploads.add(brought, folder);
    });
  }
}
