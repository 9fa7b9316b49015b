/** Elements of a page, to be chosen from. */
import { list } from '../../server/rest.js';
import type { PageNode } from '../page/nodes.js';

/** So many elements of a page are offered. */
export const OFFERED = 500;

/** Elements of a page, of these types alone where they are named. */
export async function elementsOf(pageId: string, types: readonly string[] = []): Promise<readonly PageNode[]> {
  const { result } = await list<PageNode>(
    'DOMElement',
    { pageId, ...(types.length === 0 ? {} : { type: types.join(';') }), _pageSize: OFFERED, _page: 1 },
    { properties: ['id', 'type', 'name', 'tag', 'dataKey', '_html_id', '_html_class', '_html_name'] },
  );
  return result;
}

/** How an element is told from others. */
export function labelOf(node: PageNode): string {
  const { id, tag, type, name, dataKey } = node;
  const inputName = node['_html_name'];
  const parts = [
    (node._html_id ?? '') === '' ? '' : `#${node._html_id ?? ''}`,
    (node._html_class ?? '') === '' ? '' : `.${(node._html_class ?? '').trim().split(/\s+/).join('.')}`,
    typeof inputName === 'string' && inputName !== '' ? `[name=${inputName}]` : '',
    (name ?? '') === '' ? '' : ` “${name ?? ''}”`,
    (dataKey ?? '') === '' ? '' : ` ↻ ${dataKey ?? ''}`,
  ].join('');
  return `${tag ?? type}${parts === '' ? ` ${id.slice(-6)}` : parts}`.slice(0, 120);
}
