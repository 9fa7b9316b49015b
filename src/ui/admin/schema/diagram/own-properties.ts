/** The own properties of all types, as the diagram shows them. They are read beside the schema and the libraries of the diagram. */
import { list, type Entity } from '../../server/rest.js';
import { text } from '../model.js';
import type { PropertyLine } from './shapes.js';

/** By the name of the type. */
export type Properties = ReadonlyMap<string, readonly PropertyLine[]>;

let begun: Promise<Properties> | undefined;

/** Begins to read them for a diagram that is about to be shown. */
export function beginProperties(): void {
  begun = load();
  begun.catch(() => {
    // Told where they are taken.
  });
}

/** Those that were begun, once; whoever asks later gets the present ones. */
export function takeProperties(): Promise<Properties> {
  const taken = begun ?? load();
  begun = undefined;
  return taken;
}

async function load(): Promise<Properties> {
  const { result } = await list<Entity>(
    'SchemaProperty',
    { _disableSoftLimit: 1 },
    { properties: ['name', 'propertyType', 'schemaNode', 'staticSchemaNodeName'] },
  );
  const found = new Map<string, PropertyLine[]>();
  for (const { name, propertyType, schemaNode, staticSchemaNodeName } of result) {
    const owner = (schemaNode as Entity | null)?.name ?? (staticSchemaNodeName as string | null);
    if (owner === null || owner === undefined) continue;
    const line = { name: name ?? '', type: text(propertyType) };
    const lines = found.get(owner);
    if (lines === undefined) found.set(owner, [line]);
    else lines.push(line);
  }
  return found;
}
