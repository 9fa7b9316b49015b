/** Chooses the folder that things are moved into; for who does not drag. */
import { type ReactNode, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { Tree, type TreeNode } from '../../parts/tree.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { useFormats } from '../../texts/index.js';
import { folderOf, nodesIn } from './folder-tree.js';
import { move, type Entry } from '../tree-server.js';

/** What stands above all folders. */
const TOP = 'top';

export function MoveDialog(props: {
  readonly entries: readonly Entry[];
  readonly onClose: () => void;
  readonly onMoved: () => void;
}): ReactNode {
  const { entries, onClose, onMoved } = props;
  const { t } = useAreaTexts(filesTexts);
  const { number } = useFormats();
  const [into, setInto] = useState<TreeNode>();
  const { busy, problem, run } = useWork();
  const moved = new Set(entries.map(({ id }) => id));
  const load = async (id: string): Promise<readonly TreeNode[]> =>
    id === TOP
      ? [{ id: 'root', name: t('allFiles'), isFolder: true }]
      : (await nodesIn(id, t('moreFolders')).catch(() => [])).filter((node) => !moved.has(node.id));
  return (
    <Modal title={t('moveTitle', { n: number(entries.length) })} onClose={onClose}>
      <Trouble problem={problem} />
      <div className="move-tree">
        <Tree label={t('folders')} root={TOP} load={load} opened={['root']} chosen={into?.id} onChoose={setInto} />
      </div>
      <div className="row">
        <Button
          kind="main"
          disabled={busy || into === undefined}
          onClick={() => {
            if (into === undefined) return;
            void run(async () => {
              await move(entries, folderOf(into));
              onMoved();
            });
          }}
        >
          {t('moveHere')}
        </Button>
        <Button onClick={onClose}>{t('app.cancel')}</Button>
      </div>
    </Modal>
  );
}
