/** Nodes that were taken out of their pages: put into a page again, or deleted for good (docs/interface/pages.md 1.7). */
import { type ReactNode, useState } from 'react';
import { Button, Confirm, Empty } from '../../../common/parts.js';
import { useLoaded, useWork } from '../../../common/work.js';
import { goOn, placeOf } from '../../frame/place.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { ObjectPicker, type Picked } from '../../parts/object-picker.js';
import { call } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { useFormats } from '../../texts/index.js';
import { pages } from '../../texts/pages.js';
import { childrenOf, moveNode, recycled, titleOf, type PageNode } from '../page/nodes.js';

/** So many are listed. */
const SHOWN = 200;

export function RecycleBin(): ReactNode {
  const { t } = useAreaTexts(pages);
  const { number } = useFormats();
  const { value: nodes, again, problem: unread } = useLoaded(recycled);
  const [isAsked, setIsAsked] = useState(false);
  const [chosen, setChosen] = useState<PageNode>();
  const { busy, problem, run } = useWork();
  return (
    <div className="page-list">
      <div className="page-head">
        <h1>{t('pages.bin')}</h1>
        <a href={placeOf('pages')}>{t('pages.back')}</a>
      </div>
      <Trouble problem={problem ?? unread} />
      {nodes === undefined ? null : nodes.length === 0 ? (
        <Empty>{t('pages.binEmpty')}</Empty>
      ) : (
        <>
          {isAsked ? (
            <Confirm
              question={t('pages.emptyQuestion', { count: number(nodes.length) })}
              yes={t('pages.emptyBin')}
              no={t('app.cancel')}
              disabled={busy}
              onYes={() => {
                void run(async () => {
                  await call('DOMNode/emptyRecycleBin');
                  setIsAsked(false);
                  again();
                });
              }}
              onNo={() => {
                setIsAsked(false);
              }}
            />
          ) : (
            <div className="row spread">
              <span className="soft">{t('pages.binCount', { count: number(nodes.length) })}</span>
              <Button
                kind="danger"
                onClick={() => {
                  setIsAsked(true);
                }}
              >
                {t('pages.emptyBin')}
              </Button>
            </div>
          )}
          <table className="framed">
            <tbody>
              {nodes.slice(0, SHOWN).map((node) => (
                <tr key={node.id}>
                  <td className="long">{titleOf(node)}</td>
                  <td className="soft">{[node.type, node.name ?? ''].filter(Boolean).join(' · ')}</td>
                  <td className="actions">
                    <Button
                      aria-label={`${t('pages.putInto')}: ${titleOf(node)}`}
                      onClick={() => {
                        setChosen(node);
                      }}
                    >
                      {t('pages.putInto')}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
      {chosen === undefined ? null : (
        <PutInto
          node={chosen}
          onClose={() => {
            setChosen(undefined);
          }}
        />
      )}
    </div>
  );
}

/** Where it belongs in a page: a whole document below the page itself, everything else in the body. */
async function holderIn(page: string, node: PageNode): Promise<string> {
  const html = (await childrenOf(page)).nodes.find(({ type }) => type === 'Html');
  if (node.type === 'Html' || html === undefined) return page;
  return (await childrenOf(html.id)).nodes.find(({ type }) => type === 'Body')?.id ?? html.id;
}

function PutInto({ node, onClose }: { readonly node: PageNode; readonly onClose: () => void }): ReactNode {
  const { t } = useAreaTexts(pages);
  const [page, setPage] = useState<Picked>();
  const { busy, problem, run } = useWork();
  return (
    <Modal title={t('pages.putIntoTitle', { name: titleOf(node) })} onClose={onClose}>
      <Trouble problem={problem} />
      <div className="field">
        <ObjectPicker type="Page" label={t('pages.page')} picked={page} onPick={setPage} />
        <p className="soft">{t('pages.putIntoHelp')}</p>
      </div>
      <div className="row">
        <Button
          kind="main"
          disabled={busy || page === undefined}
          onClick={() => {
            void run(async () => {
              if (page === undefined) return;
              await moveNode(node.id, await holderIn(page.id, node));
              goOn(placeOf('pages', page.id, node.id));
            });
          }}
        >
          {t('pages.putInto')}
        </Button>
        <Button onClick={onClose}>{t('app.cancel')}</Button>
      </div>
    </Modal>
  );
}
