/** Shared components: making one, what stands for it, and writing its attributes to all of them (docs/interface/pages.md 1.7). */
import type { ReactNode } from 'react';
import { Button, Notice } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { placeOf } from '../../frame/place.js';
import { Trouble } from '../../frame/trouble.js';
import { call, change, list, read, type Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { isText, readNode, titleOf, type PageNode } from '../page/nodes.js';
import { useDraft } from './draft.js';
import { DraftForm } from './draft-form.js';
import type { OfNode } from './of-node.js';
import { useRead } from './use-read.js';

/** Uses that are listed, and written to at once. */
const USES = 500;

/** Attributes of HTML that are set or not set, without those that belong to one element alone. */
async function attributesOf(node: PageNode): Promise<Readonly<Record<string, unknown>>> {
  const values = await read<Entity>(`${node.type}/${node.id}/_html_`);
  return Object.fromEntries(
    Object.entries(values).filter(
      ([key]) => /^(_html_|_custom_html_|data-)/.test(key) && key !== '_html_id' && !/^data-svc-/.test(key),
    ),
  );
}

export function Component(props: OfNode): ReactNode {
  const { node, page } = props;
  if (typeof node.sharedComponentId === 'string') return <Reference {...props} id={node.sharedComponentId} />;
  if (page.type === 'ShadowDocument' && typeof node.parentId !== 'string') return <Shared {...props} />;
  return <Alone {...props} />;
}

/** A node that is nothing of that kind yet. */
function Alone({ node, touched }: OfNode): ReactNode {
  const { t } = useAreaTexts(pages);
  const { busy, problem, run } = useWork();
  return (
    <>
      <p>{t('pages.shareHelp')}</p>
      <Trouble problem={problem} />
      <Button
        kind="main"
        disabled={busy}
        onClick={() => {
          void run(async () => {
            await call(`DOMNode/${node.id}/createComponent`);
            touched();
          });
        }}
      >
        {t('pages.share')}
      </Button>
    </>
  );
}

/** A node that stands for a component. */
function Reference({ node, id, revision, touched }: OfNode & { readonly id: string }): ReactNode {
  const { t } = useAreaTexts(pages);
  const { value: component, problem: unread } = useRead(() => readNode(id), [id, revision]);
  const { busy, problem, run } = useWork();
  const draft = useDraft({
    path: `${node.type}/${node.id}`,
    form: 'component',
    keys: ['sharedComponentConfiguration'],
    revision,
    onSaved: touched,
  });
  return (
    <>
      <Trouble problem={problem ?? unread} />
      <p>
        {t('pages.standsFor')}{' '}
        <a href={placeOf('pages', 'components', id)}>
          {component === undefined ? id : (component.name ?? titleOf(component))}
        </a>
      </p>
      {component === undefined || isText(component) ? null : (
        <p>
          <Button
            disabled={busy}
            onClick={() => {
              void run(async () => {
                await change(`${node.type}/${node.id}`, await attributesOf(component));
                touched();
              });
            }}
          >
            {t('pages.takeAttributes')}
          </Button>
        </p>
      )}
      <DraftForm
        draft={draft}
        fields={[
          {
            key: 'sharedComponentConfiguration',
            label: t('pages.configurationOf'),
            kind: 'code',
            help: t('pages.configurationOfHelp'),
          },
        ]}
      />
    </>
  );
}

interface Use extends PageNode {
  readonly ownerDocument?: Entity | null;
}

/** A component: where it is used. */
function Shared({ node, revision, touched }: OfNode): ReactNode {
  const { t } = useAreaTexts(pages);
  const { busy, problem, run } = useWork();
  const { value: uses, problem: unread } = useRead(async () => {
    const { result } = await list<Use>(
      `DOMNode/${node.id}/syncedNodes`,
      { _pageSize: USES, _page: 1, _outputNestingDepth: 2 },
      { properties: ['id', 'type', 'name', 'tag', 'pageId', 'ownerDocument'] },
    );
    return result;
  }, [node.id, revision]);
  const write = async (): Promise<void> => {
    const attributes = await attributesOf(node);
    for (const use of uses ?? []) await change(`${use.type}/${use.id}`, attributes);
    touched();
  };
  return (
    <>
      <Trouble problem={problem ?? unread} />
      <h3>{t('pages.uses', { count: uses?.length ?? 0 })}</h3>
      <ul className="long-list">
        {(uses ?? []).map(({ id, pageId, ownerDocument }) => (
          <li key={id}>
            <a href={placeOf('pages', pageId ?? '', id)}>{ownerDocument?.name ?? pageId}</a>
          </li>
        ))}
      </ul>
      {isText(node) ? (
        <Notice kind="good">{t('pages.textsFollow')}</Notice>
      ) : (uses ?? []).length === 0 ? null : (
        <>
          <Button disabled={busy} onClick={() => void run(write)}>
            {t('pages.synchronise')}
          </Button>
          <p className="soft">{t('pages.synchroniseHelp')}</p>
        </>
      )}
    </>
  );
}
