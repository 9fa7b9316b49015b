/** What is known of the chosen node, in tabs. */
import { type ReactNode, useEffect, useState } from 'react';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { TabRow, type TabOf } from '../../parts/tab-row.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { Actions } from '../events/actions.js';
import { isPage, isText, readNode, titleOf, type PageNode } from '../page/nodes.js';
import { Access } from './access.js';
import { Attributes } from './attributes.js';
import { Component } from './component.js';
import { ElementForm, PageForm, TextForm } from './general.js';
import type { OfNode } from './of-node.js';
import { Repeater } from './repeater.js';
import { Routes } from './routes.js';
import { Sites } from './sites.js';
import { PageTexts } from './page-texts.js';

/** The tab that was looked at last, by the kind of node. */
const last = new Map<string, string>();

export function Inspector(props: {
  readonly id: string;
  readonly page: PageNode;
  readonly revision: number;
  readonly onRead: (node: PageNode) => void;
  readonly touched: () => void;
}): ReactNode {
  const { id, page, revision, onRead, touched } = props;
  const { t } = useAreaTexts(pages);
  const [node, setNode] = useState<PageNode>();
  const { problem, run } = useWork();
  const kind = node === undefined ? '' : isPage(node) ? 'page' : isText(node) ? 'text' : 'element';
  const [chosen, setChosen] = useState<string>();
  useEffect(() => {
    let stale = false;
    void run(async () => {
      const read = await readNode(id);
      if (stale) return;
      setNode(read);
      onRead(read);
    });
    return () => {
      stale = true;
    };
  }, [id, revision]);
  if (node === undefined) return <Trouble problem={problem} />;
  const of: OfNode = { node, page, revision, touched };
  const tab = (name: Tab, content: () => ReactNode): TabOf => ({ name, title: t(`pages.tab.${name}`), content });
  const access = tab('access', () => <Access {...of} />);
  const tabs: readonly TabOf[] =
    node.type === 'ShadowDocument'
      ? [access]
      : kind === 'page'
        ? [
            tab('general', () => <PageForm {...of} />),
            tab('routes', () => <Routes {...of} />),
            tab('sites', () => <Sites {...of} />),
            tab('texts', () => <PageTexts {...of} />),
            access,
          ]
        : [
            tab('general', () => (kind === 'text' ? <TextForm {...of} /> : <ElementForm {...of} />)),
            ...(kind === 'text' ? [] : [tab('attributes', () => <Attributes {...of} />)]),
            tab('repeater', () => <Repeater {...of} />),
            ...(kind === 'text' ? [] : [tab('events', () => <Actions {...of} />)]),
            tab('component', () => <Component {...of} />),
            access,
          ];
  return (
    <>
      <h2 className="long">
        {titleOf(node)} <span className="badge plain">{node.type}</span>
      </h2>
      <Trouble problem={problem} />
      <TabRow
        label={t('pages.inspector')}
        tabs={tabs}
        chosen={chosen ?? last.get(kind)}
        onChoose={(name) => {
          last.set(kind, name);
          setChosen(name);
        }}
      />
    </>
  );
}

type Tab = 'general' | 'attributes' | 'repeater' | 'events' | 'component' | 'access' | 'routes' | 'sites' | 'texts';
