/** One page: its nodes, what is chosen of them, and how it looks. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Notice } from '../../../common/parts.js';
import { useLoaded, useWork } from '../../../common/work.js';
import { isIn, placeOf } from '../../frame/place.js';
import { Trouble } from '../../frame/trouble.js';
import { useAgainAndAgain } from '../../server/again-and-again.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { Inspector } from '../inspector/inspector.js';
import { InsertWidget } from '../widgets/insert-widget.js';
import { ElementTree } from './element-tree.js';
import { addComponent, addElement, addWidget, readEntry, type PaletteEntry } from './entries.js';
import {
  addNode,
  canHold,
  childAt,
  childrenOf,
  elementTypes,
  isPage,
  moveNode,
  readHead,
  readNode,
  titleOf,
  type PageNode,
} from './nodes.js';
import { Palette } from './palette.js';
import { Preview } from './preview.js';
import { Toolbar } from './toolbar.js';

/** So often it is asked whether somebody else has changed the page, in ms. */
const LOOK_MS = 5000;

interface Opened {
  readonly page: PageNode;
  readonly opened: readonly string[];
  readonly types: ReadonlySet<string>;
}

/** The page, and its first two levels, which are opened at once. */
async function openPage(id: string): Promise<Opened> {
  const page = await readNode(id);
  const opened = [id];
  const html = (await childrenOf(id)).nodes[0];
  if (html !== undefined && canHold(html)) {
    opened.push(html.id);
    const { nodes } = await childrenOf(html.id);
    for (const node of nodes) if (node.type === 'Body') opened.push(node.id);
  }
  return { page, opened, types: await elementTypes() };
}

export function Workspace({
  pageId,
  chosen,
}: {
  readonly pageId: string;
  readonly chosen: string | undefined;
}): ReactNode {
  const { value, problem } = useLoaded(() => openPage(pageId));
  if (value === undefined) return <Trouble problem={problem} />;
  return <Opened {...value} chosen={chosen ?? pageId} />;
}

interface Asked {
  readonly widget: string;
  readonly into: PageNode;
  readonly before: string | undefined;
}

