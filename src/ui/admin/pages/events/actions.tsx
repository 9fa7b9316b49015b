/** What happens in an element does something on the server: its event action mappings (docs/interface/pages.md 7). */
import { type ReactNode, useState } from 'react';
import { Button, Notice } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { create, list, remove, type Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import type { OfNode } from '../inspector/of-node.js';
import { useRead } from '../inspector/use-read.js';
import { MappingForm } from './mapping-form.js';
import { addActionScript, hasActionScript } from './script.js';

/** Mappings of one element that are shown; the first counts. */
const MAPPINGS = 50;

interface Mapping extends Entity {
  readonly event: string | null;
  readonly action: string | null;
}

export function Actions({ node, page, revision, touched }: OfNode): ReactNode {
  const { t } = useAreaTexts(pages);
  const [turn, setTurn] = useState(0);
  const { value: mappings, problem: unread } = useRead(async () => {
    const { result } = await list<Mapping>(
      `DOMElement/${node.id}/triggeredActions`,
      { _pageSize: MAPPINGS, _page: 1 },
      { properties: ['id', 'type', 'name', 'event', 'action'] },
    );
    return result;
  }, [node.id, revision, turn]);
  const { busy, problem, run } = useWork();
  const again = (): void => {
    setTurn((before) => before + 1);
    touched();
  };
  return (
    <>
      <Trouble problem={problem ?? unread} />
      <ScriptHint page={page} revision={revision} touched={touched} />
      {(mappings ?? []).map((mapping, index) => (
        <section key={mapping.id} className="card" aria-label={t('pages.actionOf', { event: mapping.event ?? '' })}>
          <div className="row spread">
            <h3>{t('pages.actionOf', { event: mapping.event ?? '…' })}</h3>
            <Button
              kind="danger"
              aria-label={`${t('app.delete')}: ${t('pages.actionOf', { event: mapping.event ?? '' })}`}
              disabled={busy}
              onClick={() => {
                void run(async () => {
                  await remove(`ActionMapping/${mapping.id}`);
                  again();
                });
              }}
            >
              {t('app.delete')}
            </Button>
          </div>
          {index === 0 ? null : <Notice kind="note">{t('pages.firstCounts')}</Notice>}
          <MappingForm id={mapping.id} pageId={page.id} revision={revision + turn} touched={again} />
        </section>
      ))}
      <Button
        kind="main"
        disabled={busy}
        onClick={() => {
          void run(async () => {
            await create('ActionMapping', {
              event: node.type === 'Form' ? 'submit' : 'click',
              action: 'none',
              triggerElements: [node.id],
              visibleToPublicUsers: node.visibleToPublicUsers ?? false,
              visibleToAuthenticatedUsers: node.visibleToAuthenticatedUsers ?? false,
            });
            again();
          });
        }}
      >
        {t('pages.newAction')}
      </Button>
    </>
  );
}

/** Says that the page does not load the script which does the actions, and puts it there. */
function ScriptHint(props: {
  readonly page: OfNode['page'];
  readonly revision: number;
  readonly touched: () => void;
}): ReactNode {
  const { page, revision, touched } = props;
  const { t } = useAreaTexts(pages);
  const { value: isThere } = useRead(
    async () => page.type === 'ShadowDocument' || (await hasActionScript(page.id)),
    [page.id, revision],
  );
  const { busy, problem, run } = useWork();
  if (isThere !== false) return null;
  const add = async (): Promise<void> => {
    await addActionScript(page.id);
    touched();
  };
  return (
    <div className="notice note">
      <p>{t('pages.noScript')}</p>
      <Trouble problem={problem} />
      <Button disabled={busy} onClick={() => void run(add)}>
        {t('pages.addScript')}
      </Button>
    </div>
  );
}
