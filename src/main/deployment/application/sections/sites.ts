/** Sites, `sites.json`; their pages are named. */
import { typesOf } from '../../../schema/index.js';
import { DeploymentError } from '../../common/errors.js';
import { createMarked, listSection, textOf } from '../list-section.js';

export const sites = listSection({
  title: 'Sites',
  file: 'sites.json',
  type: 'Site',
  keys: ['id', 'name', 'hostname', 'port', 'visibleToAuthenticatedUsers', 'visibleToPublicUsers'],
  sortedBy: ({ name }) => [textOf(name)],
  style: 'pretty',
  rights: 'owner and grantees',
  more: async ({ tx }, nodes) => {
    const pages = await tx.related(
      nodes.map(({ id }) => id),
      { relType: 'CONTAINS', direction: 'out' },
    );
    return nodes.map((_, i) => ({
      pages: (pages[i] ?? []).flatMap(({ properties: { name } }) => (typeof name === 'string' ? [name] : [])).sort(),
    }));
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
    const names = Array.isArray(pages) ? pages.filter((page) => typeof page === 'string') : [];
    if (names.length === 0) return;
    const where = { op: 'in', key: 'name', values: names } as const;
    const found = await objects.tx.find({ kind: 'nodes', trait: 'Page', ...typesOf(objects.schema, 'Page'), where });
    const there = new Set(found.map(({ properties }) => properties['name']));
    report.warnOfAll(
      'Missing page(s) of a site',
      names.filter((name) => !there.has(name)),
    );
    await objects.update(site, { pages: found.map(({ id }) => id) });
  },
});
