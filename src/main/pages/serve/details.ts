/** Objects that pages are about, by the last part of their address (docs/interface/pages.md 2.2, 9). */
import type { GraphNode, Predicate, ReadTransaction, ScalarValue } from '../../graph/index.js';
import { onlyReadable, type ObjectAccess, type Schema, type ValueProperty } from '../../schema/index.js';

/** The object whose property has the text as its value; `setting`: `htmlservlet.resolveproperties`. */
export async function detailsByProperty(
  tx: ReadTransaction,
  schema: Schema,
  access: ObjectAccess,
  setting: string,
  text: string,
): Promise<GraphNode | undefined> {
  for (const one of setting.split(/[\s,]+/)) {
    const [typeName = '', key = ''] = one.split('.');
    const type = schema.type(typeName === 'NodeInterface' ? 'NodeInterface' : typeName);
    const property = type?.properties.get(key);
    if (type?.kind !== 'node' || property?.kind !== 'value') continue;
    const value = valueOf(property, text);
    if (value === undefined) continue;
    const where: Predicate = { op: 'equals', key: property.key, value };
    const [node] = await tx.find(
      onlyReadable({ kind: 'nodes', trait: type.name, types: type.concreteTypes, where, limit: 1 }, access),
    );
    if (node !== undefined) return node;
  }
  return undefined;
}

/** The text as the property stores it; undefined: it cannot. */
function valueOf({ valueType }: ValueProperty, text: string): ScalarValue | undefined {
  switch (valueType) {
    case 'String':
      return text;
    case 'Integer':
    case 'Long':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
    case 'Double': {
      const value = Number(text);
      return text.trim() !== '' && Number.isFinite(value) ? value : undefined;
    }
    default:
      return undefined;
  }
}
