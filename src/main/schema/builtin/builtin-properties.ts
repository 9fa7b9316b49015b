/**
 * What built-in traits declare, straight from their tables: in the compiled schema a redeclaration has already taken
 * the place of the property it redeclares.
 */
import { builtinRelations, builtinTraits } from './index.js';
import type { PropertyDefinition } from '../model/property.js';
import { propertyTypes } from '../properties/table.js';

export interface BuiltinProperty {
  readonly name: string;
  readonly trait: string;
  /** Undefined for relation properties. */
  readonly definition: PropertyDefinition | undefined;
  /** Stored key; undefined for what stores no value of its own. */
  readonly key: string | undefined;
  /** The service relies on it being exactly this. */
  readonly isFixed: boolean;
}

const NODE_BASE = ['NodeInterface', 'AccessControllable', 'GraphObject', 'PropertyContainer'];
const RELATIONSHIP_BASE = ['RelationshipInterface', 'GraphObject', 'PropertyContainer'];
const BASE: ReadonlySet<string> = new Set([...NODE_BASE, ...RELATIONSHIP_BASE]);

const inherits: ReadonlyMap<string, readonly string[]> = new Map(builtinTraits.map((t) => [t.name, t.inherits]));
const byTrait = new Map<string, BuiltinProperty[]>();

function add(trait: string, property: BuiltinProperty): void {
  const list = byTrait.get(trait);
  if (list === undefined) byTrait.set(trait, [property]);
  else list.push(property);
}

for (const trait of builtinTraits) {
  for (const d of trait.properties) {
    const stored = propertyTypes.has(d.propertyType);
    const isFixed =
      !stored || d.system === true || d.hidden === true || d.constant === true || d.propertyType === 'Password';
    const key = stored ? (d.dbName ?? d.name) : undefined;
    add(trait.name, { name: d.name, trait: trait.name, definition: d, key, isFixed });
  }
}
for (const { source, target, sourceKey, targetKey } of builtinRelations) {
  for (const [trait, name] of [
    [source, targetKey],
    [target, sourceKey],
  ] as const) {
    if (name !== undefined) add(trait, { name, trait, definition: undefined, key: undefined, isFixed: true });
  }
}

const viewsOf: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  builtinTraits.map(({ name, views }) => [name, new Set(Object.keys(views))]),
);

/** Whether a built-in trait itself declares a view. */
export function isBuiltinView(trait: string, view: string): boolean {
  return viewsOf.get(trait)?.has(view) === true;
}

export function isBuiltinTrait(name: string): boolean {
  return inherits.has(name);
}

/**
 * Properties every object of a kind has, except `name`, which types may redeclare. A base trait that nodes and
 * relationships share has to keep clear of both.
 */
export function baseProperties(typeName: string, kind: 'node' | 'relationship'): readonly BuiltinProperty[] {
  const shared = typeName === 'GraphObject' || typeName === 'PropertyContainer';
  const own = kind === 'relationship' || typeName === 'RelationshipInterface' ? RELATIONSHIP_BASE : NODE_BASE;
  const traits = shared ? BASE : own;
  return [...traits].flatMap((t) => byTrait.get(t) ?? []).filter((p) => p.name !== 'name');
}

/** Properties a built-in trait declares or inherits, its own first; none for other types. */
export function builtinPropertiesOf(typeName: string): readonly BuiltinProperty[] {
  const found: BuiltinProperty[] = [];
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    found.push(...(byTrait.get(name) ?? []));
    for (const parent of inherits.get(name) ?? []) visit(parent);
  };
  visit(typeName);
  return found;
}
