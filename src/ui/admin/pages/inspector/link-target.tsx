/** The page or file that an element leads to, which its scripts know as `link`. */
import type { ReactNode } from 'react';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { ObjectPicker } from '../../parts/object-picker.js';
import { change, type Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { valuesOf, type PageNode } from '../page/nodes.js';
import { useRead } from './use-read.js';

export function LinkTarget(props: {
  readonly node: PageNode;
  readonly revision: number;
  readonly touched: () => void;
}): ReactNode {
  const { node, revision, touched } = props;
  const { t } = useAreaTexts(pages);
  const path = `${node.type}/${node.id}`;
  const { value } = useRead(() => valuesOf(path, ['linkable']), [path, revision]);
  const { busy, problem, run } = useWork();
  const target = value?.['linkable'] as Entity | null | undefined;
  return (
    <div className="field">
      <span className="label">{t('pages.linkable')}</span>
      <ObjectPicker
        key={target?.id ?? ''}
        type="Linkable"
        label={t('pages.linkable')}
        disabled={busy}
        picked={target === undefined || target === null ? undefined : { id: target.id, name: target.name ?? target.id }}
        onPick={(picked) => {
          void run(async () => {
            await change(path, { linkable: picked?.id ?? null });
            touched();
          });
        }}
      />
      <p className="soft">{t('pages.linkableHelp')}</p>
      <Trouble problem={problem} />
    </div>
  );
}
