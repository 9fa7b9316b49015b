/** The nodes of a page as a tree: what is chosen is edited, what is dragged is moved, what comes from the palette is put where it is dropped. */
import type { ReactNode } from 'react';
import { Tree, type TreeNode } from '../../parts/tree.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { PALETTE } from './entries.js';
import { canHold, childrenOf, isPage, isText, MOST_CHILDREN, rootsOf, titleOf, type PageNode } from './nodes.js';

/** Above the page itself, which is the first row. */
export const ABOVE = 'above';

/** A row of the tree with the node that it stands for. */
export interface NodeRow extends TreeNode {
  readonly node: PageNode;
}

export const isRow = (row: TreeNode): row is NodeRow => 'node' in row;

/** A mark for what is special about a node, in few letters. */
function noteOf(node: PageNode): string {
  const { _html_id: id, _html_class: classes, name, dataKey, hidden, sharedComponentId } = node;
  return [
    isText(node) || isPage(node) || (name ?? '') === '' ? '' : `“${name ?? ''}”`,
    (id ?? '') === '' ? '' : `#${id ?? ''}`,
    (classes ?? '') === '' ? '' : `.${(classes ?? '').trim().split(/\s+/).join('.')}`,
    (dataKey ?? '') === '' ? '' : `↻ ${dataKey ?? ''}`,
    (sharedComponentId ?? '') === '' ? '' : '◆',
    hidden === true && !isPage(node) ? '⊘' : '',
  ]
    .filter(Boolean)
    .join(' ')
    .slice(0, 80);
}

export const rowOf = (node: PageNode): NodeRow => ({
  id: node.id,
  name: titleOf(node),
  isFolder: canHold(node),
  note: noteOf(node),
  node,
});

export function ElementTree(props: {
  readonly page: PageNode;
  readonly revision: number;
  readonly chosen: string | undefined;
  readonly opened: readonly string[];
  readonly onChoose: (node: PageNode) => void;
  readonly onMove: (nodes: readonly PageNode[], into: PageNode, before: number | undefined) => void;
  readonly onDrop: (entry: string, into: PageNode, before: number | undefined) => void;
}): ReactNode {
  const { page, revision, chosen, opened, onChoose, onMove, onDrop } = props;
  const { t } = useAreaTexts(pages);
  const load = async (id: string): Promise<readonly TreeNode[]> => {
    if (id === ABOVE) return [rowOf(page)];
    if (id === page.id && page.type === 'ShadowDocument') return (await rootsOf(id)).map(rowOf);
    const { nodes, count } = await childrenOf(id);
    const more: TreeNode = {
      id: `more ${id}`,
      name: t('pages.more', { count: count - nodes.length }),
      isFolder: false,
    };
    return count > MOST_CHILDREN ? [...nodes.map(rowOf), more] : nodes.map(rowOf);
  };
  return (
    <Tree
      label={t('pages.tree')}
      root={ABOVE}
      load={load}
      revision={revision}
      chosen={chosen}
      opened={opened}
      opensOnClick={false}
      onChoose={(row) => {
        if (isRow(row)) onChoose(row.node);
      }}
      canMove={(rows, into) =>
        into !== undefined && isRow(into) && canHold(into.node) && rows.every((row) => isRow(row) && !isPage(row.node))
      }
      onMove={(rows, into, before) => {
        if (into !== undefined && isRow(into))
          onMove(
            rows.filter(isRow).map(({ node }) => node),
            into.node,
            before,
          );
      }}
      onDropForeign={(data, into, before) => {
        const entry = data.getData(PALETTE);
        if (entry !== '' && into !== undefined && isRow(into)) onDrop(entry, into.node, before);
      }}
    />
  );
}
