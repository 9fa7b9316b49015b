/**
 * Layouts: the present one is kept in the browser; those with a name lie on the server, as objects of the type
 * `ApplicationConfigurationDataNode` with the `configType` `layout`, and go along with an export of the application.
 */
import { change, create, list, remove, type Entity } from '../../server/rest.js';
import type { Place, Places } from './layout.js';

const KEPT = 'svc.schema.layout';
const COLLECTION = 'ApplicationConfigurationDataNode';
const CONFIG_TYPE = 'layout';

/** Reads `{name: {x, y}}`; what is none of that is left out. */
function parse(text: string | null): Places {
  try {
    const found = JSON.parse(text ?? '{}') as unknown;
    if (typeof found !== 'object' || found === null) return {};
    const places = Object.entries(found).filter((entry): entry is [string, Place] => {
      const place = entry[1] as Partial<Place> | null;
      return Number.isFinite(place?.x) && Number.isFinite(place?.y);
    });
    return Object.fromEntries(places.map(([name, { x, y }]) => [name, { x, y }]));
  } catch {
    return {};
  }
}

export const keptPlaces = (): Places => parse(localStorage.getItem(KEPT));

export function keepPlaces(places: Places): void {
  // Places of types that are not shown now are for when they are.
  localStorage.setItem(KEPT, JSON.stringify({ ...keptPlaces(), ...places }));
}

export interface NamedLayout {
  readonly id: string;
  readonly name: string;
  readonly places: Places;
}

export async function namedLayouts(): Promise<readonly NamedLayout[]> {
  const { result } = await list<Entity>(`${COLLECTION}/ui`, { configType: CONFIG_TYPE, _sort: 'name' });
  return result.map(({ id, name, content }) => ({
    id,
    name: name ?? id,
    places: parse(typeof content === 'string' ? content : null),
  }));
}

/** Keeps places under a name; another layout of the name gets them. */
export async function saveLayout(name: string, places: Places, known: readonly NamedLayout[]): Promise<void> {
  const content = JSON.stringify(places);
  const there = known.find((one) => one.name === name);
  if (there === undefined) await create(COLLECTION, { name, configType: CONFIG_TYPE, content });
  else await change(`${COLLECTION}/${there.id}`, { content });
}

export const removeLayout = (id: string): Promise<void> => remove(`${COLLECTION}/${id}`);
