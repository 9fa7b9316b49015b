import type { GraphNode } from '../../../graph/index.js';
import type { ErrorToken } from '../../model/errors.js';
import { PROPERTY_NAME } from '../../model/names.js';
import type { ObjectTransaction } from '../../writing/object-transaction.js';
import { propertyTypes } from '../../properties/table.js';
import { baseProperties, builtinPropertiesOf, type BuiltinProperty } from '../../builtin/builtin-properties.js';
import { mustMatch, tooLong } from '../helpers/name-pattern.js';
import { addTo, oncePerTransaction } from '../helpers/once.js';
import { ownersOf, type Owner } from '../helpers/owner.js';
import type { TraitRule } from '../rule.js';
import { textOf } from '../helpers/text-of.js';

/** Key names that cannot be put into a stored path safely are refused before data depends on them. */
// eslint-disable-next-line no-control-regex
const UNSAFE_KEY = /["\\\u0000-\u001f]/;

/** Where its values are stored; undefined for what stores none (Function, Count, ...). */
function storedKey(property: GraphNode): string | undefined {
  const stored = propertyTypes.has(textOf(property, 'propertyType') ?? '');
  return stored ? (textOf(property, 'dbName') ?? textOf(property, 'name')) : undefined;
}

/** Names and stored keys in use, by the type they are on: a linked one and one by type name end up on the same type. */
const slotsInUse = oncePerTransaction(async (objects) => {
  const slots = new Map<string, string[]>();
  const all = await objects.tx.find({ kind: 'nodes', trait: 'SchemaProperty', types: ['SchemaProperty'] });
  const owners = await ownersOf(objects, all, 'HAS_PROPERTY');
  for (const [i, property] of all.entries()) {
    const type = owners[i]?.typeName;
    if (type === undefined) continue;
    addTo(slots, `${type}\nname\n${String(property.properties['name'])}`, property.id);
    const key = storedKey(property);
    if (key !== undefined) addTo(slots, `${type}\nkey\n${key}`, property.id);
  }
  return slots;
});

/** The built-in property that this one must not be mistaken for, and the SchemaProperty's key to blame. */
function inTheWay(
  node: GraphNode,
  owner: Owner,
): { readonly builtin: BuiltinProperty; readonly blamed: 'name' | 'dbName' } | undefined {
  const name = textOf(node, 'name');
  const key = storedKey(node);
  const base = baseProperties(owner.typeName, owner.node?.type === 'SchemaRelationshipNode' ? 'relationship' : 'node');
  const declared = builtinPropertiesOf(owner.typeName);
  const sameName =
    base.find((b) => b.name === name) ??
    declared.find(
      (b) =>
        b.name === name &&
        (b.isFixed || (b.trait === owner.typeName && b.definition?.propertyType !== node.properties['propertyType'])),
    );
  if (sameName !== undefined) return { builtin: sameName, blamed: 'name' };
  if (key === undefined) return undefined;
  const sameKey =
    base.find((b) => b.key === key) ?? declared.find((b) => b.isFixed && b.key === key && b.name !== name);
  if (sameKey === undefined) return undefined;
  return { builtin: sameKey, blamed: textOf(node, 'dbName') === undefined ? 'name' : 'dbName' };
}

async function clashes(node: GraphNode, objects: ObjectTransaction, owner: Owner): Promise<ErrorToken[]> {
  const name = textOf(node, 'name') ?? '';
  const key = storedKey(node);
  const slots = await slotsInUse(objects);
  const others = (slot: string): readonly string[] =>
    (slots.get(`${owner.typeName}\n${slot}`) ?? []).filter((id) => id !== node.id);
  const [sameName] = others(`name\n${name}`);
  if (sameName !== undefined) {
    return [
      {
        type: node.type,
        property: 'name',
        token: 'already_exists',
        value: name,
        detail: `type ${owner.typeName} already has a property ${name}`,
        existingNodeUuid: sameName,
      },
    ];
  }
  const [sameKey] = key === undefined ? [] : others(`key\n${key}`);
  if (sameKey !== undefined) {
    return [
      {
        type: node.type,
        property: textOf(node, 'dbName') === undefined ? 'name' : 'dbName',
        token: 'already_taken',
        value: key,
        detail: `type ${owner.typeName} already stores a property under ${String(key)}`,
        existingNodeUuid: sameKey,
      },
    ];
  }
  const found = inTheWay(node, owner);
  if (found === undefined) return [];
  return [
    {
      type: node.type,
      property: found.blamed,
      token: 'already_exists',
      value: node.properties[found.blamed],
      detail: `${found.builtin.name} of ${found.builtin.trait} is built in and cannot be redefined like this`,
    },
  ];
}

/** Property names, and what they must not take the place of (docs/interface/schema.md 4). */
export const schemaPropertyRule: TraitRule = {
  trait: 'SchemaProperty',
  async validate(node, objects) {
    const tokens = [...mustMatch(node, 'name', node.properties['name'], PROPERTY_NAME), ...tooLong(node, 'name')];
    const key = node.properties['dbName'];
    if (typeof key === 'string' && UNSAFE_KEY.test(key)) {
      tokens.push({
        type: node.type,
        property: 'dbName',
        token: 'must_match',
        value: key,
        detail: 'not usable as a stored key',
      });
    }
    // Without an owner it is on no type (docs/interface/schema.md 3).
    const [owner] = await ownersOf(objects, [node], 'HAS_PROPERTY');
    if (owner !== undefined) tokens.push(...(await clashes(node, objects, owner)));
    return tokens;
  },
};
