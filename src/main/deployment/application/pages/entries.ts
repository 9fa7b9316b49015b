/** Entries of `pages.json`, `components.json` and `templates.json`, as they are written (docs/interface/deployment.md 2.5). */
import type { JsonObject } from '../../../../shared/json/index.js';
import { prettyJson } from '../../tree/json-styles.js';
import { fileNamed } from '../../tree/target.js';
import type { Exporting } from '../section.js';

export const FLAGS = ['visibleToAuthenticatedUsers', 'visibleToPublicUsers'] as const;

/** Something that has an entry and a file of HTML. */
export interface Item {
  readonly key: string;
  readonly entry: JsonObject;
  readonly html: () => Promise<string>;
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
