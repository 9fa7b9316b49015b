/** Pages: `pages.json`, and their trees as files of `pages/` (docs/interface/deployment.md 2.5). */
import { exportForm } from '../../../pages/index.js';
import { holdersOf } from '../../../schema/index.js';
import { ownerAndGrantees, valuesWithDynamic } from '../list-section.js';
import { FLAGS, writeItems, type Item } from '../pages/entries.js';
import { PageImport } from '../pages/page-import.js';
import { exportedPages, pageKeys } from '../pages/keys.js';
import type { Section } from '../section.js';

const KEYS = [
  ...['id', ...FLAGS, 'basicAuthRealm', 'cacheForSeconds', 'category', 'contentType', 'dontCache', 'enableBasicAuth'],
  ...['hidden', 'pageCreatesRawData', 'position', 'showOnErrorCodes'],
];

export const pages: Section = {
  title: 'Pages',
  write: async (exporting) => {
    const { tx, schema } = exporting;
    const nodes = await exportedPages(tx, schema);
    const keys = pageKeys(nodes);
    const holders = await holdersOf(
      tx,
      nodes.map(({ id }) => id),
    );
    const items = nodes.map((node, i): Item => {
      const entry = { ...valuesWithDynamic(schema, node, KEYS), ...ownerAndGrantees(holders[i]) };
      return { key: keys.get(node.id) ?? node.id, entry, html: () => exportForm(tx, schema, node) };
    });
    items.sort((a, b) => (a.key < b.key ? -1 : 1));
    await writeItems(exporting, 'pages', 'The page', items);
  },
  read: (reading) => PageImport.of(reading).readPages(),
};
