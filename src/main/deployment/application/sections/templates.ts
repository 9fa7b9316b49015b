/** Templates: `templates.json`, and their texts as files of `templates/` (docs/interface/deployment.md 2.5). */
import type { GraphNode } from '../../../graph/index.js';
import { exportKey } from '../../../pages/index.js';
import { inParts, storedValue } from '../../../schema/index.js';
import { valuesWithDynamic } from '../list-section.js';
import { FLAGS, writeItems, type Item } from '../pages/entries.js';
import { PageImport } from '../pages/page-import.js';
import { allOf, type Exporting, type Section } from '../section.js';
import { sharedNodes } from './components.js';

export const templates: Section = {
  title: 'Templates',
  write: async (exporting) => {
    const { schema } = exporting;
    const shared = new Set((await sharedNodes(exporting)).map(({ id }) => id));
    const items = (await placedTemplates(exporting)).map((node): Item => {
      const entry = valuesWithDynamic(schema, node, ['id', ...FLAGS, 'contentType']);
      entry['shared'] = String(shared.has(node.id));
      const text = storedValue(node, 'content');
      return {
        key: exportKey(node),
        entry,
        html: () => Promise.resolve(typeof text === 'string' ? text : ''),
      };
    });
    await writeItems(exporting, 'templates', 'The template', items);
  },
  read: (reading) => PageImport.of(reading).readTemplates(),
};

/** Those outside of the recycle bin that stand for no shared component: the texts of these are theirs. */
async function placedTemplates({ tx, schema }: Exporting): Promise<GraphNode[]> {
  const placed: GraphNode[] = [];
  for (const part of inParts(await allOf(tx, schema, 'Template'))) {
    const ids = part.map(({ id }) => id);
    const [pages, components] = await Promise.all([
      tx.related(ids, { relType: 'PAGE', direction: 'out' }, 1),
      tx.related(ids, { relType: 'SYNC', direction: 'in' }, 1),
    ]);
    placed.push(...part.filter((_, i) => (pages[i]?.length ?? 0) > 0 && (components[i]?.length ?? 0) === 0));
  }
  return placed;
}
