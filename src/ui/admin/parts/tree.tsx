/** A tree that loads what is opened: arrows move, Enter opens, letters find; things are moved by dragging, or by Ctrl-Shift-D and the arrows. */
import {
  AssistiveDndState,
  asyncDataLoaderFeature,
  dragAndDropFeature,
  hotkeysCoreFeature,
  keyboardDragAndDropFeature,
  selectionFeature,
  type DndState,
  type DragTarget,
  type ItemInstance,
} from '@headless-tree/core';
import { AssistiveTreeDescription, useTree } from '@headless-tree/react';
import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
import { useTexts } from '../texts/index.js';

export interface TreeNode {
  readonly id: string;
  readonly name: string;
  /** Whether it can hold others. */
  readonly isFolder: boolean;
  /** What stands behind the name, in soft letters. */
  readonly note?: string;
}

export interface TreeProps {
  readonly label: string;
  /** The id of what is above all; it is not shown. */
  readonly root: string;
  /** What is in a node. Those that are shown once are kept until `revision` changes. */
  readonly load: (id: string) => Promise<readonly TreeNode[]>;
  /** Another number: everything that is shown is read again. */
  readonly revision?: number;
  readonly chosen: string | undefined;
  readonly onChoose: (node: TreeNode) => void;
  /** False: a click chooses only, and the mark before the name opens. */
  readonly opensOnClick?: boolean;
  /** Opened at first, and whenever others are named here. */
  readonly opened?: readonly string[];
  /** Moves nodes into another one; `before`: in front of its child with this index, from 0. Absent: nothing can be moved. */
  readonly onMove?: (nodes: readonly TreeNode[], into: TreeNode | undefined, before: number | undefined) => void;
  readonly canMove?: (nodes: readonly TreeNode[], into: TreeNode | undefined) => boolean;
  /** Something from elsewhere (files of the desktop, an entry of a palette) is dropped. */
  readonly onDropForeign?: (data: DataTransfer, into: TreeNode | undefined, before: number | undefined) => void;
}

const LOADING: TreeNode = { id: '', name: '…', isFolder: false };

/** The properties of an item that a click chooses; it opens by one on the mark before its name. */
function choosing(item: ItemInstance<TreeNode>): Record<string, unknown> {
  const given = item.getProps() as Record<string, unknown> & { readonly onClick: (event: MouseEvent) => void };
  return {
    ...given,
    onClick(event: MouseEvent) {
      const isPlain = !(event.ctrlKey || event.shiftKey || event.metaKey);
      if (!isPlain || (event.target as Element).closest('.twist') !== null) {
        given.onClick(event);
        return;
      }
      item.getTree().setSelectedItems([item.getId()]);
      item.setFocused();
      item.primaryAction();
    },
  };
}

export function Tree(props: TreeProps): ReactNode {
  const {
    label,
    root,
    revision = 0,
    chosen,
    onChoose,
    opened = [],
    onMove,
    canMove,
    onDropForeign,
    opensOnClick = true,
  } = props;
  const { t } = useTexts();
  const latest = useRef(props);
  latest.current = props;
  const known = useRef(new Map<string, TreeNode>());
  const dataOf = (item: ItemInstance<TreeNode>): TreeNode => item.getItemData();
  const intoOf = ({ item }: DragTarget<TreeNode>): TreeNode | undefined =>
    item.getId() === root ? undefined : dataOf(item);
  const beforeOf = (target: DragTarget<TreeNode>): number | undefined =>
    'insertionIndex' in target ? target.insertionIndex : undefined;
  const tree = useTree<TreeNode>({
    rootItemId: root,
    // What is read out is what is seen.
    getItemName: (item) => [dataOf(item).name, dataOf(item).note ?? ''].filter(Boolean).join(' '),
    isItemFolder: (item) => item.getId() === root || dataOf(item).isFolder,
    initialState: { expandedItems: [root, ...opened] },
    createLoadingItemData: () => LOADING,
    dataLoader: {
      getItem: (id) => known.current.get(id) ?? { ...LOADING, id },
      getChildrenWithData: async (id) => {
        const nodes = await latest.current.load(id);
        for (const node of nodes) known.current.set(node.id, node);
        return nodes.map((node) => ({ id: node.id, data: node }));
      },
    },
    indent: 16,
    onPrimaryAction: (item) => {
      onChoose(dataOf(item));
    },
    canReorder: onMove !== undefined,
    canDrag: () => onMove !== undefined,
    canDrop: (items, target) =>
      onMove !== undefined && (canMove === undefined || canMove(items.map(dataOf), intoOf(target))),
    onDrop: (items, target) => {
      onMove?.(items.map(dataOf), intoOf(target), beforeOf(target));
    },
    canDragForeignDragObjectOver: () => onDropForeign !== undefined,
    canDropForeignDragObject: () => onDropForeign !== undefined,
    onDropForeignDragObject: (data, target) => {
      onDropForeign?.(data, intoOf(target), beforeOf(target));
    },
    features: [
      asyncDataLoaderFeature,
      selectionFeature,
      hotkeysCoreFeature,
      dragAndDropFeature,
      keyboardDragAndDropFeature,
    ],
  });
  /** What is read out of things that are moved by keyboard. */
  const said = <Data,>(dnd: DndState<Data> | null | undefined, state: AssistiveDndState): string => {
    if (onMove === undefined) return '';
    if (state === AssistiveDndState.Completed) return t('tree.moved');
    if (state === AssistiveDndState.Aborted) return t('tree.left');
    if (state === AssistiveDndState.None) return t('tree.move');
    const target = dnd?.dragTarget;
    const names = (dnd?.draggedItems ?? []).map((item) => item.getItemName()).join(', ');
    if (target === undefined) return names;
    const name = target.item.getItemName();
    const place =
      'childIndex' in target
        ? t('tree.place', { n: target.childIndex, all: target.item.getChildren().length, name })
        : t('tree.into', { name });
    return t('tree.moving', { names, place });
  };
  useEffect(() => {
    if (revision === 0) return;
    const shown = [root, ...tree.getState().expandedItems.filter((id) => id !== root)];
    for (const id of shown) void tree.getItemInstance(id).invalidateChildrenIds();
  }, [revision]);
  const wanted = opened.join(' ');
  useEffect(() => {
    const { expandedItems } = tree.getState();
    const missing = opened.filter((id) => !expandedItems.includes(id));
    if (missing.length === 0) return;
    tree.applySubStateUpdate('expandedItems', (now) => [...now, ...missing]);
    tree.rebuildTree();
  }, [wanted]);
  return (
    <>
      <AssistiveTreeDescription tree={tree} className="hidden" getLabel={said} />
      <div {...tree.getContainerProps(label)} className="tree">
        {tree.getItems().map((item) => {
          const { id, name, note, isFolder } = dataOf(item);
          const { level } = item.getItemMeta();
          return (
            <button
              {...(opensOnClick ? item.getProps() : choosing(item))}
              key={item.getId()}
              type="button"
              className={item.isUnorderedDragTarget() ? 'tree-item target' : 'tree-item'}
              aria-current={id === chosen ? 'true' : undefined}
              style={{ paddingLeft: `${String(0.4 + level)}rem` }}
            >
              <span aria-hidden="true" className="twist">
                {isFolder ? (item.isExpanded() ? '▾' : '▸') : ''}
              </span>
              <span className="tree-name">{name}</span>
              {note === undefined ? null : <span className="soft">{` ${note}`}</span>}
            </button>
          );
        })}
        <div style={tree.getDragLineStyle()} className="drag-line" />
      </div>
    </>
  );
}
