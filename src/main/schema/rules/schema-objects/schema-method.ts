import type { GraphNode, StoredValue } from '../../../graph/index.js';
import type { ErrorToken } from '../../model/errors.js';
import { METHOD_NAME } from '../../model/names.js';
import type { ObjectTransaction } from '../../writing/object-transaction.js';
import { isBuiltinView } from '../../builtin/builtin-properties.js';
import { isLifecycleName } from '../../model/lifecycle-names.js';
import { mustMatch } from '../helpers/name-pattern.js';
import { addTo, oncePerTransaction } from '../helpers/once.js';
import { ownersOf, unknownStaticType, type Owner } from '../helpers/owner.js';
import type { TraitRule } from '../rule.js';

/** Where method names must differ: on one schema node, on one type by name, or among user-defined functions. */
function slot(owner: Owner | undefined, name: string): string {
  const level = owner === undefined ? 'global' : (owner.node?.id ?? `static ${owner.typeName}`);
  return `${level}\n${name.toLowerCase()}`;
}

/** Ids of all methods by level and name. */
const methodsBySlot = oncePerTransaction(async (objects) => {
  const slots = new Map<string, string[]>();
  const all = await objects.tx.find({ kind: 'nodes', trait: 'SchemaMethod', types: ['SchemaMethod'] });
  const owners = await ownersOf(objects, all, 'HAS_METHOD');
  for (const [i, method] of all.entries()) addTo(slots, slot(owners[i], String(method.properties['name'])), method.id);
  return slots;
});

function isOfServiceClass(objects: ObjectTransaction, owner: Owner): boolean {
  const own = owner.node?.properties['isServiceClass'];
  return own === undefined ? objects.schema.type(owner.typeName)?.isServiceClass === true : own === true;
}

/** Names of types that declare a view, by its name: those of this transaction. */
const viewOwners = oncePerTransaction(async (objects) => {
  const owners = new Map<string, string[]>();
  const all = await objects.tx.find({ kind: 'nodes', trait: 'SchemaView', types: ['SchemaView'] });
  const types = await ownersOf(objects, all, 'HAS_VIEW');
  for (const [i, view] of all.entries()) {
    const type = types[i]?.typeName;
    if (type !== undefined) addTo(owners, String(view.properties['name']), type);
  }
  return owners;
});

/** Views that every type has. */
const OF_ALL: ReadonlySet<string> = new Set(['all', 'custom']);

/** Whether the owner has a view of this name: its own, inherited, or built in. What this transaction has taken away does not count. */
async function hasView(objects: ObjectTransaction, owner: Owner, name: string): Promise<boolean> {
  const isRelationship = owner.node?.type === 'SchemaRelationshipNode';
  const inherited = owner.node?.properties['inheritedTraits'];
  const types = [
    owner.typeName,
    isRelationship ? 'RelationshipInterface' : 'NodeInterface',
    ...(Array.isArray(inherited) ? inherited.map(String) : []),
  ];
  const above = owner.node === undefined ? types : types.slice(1);
  const traits = new Set([...types, ...above.flatMap((type) => objects.schema.type(type)?.traits ?? [])]);
  if (OF_ALL.has(name) || [...traits].some((trait) => isBuiltinView(trait, name))) return true;
  return ((await viewOwners(objects)).get(name) ?? []).some((type) => traits.has(type));
}

async function nameTokens(node: GraphNode, objects: ObjectTransaction, name: string): Promise<ErrorToken[]> {
  const tokens: ErrorToken[] = [];
  const taken = (detail: string): void => {
    tokens.push({ type: node.type, property: 'name', token: 'already_exists', value: name, detail });
  };
  const [owner] = await ownersOf(objects, [node], 'HAS_METHOD');
  const same = (await methodsBySlot(objects)).get(slot(owner, name)) ?? [];
  if (same.some((id) => id !== node.id)) {
    taken('Multiple methods with identical names (case-insensitive) are not supported on the same level');
  }
  if (owner !== undefined && (await hasView(objects, owner, name))) {
    taken(`A view with name '${name}' already exists, cannot create method with the same name`);
  }
  return tokens;
}

/** Names, flags and deletion of methods (docs/interface/schema.md 2.4, 3, 4). */
export const schemaMethodRule: TraitRule = {
  trait: 'SchemaMethod',
  normalise(values, before) {
    // An order to an existing method; a new one has nothing to delete.
    if (before === undefined && values['deleteMethod'] === true) values['deleteMethod'] = false;
  },
  async complete(node, objects) {
    const p = node.properties;
    if (p['deleteMethod'] === true) {
      await objects.delete(node);
      return;
    }
    const [owner] = await ownersOf(objects, [node], 'HAS_METHOD');
    const wanted: Record<string, StoredValue> = {};
    if (owner === undefined || isOfServiceClass(objects, owner)) wanted['isStatic'] = true;
    else if (typeof p['name'] === 'string' && isLifecycleName(p['name'])) {
      wanted['isStatic'] = false;
      wanted['isPrivate'] = true;
    }
    if ((wanted['isPrivate'] ?? p['isPrivate']) === true) wanted['includeInOpenAPI'] = false;
    if (Object.keys(wanted).some((key) => p[key] !== wanted[key])) await objects.tx.updateNode(node.id, wanted);
  },
  async validate(node, objects) {
    const name = node.properties['name'];
    return [
      ...mustMatch(node, 'name', name, METHOD_NAME),
      ...(await unknownStaticType(node, objects)),
      ...(typeof name === 'string' ? await nameTokens(node, objects, name) : []),
    ];
  },
};
