/** Entries of `pages.json`, `components.json` and `templates.json`, as they are written (docs/interface/deployment.md 2.5). */
import type { GraphNode } from '../../../graph/index.js';
import { isSecret, type Schema } from '../../../schema/index.js';
import type { JsonObject } from '../../../../shared/json.js';
import { prettyJson } from '../../tree/json-styles.js';
import { fileNamed } from '../../tree/target.js';
import { valuesOf } from '../list-section.js';
import type { Exporting } from '../section.js';

export const FLAGS = ['visibleToAuthenticatedUsers', 'visibleToPublicUsers'] as const;

/** Something that has an entry and a file of HTML. */
export interface Item {
  readonly key: string;
  readonly entry: JsonObject;
  readonly html: () => Promise<string>;
}

/** What an entry has of an object: some built-in properties, and all that a schema has added. */
export function entryOf(schema: Schema, node: GraphNode, keys: readonly string[]): JsonObject {
  const added = [...schema.typeOf(node).properties.values()].filter(
    (one) => one.kind === 'value' && one.definition.schemaPropertyId !== undefined && !isSecret(one),
  );
  return valuesOf(schema, node, [...keys, ...added.map(({ name }) => name)]);
}

/** Writes the entries and files of a folder, and removes files that are of nothing any more. `title`: what one of them is, for messages. */
export async function writeItems(
  { out }: Pick<Exporting, 'out'>,
  folder: string,
  title: string,
  items: readonly Item[],
): Promise<void> {
  const paths = items.map(({ key }) => `${folder}/${fileNamed(`${key}.html`, title)}`);
  await out.keepOnly(folder, paths);
  const entries: JsonObject = Object.create(null) as JsonObject;
  for (const [i, { key, entry, html }] of items.entries()) {
    entries[key] = entry;
    await out.text(paths[i] ?? '', await html());
  }
  await out.text(`${folder}.json`, prettyJson(entries));
}
