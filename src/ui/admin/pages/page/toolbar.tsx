/** What can be done with the chosen node. */
import { Menu } from '@base-ui/react/menu';
import { type ReactNode, useState } from 'react';
import { Button, Notice } from '../../../common/parts.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { AddForm } from '../events/add-form.js';
import { AddElement } from './add-element.js';
import type { PaletteEntry } from './entries.js';
import { canHold, cloneNode, isPage, moveNode, nextOf, removeNode, titleOf, wrapNode, type PageNode } from './nodes.js';

interface Removed {
  readonly node: PageNode;
  readonly next: string | undefined;
}

export function Toolbar(props: {
  readonly node: PageNode;
  readonly isShared: boolean;
  readonly types: ReadonlySet<string>;
  readonly busy: boolean;
  /** Does something with the page; the node that is chosen then. */
  readonly act: (work: () => Promise<string | undefined>) => void;
  readonly onAdd: (entry: PaletteEntry) => void;
  readonly choose: (id: string) => void;
}): ReactNode {
  const { node, isShared, types, busy, act, onAdd, choose } = props;
  const { t } = useAreaTexts(pages);
  const [isAdding, setIsAdding] = useState<'element' | 'form'>();
  const [removed, setRemoved] = useState<Removed>();
  const isRoot = isPage(node);
  const mayHold = canHold(node) && !(isShared && isRoot);
  const isPlaced = typeof node.parentId === 'string';
  const remove = (): void => {
    act(async () => {
      const next = await nextOf(node);
      await removeNode(node.id);
      setRemoved({ node, next });
      return node.parentId ?? node.pageId ?? undefined;
    });
  };
  return (
    <div className="toolbar" role="toolbar" aria-label={t('pages.actions')}>
      <Menu.Root>
        <Menu.Trigger className="button main" disabled={busy}>
          {t('pages.add')} ▾
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="floating" align="start" sideOffset={4}>
            <Menu.Popup className="card options">
              <Menu.Item
                className="option"
                disabled={isRoot && isShared}
                onClick={() => {
                  setIsAdding('element');
                }}
              >
                {t('pages.element')}
              </Menu.Item>
              <Menu.Item
                className="option"
                disabled={!mayHold}
                onClick={() => {
                  setIsAdding('form');
                }}
              >
                {t('pages.formOf')}
              </Menu.Item>
              {(['Content', 'Template', 'Comment'] as const).map((type) => (
                <Menu.Item
                  key={type}
                  className="option"
                  disabled={!mayHold}
                  onClick={() => {
                    onAdd({ kind: 'text', type });
                  }}
                >
                  {t(`pages.type.${type}`)}
                </Menu.Item>
              ))}
              {(['div', 'p', 'h2', 'ul', 'a', 'img', 'form', 'input', 'button', 'table'] as const).map((tag) => (
                <Menu.Item
                  key={tag}
                  className="option"
                  disabled={!mayHold}
                  onClick={() => {
                    onAdd({ kind: 'tag', tag });
                  }}
                >
                  <code>{`<${tag}>`}</code>
                </Menu.Item>
              ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <Button
        disabled={busy || isRoot}
        onClick={() => {
          act(() => cloneNode(node));
        }}
      >
        {t('pages.clone')}
      </Button>
      <Button
        disabled={busy || isRoot || !isPlaced || node.type === 'Html'}
        onClick={() => {
          act(() => wrapNode(node, { type: 'Div', tag: 'div' }));
        }}
      >
        {t('pages.wrap')}
      </Button>
      <Button kind="danger" disabled={busy || isRoot} onClick={remove}>
        {t('app.delete')}
      </Button>
      {removed === undefined ? null : (
        <Notice kind="good">
          {t('pages.removed', { name: titleOf(removed.node) })}{' '}
          {typeof removed.node.parentId === 'string' ? (
            <button
              type="button"
              className="link"
              onClick={() => {
                const { node: back, next } = removed;
                setRemoved(undefined);
                act(async () => {
                  await moveNode(back.id, back.parentId ?? '', next);
                  return back.id;
                });
              }}
            >
              {t('pages.putBack')}
            </button>
          ) : null}{' '}
          <button
            type="button"
            className="link"
            onClick={() => {
              setRemoved(undefined);
            }}
          >
            {t('pages.dismiss')}
          </button>
        </Notice>
      )}
      {isAdding === 'element' ? (
        <AddElement
          node={node}
          types={types}
          mayHold={mayHold}
          onAdded={(id) => {
            act(async () => id);
          }}
          onClose={() => {
            setIsAdding(undefined);
            choose(node.id);
          }}
        />
      ) : null}
      {isAdding === 'form' ? (
        <AddForm
          into={node}
          onAdded={(id) => {
            act(async () => id);
          }}
          onClose={() => {
            setIsAdding(undefined);
          }}
        />
      ) : null}
    </div>
  );
}
