/** Virtual types and their properties: `modules/api-builder/virtual-types.json` (docs/interface/deployment.md 2.8). */
import type { JsonObject, JsonValue } from '../../../../shared/json/index.js';
import { DeploymentError } from '../../common/errors.js';
import { objectAt } from '../../tree/source.js';
import { createMarked, listSection, textOf, typeNamed, valuesOf } from '../list-section.js';
import { removeAll, withFirst } from '../section.js';

const FLAGS = ['visibleToAuthenticatedUsers', 'visibleToPublicUsers'];
const OF_PROPERTIES = ['id', 'sourceName', 'targetName', 'inputFunction', 'outputFunction', 'position', ...FLAGS];

const list = listSection({
  title: 'Virtual Types',
  file: 'modules/api-builder/virtual-types.json',
  type: 'VirtualType',
  keys: ['id', 'name', 'sourceType', 'position', 'filterExpression', ...FLAGS],
  withoutIds: true,
  sortedBy: ({ name }) => [textOf(name)],
  style: 'pretty',
  more: async ({ tx, schema }, nodes) => {
    const properties = await tx.related(
      nodes.map(({ id }) => id),
      { relType: 'virtualProperty', direction: 'out' },
    );
    return nodes.map((_, i): JsonObject => {
      const all = (properties[i] ?? []).map((node) => valuesOf(schema, node, OF_PROPERTIES));
      const rank = ({ position, id }: JsonObject): [number, string] => [Number(position ?? 0), textOf(id) ?? ''];
      all.sort((a, b) => {
        const [[first, one], [second, other]] = [rank(a), rank(b)];
        return first - second || (one < other ? -1 : 1);
      });
      return { properties: all };
    });
  },
  input: (values, place) => {
    for (const [at, one] of propertiesIn(values['properties'], place).entries())
      objectAt(one, `${place}.properties[${String(at)}]`);
    return values;
  },
  make: async ({ objects }, type, { values: { properties, ...values }, place }) => {
    const ofProperties = typeNamed(objects, 'VirtualProperty');
    const made: string[] = [];
    for (const [at, one] of propertiesIn(properties, place).entries()) {
      const { id } = await createMarked(objects, ofProperties, one as JsonObject, `${place}.properties[${String(at)}]`);
      made.push(id);
    }
    return createMarked(objects, type, { ...values, properties: made }, place);
  },
});

/** The properties go with their types. */
export const virtualTypes = withFirst(list, 'remove', (into) => removeAll(into, 'VirtualProperty'));

function propertiesIn(value: JsonValue | undefined, place: string): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new DeploymentError(`${place}.properties: a list is expected here.`);
}
