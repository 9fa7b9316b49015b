/** Nodes of the page that a mapping is linked with. */
import { type ReactNode, useId, useState } from 'react';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { change, list } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { useRead } from '../inspector/use-read.js';
import type { PageNode } from '../page/nodes.js';
import { elementsOf, labelOf, OFFERED } from './elements.js';

export function LinkedNodes(props: {
  readonly path: string;
  readonly property: string;
  readonly label: string;
  readonly pageId: string;
  readonly revision: number;
  readonly touched: () => void;
}): ReactNode {
  const { path, property, label, pageId, revision, touched } = props;
  const { t } = useAreaTexts(pages);
  const id = useId();
  const [turn, setTurn] = useState(0);
  const { value: linked, problem: unread } = useRead(async () => {
    const { result } = await list<PageNode>(
      `${path}/${property}`,
      { _pageSize: OFFERED, _page: 1 },
      { properties: ['id', 'type', 'name', 'tag', 'dataKey', '_html_id', '_html_class'] },
    );
    return result;
  }, [path, property, revision, turn]);
  const { value: offered } = useRead(() => elementsOf(pageId), [pageId, revision]);
  const { busy, problem, run } = useWork();
  const write = (ids: readonly string[]): void => {
    void run(async () => {
      await change(path, { [property]: ids });
      setTurn((before) => before + 1);
      touched();
    });
  };
  const ids = (linked ?? []).map((node) => node.id);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <ul className="linked">
        {(linked ?? []).map((node) => (
          <li key={node.id}>
            <span className="long">{labelOf(node)}</span>
            <button
              type="button"
              className="link"
              aria-label={`${t('pages.unlink')}: ${labelOf(node)}`}
              disabled={busy}
              onClick={() => {
                write(ids.filter((one) => one !== node.id));
              }}
            >
              {t('pages.unlink')}
            </button>
          </li>
        ))}
      </ul>
      <select
        id={id}
        value=""
        disabled={busy}
        onChange={(event) => {
          write([...ids, event.target.value]);
        }}
      >
        <option value="">{t('pages.linkMore')}</option>
        {(offered ?? [])
          .filter((node) => !ids.includes(node.id))
          .map((node) => (
            <option key={node.id} value={node.id}>
              {labelOf(node)}
            </option>
          ))}
      </select>
      <Trouble problem={problem ?? unread} />
    </div>
  );
}