function Opened({ page, opened, types, chosen }: Opened & { readonly chosen: string }): ReactNode {
  const { t } = useAreaTexts(pages);
  const [revision, setRevision] = useState(1);
  /** A change of ours of which the version does not tell yet. */
  const own = useRef(false);
  const version = useRef<number>(undefined);
  const [shown, setShown] = useState(opened);
  const [asked, setAsked] = useState<Asked>();
  const { busy, problem, run } = useWork();
  const { value: head, now, problem: gone } = useAgainAndAgain(() => readHead(page.id), LOOK_MS);
  const [chosenNode, setChosenNode] = useState<PageNode>(page);
  useEffect(() => {
    if (head === undefined) return;
    // The page counts all changes of what is in it, also those of others.
    if (version.current !== undefined && version.current !== head.version && !own.current)
      setRevision((before) => before + 1);
    version.current = head.version;
    own.current = false;
  }, [head]);
  const isShared = page.type === 'ShadowDocument';
  const choose = (id: string): void => {
    if (isIn('pages'))
      location.replace(placeOf('pages', ...(isShared ? ['components'] : [page.id]), ...(id === page.id ? [] : [id])));
  };
  const touched = (): void => {
    own.current = true;
    setRevision((before) => before + 1);
    now();
  };
  const latest = useRef(chosen);
  latest.current = chosen;
  const act = (work: () => Promise<string | undefined>): void => {
    void run(async () => {
      const before = latest.current;
      const id = await work();
      touched();
      // Who has chosen something else meanwhile stays there.
      if (id !== undefined && id !== '' && latest.current === before) choose(id);
    });
  };
  const put = async (entry: PaletteEntry, into: PageNode, before: string | undefined): Promise<string | undefined> => {
    setShown([into.id]);
    if (entry.kind === 'tag') return addElement(into, entry.tag, types, t('pages.newText'), before);
    if (entry.kind === 'component') return addComponent(into, entry.id, before);
    if (entry.kind === 'text') return addNode(into, TEXTS[entry.type](t('pages.newText')), before);
    setAsked({ widget: entry.id, into, before });
    return undefined;
  };
  // Nothing is done with a node while another one is on its way.
  const isRead = chosenNode.id === chosen;
  const mayHold = isRead && canHold(chosenNode) && !(isShared && isPage(chosenNode)) ? chosenNode : undefined;
  return (
    <div className="page-work">
      <div className="page-head">
        <h1 className="long">{isShared ? t('pages.components') : (head?.name ?? titleOf(page))}</h1>
        <a href={placeOf('pages')}>{t('pages.back')}</a>
      </div>
      <Trouble problem={problem ?? (head === undefined ? gone : undefined)} />
      {gone?.status === 404 ? <Notice kind="note">{t('pages.goneMeanwhile')}</Notice> : null}
      <div className="page-columns">
        <section className="page-tree" aria-label={t('pages.structure')}>
          <Toolbar
            node={chosenNode}
            isShared={isShared}
            types={types}
            busy={busy || !isRead}
            act={act}
            onAdd={(entry) => {
              if (mayHold !== undefined) act(() => put(entry, mayHold, undefined));
            }}
            choose={choose}
          />
          <div className="page-nodes">
            <ElementTree
              page={
                isShared ? { ...page, name: t('pages.components') } : { ...page, name: head?.name ?? page.name ?? '' }
              }
              revision={revision}
              chosen={chosen}
              opened={shown}
              onChoose={(node) => {
                setChosenNode(node);
                choose(node.id);
              }}
              onMove={(nodes, into, before) => {
                act(async () => {
                  const ids = nodes.map(({ id }) => id);
                  const next = before === undefined ? undefined : await childAt(into.id, before, ids);
                  for (const id of ids) await moveNode(id, into.id, next);
                  setShown([into.id]);
                  return undefined;
                });
              }}
              onDrop={(text, into, before) => {
                const entry = readEntry(text);
                if (entry !== undefined && canHold(into) && !(isShared && isPage(into)))
                  act(async () => put(entry, into, before === undefined ? undefined : await childAt(into.id, before)));
              }}
            />
          </div>
          <details className="palette-fold" open>
            <summary>{t('pages.palette')}</summary>
            <Palette
              into={mayHold === undefined ? undefined : titleOf(mayHold)}
              revision={revision}
              onAdd={(entry) => {
                if (mayHold !== undefined) act(() => put(entry, mayHold, undefined));
              }}
            />
          </details>
        </section>
        <section className="inspector" aria-label={t('pages.inspector')}>
          <Inspector
            key={chosen}
            id={chosen}
            page={page}
            revision={revision}
            onRead={setChosenNode}
            touched={touched}
          />
        </section>
        <Preview
          id={isShared ? chosen : page.id}
          path={isShared ? (isPage(chosenNode) ? '' : chosen) : encodeURIComponent(head?.name ?? page.id)}
          revision={revision}
        />
      </div>
      {asked === undefined ? null : (
        <InsertWidget
          id={asked.widget}
          onInsert={async (values) => {
            const [id] = await addWidget(asked.into, asked.widget, values, asked.before);
            setAsked(undefined);
            touched();
            if (id !== undefined) choose(id);
          }}
          onClose={() => {
            setAsked(undefined);
          }}
        />
      )}
    </div>
  );
}

/** What a new text has in it: something that is seen. */
const TEXTS = {
  Content: (text: string) => ({ type: 'Content', content: text }),
  Template: (text: string) => ({
    type: 'Template',
    content: `<div>${text}</div>\n\${render(children)}`,
    contentType: 'text/html',
  }),
  Comment: (text: string) => ({ type: 'Comment', content: text }),
} as const;
