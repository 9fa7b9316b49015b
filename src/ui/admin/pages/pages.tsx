/** The pages of an application (docs/interface/admin-ui.md, Pages). The place is `#/pages`, `#/pages/<id>`, `#/pages/components` or `#/pages/bin`. */
import type { ReactNode } from 'react';
import { Empty } from '../../common/parts.js';
import { useLoaded } from '../../common/work.js';
import type { AreaProps } from '../frame/place.js';
import { Trouble } from '../frame/trouble.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { pages } from '../texts/pages.js';
import { PageList } from './list/page-list.js';
import { RecycleBin } from './list/recycle-bin.js';
import { findShadowDocument } from './page/nodes.js';
import { Workspace } from './page/workspace.js';
import './pages.css';

export default function Pages({ place }: AreaProps): ReactNode {
  const [shown, chosen] = place;
  if (shown === undefined) return <PageList />;
  if (shown === 'bin') return <RecycleBin />;
  if (shown === 'components') return <Components chosen={chosen} />;
  return <Workspace key={shown} pageId={shown} chosen={chosen} />;
}

/** Shared components lie in a hidden page of their own. */
function Components({ chosen }: { readonly chosen: string | undefined }): ReactNode {
  const { t } = useAreaTexts(pages);
  const { value, problem } = useLoaded(async () => ({ id: await findShadowDocument() }));
  if (value === undefined) return <Trouble problem={problem} />;
  if (value.id !== undefined) return <Workspace key={value.id} pageId={value.id} chosen={chosen} />;
  return (
    <>
      <h1>{t('pages.components')}</h1>
      <Empty>{t('pages.noComponents')}</Empty>
      <p>
        <a href="#/pages">{t('pages.back')}</a>
      </p>
    </>
  );
}
