import { logger } from '../../../../shared/log.js';
import type { GraphNode, Step } from '../../../graph/index.js';
import { isComparable, isSecretType } from '../../changes/secrets.js';
import { SchemaError, type ErrorToken } from '../../model/errors.js';
import { RESERVED_TYPE_NAMES, TYPE_NAME } from '../../model/names.js';
import { isBuiltinTrait } from '../../builtin/builtin-properties.js';
import { searchedAs } from '../../model/lookup.js';
import { propertyTypes } from '../../properties/table.js';
import { FUNCTION } from '../../writing/function-properties.js';
import type { ObjectTransaction } from '../../writing/object-transaction.js';
import { textOf } from '../helpers/text-of.js';
import { mustMatch, tooLong } from '../helpers/name-pattern.js';
import type { TraitRule } from '../rule.js';

const log = logger('schema');

const ORDERS = ['asc', 'desc'];
const HAS_PROPERTY: Step = { relType: 'HAS_PROPERTY', direction: 'out', types: ['SchemaProperty'] };

/** Whether objects can be sorted by a property that a SchemaProperty declares: it stores one value, which is no secret. */
function isSortable({ properties }: GraphNode): boolean {
  const type = String(properties['propertyType']);
  if (type === FUNCTION) return properties['indexed'] === true;
  return propertyTypes.has(type) && !isSecretType(type);
}

/** Tells of an order of lists that has no effect: it is stored all the same, as exports of other systems may hold it. */
async function noteDefaultSort(node: GraphNode, objects: ObjectTransaction): Promise<void> {
  const said: string[] = [];
  const order = textOf(node, 'defaultSortOrder');
  if (order !== undefined && !ORDERS.includes(order.toLowerCase()))
    said.push(`defaultSortOrder ${order} has no effect: it is none of ${ORDERS.join(', ')}`);
  const key = textOf(node, 'defaultSortKey');
  if (key !== undefined && !(await canSort(node, key, objects)))
    said.push(`defaultSortKey ${key} has no effect: the type has no such property by which objects can be sorted`);
  if (said.length === 0) return;
  const name = String(node.properties['name']);
  objects.onEnd((committed) => {
    if (committed) for (const one of said) log.warn(`SchemaNode ${name}: ${one}`);
  });
}

async function canSort(node: GraphNode, key: string, objects: ObjectTransaction): Promise<boolean> {
  const [own = []] = await objects.tx.related([node.id], HAS_PROPERTY);
  const declared = own.find((property) => property.properties['name'] === key);
  if (declared !== undefined) return isSortable(declared);
  const inherited = node.properties['inheritedTraits'];
  const traits = [String(node.properties['name']), ...(Array.isArray(inherited) ? inherited.map(String) : [])];
  // The type itself is that of before, with what it inherits; a type of this transaction is not compiled yet.
  const types = traits.map((trait) => objects.schema.type(trait));
  if (types.slice(1).includes(undefined)) return true;
  return [...types, objects.schema.type('NodeInterface')].some((type) => {
    const property = searchedAs(type?.properties.get(key));
    return property?.kind === 'value' && isComparable(property, { isAdmin: false });
  });
}

/** Whether a relationship type has the name; one that this transaction has deleted does not. */
async function isRelation(name: string, { schema, tx }: ObjectTransaction): Promise<boolean> {
  const type = schema.type(name);
  if (type?.kind !== 'relationship') return false;
  if (type.relation?.builtin === true || type.relation === undefined) return true;
  const trait = 'SchemaRelationshipNode';
  const where = { op: 'equals', key: 'name', value: name } as const;
  return (await tx.find({ kind: 'nodes', trait, types: [trait], where, limit: 1 })).length > 0;
}

/** Type names (docs/interface/schema.md 4). Uniqueness is the property's. */
export const schemaNodeRule: TraitRule = {
  trait: 'SchemaNode',
  normalise(values) {
    const traits = values['inheritedTraits'];
    if (Array.isArray(traits)) values['inheritedTraits'] = [...new Set<string>(traits.map(String))].sort();
  },
  async complete(node, objects) {
    const name = node.properties['name'];
    if (typeof name !== 'string' || !isBuiltinTrait(name)) return;
    // A type that has just got this name brings properties along that nobody compared with the built-in ones yet.
    const [properties = []] = await objects.tx.related([node.id], {
      relType: 'HAS_PROPERTY',
      direction: 'out',
      types: ['SchemaProperty'],
    });
    for (const property of properties) objects.touch(property.id);
  },
  async validate(node, objects) {
    const name = node.properties['name'];
    const tokens: ErrorToken[] = [...mustMatch(node, 'name', name, TYPE_NAME), ...tooLong(node, 'name')];
    if (typeof name === 'string') {
      if (RESERVED_TYPE_NAMES.has(name) || (await isRelation(name, objects))) {
        tokens.push({ type: 'SchemaNode', property: 'name', token: 'already_exists', value: name });
        // Thrown, not returned: clients show this message, which names the type.
        throw new SchemaError(
          `Type '${name}' already exists. To prevent unwanted/unexpected behavior this is forbidden.`,
          tokens,
        );
      }
    }
    await noteDefaultSort(node, objects);
    return tokens;
  },
};
