/** What users and groups may do with all objects of types, `security/schema-grants.json`. */
import { typesOf } from '../../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../../shared/json/index.js';
import { createMarked, listSection, typeNamed } from '../list-section.js';
import { removeAll, withFirst } from '../section.js';
import { textAt } from '../../tree/principal-names.js';
import { objectAt } from '../../tree/source.js';

const list = listSection({
  title: 'Schema Permissions',
  file: 'security/schema-grants.json',
  type: 'SchemaGrant',
  keys: ['id', 'staticSchemaNodeName', 'allowRead', 'allowWrite', 'allowDelete', 'allowAccessControl'],
  sortedBy: () => [],
  style: 'lines',
  more: async ({ tx }, nodes) => {
    const ids = nodes.map(({ id }) => id);
    const [principals, types] = await Promise.all([
      tx.related(ids, { relType: 'SCHEMA_GRANT', direction: 'in' }, 1),
      tx.related(ids, { relType: 'SCHEMA_GRANT', direction: 'out' }, 1),
    ]);
    return nodes.map((_, i): JsonObject => {
      const type = types[i]?.[0];
      return { principal: nameOf(principals[i]?.[0]), ...(type === undefined ? {} : { schemaNode: nameOf(type) }) };
    });
  },
  input: (values, place) => {
    textAt(objectAt(values['principal'], `${place}.principal`)['name'], `${place}.principal.name`);
    const { schemaNode } = values;
    if (schemaNode !== undefined && schemaNode !== null)
      textAt(objectAt(schemaNode, `${place}.schemaNode`)['name'], `${place}.schemaNode.name`);
    return values;
  },
  make: async ({ objects, principals, report }, _type, { values, place }) => {
    const { principal: said, schemaNode, ...rest } = values;
    const principal = await principals.find(objects, nameIn(said));
    if (principal === undefined) return undefined;
    const type = typeNamed(objects, 'SchemaGrant');
    const where = { op: 'equals', key: 'name', value: nameIn(schemaNode) } as const;
    const types = typesOf(objects.schema, 'SchemaNode');
    const [found] =
      nameIn(schemaNode) === ''
        ? []
        : await objects.tx.find({ kind: 'nodes', trait: 'SchemaNode', ...types, where, limit: 1 });
    if (found === undefined && nameIn(schemaNode) !== '') {
      report.warn('Missing type', `${place}: there is no type ${nameIn(schemaNode)}; the grant is left out.`);
      return undefined;
    }
    const ofType = found === undefined ? {} : { schemaNode: found.id };
    return createMarked(objects, type, { ...rest, principal: principal.id, ...ofType }, place);
  },
});

/** The document of the schema says them, too, without their ids: where there is this list, it alone counts. */
export const schemaGrants = withFirst(list, 'create', (into) => removeAll(into, 'SchemaGrant'));

function nameOf(node: { readonly properties: Readonly<Record<string, unknown>> } | undefined): JsonObject | null {
  const name = node?.properties['name'];
  return typeof name === 'string' ? { name } : null;
}

function nameIn(value: JsonValue | undefined): string {
  const name = value !== null && typeof value === 'object' && !Array.isArray(value) ? value['name'] : undefined;
  return typeof name === 'string' ? name : '';
}
