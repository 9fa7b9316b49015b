/** How the elements of an XML document are nested (docs/interface/imports.md 1.2). */
import type { JsonObject } from '../../../../shared/json/index.js';
import { xmlEvents } from './xml-reader.js';

/** Children of the root that are looked at. */
const MOST_CHILDREN = 100;
/** Names in all, elements and attributes: what has more is no structure anybody looks at. */
const MOST_NAMES = 10_000;
const ATTRIBUTES = '::attributes';

/** An object by the name of each element, with the names of its attributes. Throws `FilesError` 422 for what is no XML. */
export async function xmlStructure(bytes: AsyncIterable<Buffer>): Promise<JsonObject> {
  const root = Object.create(null) as JsonObject;
  const above: JsonObject[] = [root];
  let children = 0;
  let names = 0;
  for await (const events of xmlEvents(bytes)) {
    for (const event of events) {
      if (event.kind === 'close') above.pop();
      if (event.kind !== 'open') continue;
      if (above.length === 2 && ++children > MOST_CHILDREN) return root;
      const parent = above.at(-1) ?? root;
      let element = parent[event.name] as JsonObject | undefined;
      if (element === undefined) {
        if (++names > MOST_NAMES) return root;
        parent[event.name] = element = Object.create(null) as JsonObject;
      }
      for (const attribute of Object.keys(event.attributes)) {
        const known = (element[ATTRIBUTES] ??= []) as string[];
        if (known.includes(attribute)) continue;
        if (++names > MOST_NAMES) return root;
        known.push(attribute);
      }
      above.push(element);
    }
  }
  return root;
}
