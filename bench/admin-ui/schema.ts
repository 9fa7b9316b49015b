/** A schema of many types: modules of a dozen that hang together, with some relations between modules. */
import { randomNumbers } from '../dataset.js';
import type { ServerProcess } from '../server-process.js';

const MODULE = 12;
const KINDS = ['String', 'Integer', 'Long', 'Double', 'Boolean', 'Date'] as const;

/** Makes so many types; how many lines the diagram has between them. */
export async function makeTypes(server: ServerProcess, count: number): Promise<number> {
  const name = (i: number): string => `Type${String(i).padStart(3, '0')}`;
  const inherits = (i: number): boolean => i % 10 === 9;
  const { result } = await server.request(
    'POST',
    '/SchemaNode',
    Array.from({ length: count }, (_, i) => ({
      name: name(i),
      ...(inherits(i) ? { inheritedTraits: [name(i - 9)] } : {}),
      schemaProperties: Array.from({ length: 3 + (i % 6) }, (_property, k) => ({
        name: `property${String(k)}`,
        propertyType: KINDS[(i + k) % KINDS.length],
      })),
    })),
  );
  const ids = result as readonly string[];
  const random = randomNumbers(count);
  const below = (n: number): number => Math.floor(random() * n);
  const relations: Record<string, unknown>[] = [];
  const relate = (from: number, to: number, relationshipType: string, sourceMultiplicity: string): void => {
    relations.push({
      ...{ sourceId: ids[from], targetId: ids[to], relationshipType, sourceMultiplicity, targetMultiplicity: '*' },
      ...{ sourceJsonName: `from_${relationshipType}`, targetJsonName: `to_${relationshipType}` },
    });
  };
  for (let i = 1; i < count; i++) {
    const first = i - (i % MODULE);
    relate(i > first ? first + below(i - first) : below(i), i, `HAS_${String(i)}`, '1');
    if (i % 3 === 0) relate(below(i), i, `USES_${String(i)}`, '*');
  }
  await server.request('POST', '/SchemaRelationshipNode', relations);
  return relations.length + ids.filter((_, i) => inherits(i)).length;
}
