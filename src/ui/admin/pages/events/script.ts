/** The script of the service that does the actions of a page (docs/interface/pages.md 7.4). */
import { list } from '../../server/rest.js';
import { addNode, childrenOf, readNode } from '../page/nodes.js';

const SCRIPT = '/svc/js/frontend/frontend.js';

/** Whether a page loads the script. */
export async function hasActionScript(pageId: string): Promise<boolean> {
  const { result } = await list(
    'Script',
    { pageId, _html_src: SCRIPT, _pageSize: 1, _page: 1 },
    { properties: ['id'] },
  );
  return result.length > 0;
}

/** Puts the script into the head of a page, else into its first element. */
export async function addActionScript(pageId: string): Promise<void> {
  const html = (await childrenOf(pageId)).nodes[0];
  const head = html === undefined ? undefined : (await childrenOf(html.id)).nodes.find(({ type }) => type === 'Head');
  const into = head ?? html;
  if (into === undefined) return;
  await addNode(await readNode(into.id), {
    type: 'Script',
    tag: 'script',
    _html_type: 'module',
    _html_src: SCRIPT,
  });
}
