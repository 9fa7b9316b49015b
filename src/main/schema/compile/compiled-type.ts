/** One type of the compiled schema: its properties, views and checks, worked out from the drafts of its traits. */
import type { SortKey } from '../../graph/index.js';
import { isComparable } from '../changes/secrets.js';
import type { RelationDefinition } from '../model/definitions.js';
import { searchedAs } from '../model/lookup.js';
import type { Draft } from './drafts.js';
import type { ValueProperty } from '../model/property.js';
import type { RelationProperty } from '../model/relation-property.js';
import type { Property, Type, View, ComputedProperty } from '../model/schema.js';

const BASE_VIEW_KEYS = ['id', 'type', 'name'];

/**
 * A type whose parts are put together when first asked for: with hundreds of types, most of which no request
 * touches, that is what keeps a schema change short.
 */
export class CompiledType implements Type {
  readonly name: string;
  readonly kind: 'node' | 'relationship';
  readonly traitOnly: boolean;
  readonly isBuiltin: boolean;
  readonly isServiceClass: boolean;
  readonly changelogDisabled: boolean;
  readonly acceptsUnknownKeys: boolean;
  readonly showsKeys: RegExp | undefined;
  readonly visibility: Type['visibility'];
  readonly relation: RelationDefinition | undefined;
  readonly schemaNodeId: string | undefined;
  readonly traits: readonly string[];
  private lazyProperties: ReadonlyMap<string, Property> | undefined;
  private lazyViews: ReadonlyMap<string, View> | undefined;
  private lazyChecks: Pick<Type, 'constrained' | 'compoundKeys' | 'defaults'> | undefined;
  private lazySort: { readonly key: SortKey | undefined } | undefined;
  private lazyFunctions: readonly ComputedProperty[] | undefined;
  private lazyRequired: Type['required'] | undefined;

  constructor(
    d: Draft,
    private readonly traitSet: ReadonlySet<string>,
    readonly concreteTypes: readonly string[],
    private readonly drafts: ReadonlyMap<string, Draft>,
    private readonly own: ReadonlyMap<string, Property[]>,
  ) {
    this.name = d.name;
    this.kind = d.kind;
    this.traitOnly = d.traitOnly;
    this.isBuiltin = d.builtin;
    this.isServiceClass = d.isServiceClass;
    this.changelogDisabled = d.changelogDisabled;
    this.traits = [...traitSet];
    this.acceptsUnknownKeys = this.traits.some((t) => drafts.get(t)?.acceptsUnknownKeys === true);
    this.showsKeys = this.traits.map((t) => drafts.get(t)?.showsKeys).find((keys) => keys !== undefined);
    this.visibility = d.visibility;
    this.relation = d.relation;
    this.schemaNodeId = d.schemaNodeId;
  }

  hasTrait(name: string): boolean {
    return this.traitSet.has(name);
  }

  get properties(): ReadonlyMap<string, Property> {
    if (this.lazyProperties === undefined) {
      const properties = new Map<string, Property>();
      for (const t of this.traits) for (const p of this.own.get(t) ?? []) properties.set(p.name, p);
      this.lazyProperties = properties;
    }
    return this.lazyProperties;
  }

  get views(): ReadonlyMap<string, View> {
    return (this.lazyViews ??= this.makeViews());
  }
  get constrained(): readonly ValueProperty[] {
    return this.checks.constrained;
  }
  get required(): Type['required'] {
    return (this.lazyRequired ??= requiredOf(this.properties));
  }
  get compoundKeys(): Type['compoundKeys'] {
    return this.checks.compoundKeys;
  }
  get defaults(): readonly ValueProperty[] {
    return this.checks.defaults;
  }

  get defaultSort(): SortKey | undefined {
    return (this.lazySort ??= { key: this.sortByDefault() }).key;
  }

  get indexedFunctions(): readonly ComputedProperty[] {
    return (this.lazyFunctions ??= [...this.properties.values()].filter(
      (p): p is ComputedProperty => p.kind === 'computed' && p.indexedAs !== undefined,
    ));
  }

