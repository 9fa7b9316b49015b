/** Sites, `sites.json`; their pages are named by their keys in `pages.json` (docs/interface/deployment.md 2.6). */
import { DeploymentError } from '../../common/errors.js';
import { createMarked, listSection, textOf } from '../list-section.js';
import { exportedPages, pageKeys, pagesWithKeys } from '../pages/keys.js';

export const sites = listSection({
  title: 'Sites',
  file: 'sites.json',
  type: 'Site',
  keys: ['id', 'name', 'hostname', 'port', 'visibleToAuthenticatedUsers', 'visibleToPublicUsers'],
  sortedBy: ({ name }) => [textOf(name)],
  style: 'pretty',
  rights: 'owner and grantees',
  more: async ({ tx, schema }, nodes) => {
    const keys = pageKeys(await exportedPages(tx, schema));
    const pages = await tx.related(
      nodes.map(({ id }) => id),
      { relType: 'CONTAINS', direction: 'out' },
    );
    return nodes.map((_, i) => ({ pages: (pages[i] ?? []).map(({ id }) => keys.get(id) ?? id).sort() }));
  },
  input: (values, place) => {
    const { pages = [] } = values;
    if (Array.isArray(pages) && pages.every((page) => typeof page === 'string')) return values;
    throw new DeploymentError(`${place}.pages: a list of names of pages is expected here.`);
  },
  removes: ({ replacesPages }) => replacesPages,
  make: ({ objects }, type, { values: { pages: _later, ...values }, place }) =>
    createMarked(objects, type, values, place),
  connect: async ({ objects, report }, site, { values: { pages } }) => {
    const said = Array.isArray(pages) ? pages.filter((page) => typeof page === 'string') : [];
    if (said.length === 0) return;
    const found = await pagesWithKeys(objects.tx, objects.schema, said);
    report.warnOfAll(
      'Missing page(s) of a site',
      said.filter((_, i) => found[i] === undefined),
    );
    await objects.update(site, { pages: [...new Set(found.flatMap((page) => page?.id ?? []))] });
  },
});
