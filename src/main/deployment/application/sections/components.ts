/** Shared components: `components.json`, and their trees as files of `components/` (docs/interface/deployment.md 2.5). */
import type { GraphNode } from '../../../graph/index.js';
import { exportForm, exportKey } from '../../../pages/index.js';
import { inParts, typesOf } from '../../../schema/index.js';
import { valuesWithDynamic } from '../list-section.js';
import { FLAGS, writeItems, type Item } from '../pages/entries.js';
import { PageImport } from '../pages/page-import.js';
import { allOf, type Exporting, type Section } from '../section.js';

export const components: Section = {
  title: 'Components',
  write: async (exporting) => {
    const { tx, schema } = exporting;
    const items = (await sharedNodes(exporting)).map((node): Item => {
      const type = schema.typeOf(node);
      const isTemplate = type.hasTrait('Template');
      const entry = valuesWithDynamic(schema, node, [
        'id',
        ...FLAGS,
        ...(type.hasTrait('Content') ? ['contentType'] : []),
      ]);
      if (isTemplate) entry['shared'] = 'true';
      return { key: exportKey(node), entry, html: () => exportForm(tx, schema, node) };
    });
    await writeItems(exporting, 'components', 'The component', items);
  },
  read: (reading) => PageImport.of(reading).readComponents(),
};

/** All that stands by itself in the page of shared components. */
export async function sharedNodes({ tx, schema }: Pick<Exporting, 'tx' | 'schema'>): Promise<GraphNode[]> {
  const types = typesOf(schema, 'DOMNode');
  const shared: GraphNode[] = [];
  for (const { id } of await allOf(tx, schema, 'ShadowDocument')) {
    const step = { relType: 'PAGE', direction: 'in', ...types } as const;
    for await (const batch of tx.stream({ kind: 'nodes', from: { id, step } })) {
      for (const part of inParts(batch)) {
        const parents = await tx.related(
          part.map((node) => node.id),
          { relType: 'CONTAINS', direction: 'in', ...types },
          1,
        );
        shared.push(...part.filter((_, i) => (parents[i]?.length ?? 0) === 0));
      }
    }
  }
  return shared;
}