  private get checks(): Pick<Type, 'constrained' | 'compoundKeys' | 'defaults'> {
    return (this.lazyChecks ??= makeChecks(
      [...this.properties.values()].filter((p): p is ValueProperty => p.kind === 'value'),
    ));
  }

  /** What the last trait says that says something; values that not everybody may compare are no order. */
  private sortByDefault(): SortKey | undefined {
    const said = this.traits.map((trait) => this.drafts.get(trait)?.defaultSort).findLast((one) => one !== undefined);
    const property = said === undefined ? undefined : searchedAs(this.properties.get(said.property));
    if (said === undefined || property?.kind !== 'value' || !isComparable(property, { isAdmin: false }))
      return undefined;
    return { key: property.key, ...(said.descending ? { descending: true } : {}) };
  }

  private makeViews(): Map<string, View> {
    const keys = new Map<string, Set<string>>();
    const order = new Map<string, string>();
    for (const t of this.traits) {
      const trait = this.drafts.get(t);
      for (const [view, list] of trait?.views ?? []) {
        let set = keys.get(view);
        if (set === undefined) keys.set(view, (set = new Set()));
        for (const k of list) set.add(k);
      }
      for (const [view, o] of trait?.viewOrder ?? []) order.set(view, o);
    }
    const { properties } = this;
    const dynamic = [...properties.values()]
      .filter((p) => p.definition.schemaPropertyId !== undefined)
      .map((p) => p.name);
    keys.set('custom', new Set([...BASE_VIEW_KEYS, ...dynamic]));
    keys.set('all', new Set(properties.keys()));
    const views = new Map<string, View>();
    for (const [name, set] of keys) views.set(name, makeView(name, [...set], order.get(name), properties));
    return views;
  }
}

/** Relations that must not be empty, by the Notion properties that say so. */
function requiredOf(properties: ReadonlyMap<string, Property>): Type['required'] {
  const required: { name: string; relation: RelationProperty }[] = [];
  for (const p of properties.values()) {
    if (p.kind !== 'notion' || p.definition.notNull !== true) continue;
    const relation = properties.get(p.relationName);
    if (relation?.kind === 'relation') required.push({ name: p.name, relation });
  }
  return required;
}

function makeChecks(values: readonly ValueProperty[]): Pick<Type, 'constrained' | 'compoundKeys' | 'defaults'> {
  const compound = new Map<string, ValueProperty[]>();
  for (const p of values) {
    if (p.definition.compound !== true) continue;
    const list = compound.get(p.declaringTrait);
    if (list === undefined) compound.set(p.declaringTrait, [p]);
    else list.push(p);
  }
  const fixed = (p: ValueProperty): boolean => p.key === 'id' || p.key === 'type';
  return {
    constrained: values.filter((p) => {
      const f = p.definition;
      return !fixed(p) && (f.notNull === true || f.notBlank === true || f.unique === true || f.format !== undefined);
    }),
    compoundKeys: [...compound].map(([trait, properties]) => ({ trait, properties })),
    defaults: values.filter((p) => p.defaultValue !== undefined && p.definition.constant !== true && !fixed(p)),
  };
}

function makeView(
  name: string,
  keys: readonly string[],
  order: string | undefined,
  properties: ReadonlyMap<string, Property>,
): View {
  let sorted = [...keys];
  if (order !== undefined && order.trim() !== '') {
    const first =
      order.trim() === 'alphabetic'
        ? [...keys].sort()
        : order
            .split(',')
            .map((k) => k.trim())
            .filter((k) => keys.includes(k));
    sorted = [...first, ...keys.filter((k) => !first.includes(k))];
    if (name === 'public')
      sorted = [
        ...BASE_VIEW_KEYS.filter((k) => keys.includes(k)),
        ...sorted.filter((k) => !BASE_VIEW_KEYS.includes(k)),
      ];
  }
  const list = sorted
    .map((k) => properties.get(k))
    .filter((p): p is Property => p !== undefined && p.definition.serializationDisabled !== true);
  return { name, properties: list, needsGraph: list.some((p) => p.kind !== 'value') };
}
