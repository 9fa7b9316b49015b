/** Random types and relations, and how they are made over REST. */
import type { Client } from '../support/client.js';
import type { Random } from './random.js';

export type ValueKind = 'String' | 'Integer' | 'Boolean' | 'Enum' | 'StringArray';

export interface PlannedProperty {
  readonly name: string;
  readonly kind: ValueKind;
  readonly unique?: boolean;
  readonly notNull?: boolean;
  readonly compound?: boolean;
  readonly indexed?: boolean;
  /** Text as the schema has it, and what it is worth. */
  readonly defaultValue?: string;
}

export interface PlannedType {
  readonly name: string;
  readonly base: string | undefined;
  /** Its own ones. */
  properties: PlannedProperty[];
}

export interface PlannedRelation {
  /** Name of the relationship type. */
  readonly name: string;
  readonly relType: string;
  readonly source: string;
  readonly target: string;
  readonly sourceOne: boolean;
  readonly targetOne: boolean;
  /** 0 none, 1 source to target, 2 target to source, 3 both. */
  readonly cascade: number;
  readonly creates: number;
  /** Property on the source, property on the target. */
  readonly out: string;
  readonly in: string;
}

export interface Plan {
  readonly types: readonly PlannedType[];
  readonly relations: readonly PlannedRelation[];
}

export const ENUM = ['red', 'green', 'blue'];
export const VIEW = 'fuzz';

export function randomPlan(random: Random): Plan {
  const names = ['Ape', 'Bee', 'Cat', 'Dog'];
  const types = names.map((name, i): PlannedType => {
    const base = i > 0 && random.chance(0.35) ? random.pick(names.slice(0, i)) : undefined;
    const own = (property: string): string => `${property}${name}`;
    const compound = random.chance(0.4);
    const properties: PlannedProperty[] = [
      { name: own('text'), kind: 'String', indexed: random.chance(0.5) },
      { name: own('number'), kind: 'Integer', indexed: random.chance(0.5), compound },
      { name: own('flag'), kind: 'Boolean', ...(random.chance(0.3) ? { defaultValue: 'true' } : {}) },
      { name: own('kind'), kind: 'Enum', compound, ...(random.chance(0.4) ? { defaultValue: 'green' } : {}) },
      { name: own('list'), kind: 'StringArray' },
    ];
    if (random.chance(0.6)) properties.push({ name: own('tag'), kind: 'String', unique: true });
    if (random.chance(0.4)) properties.push({ name: own('must'), kind: 'String', notNull: true });
    return { name, base, properties };
  });
  const relations = Array.from({ length: 5 }, (_, i): PlannedRelation => {
    const [source, target] = [random.pick(names), random.pick(names)];
    const relType = `REL${String(i)}`;
    return {
      name: `${source}${relType}${target}`,
      relType,
      source,
      target,
      sourceOne: random.chance(0.5),
      targetOne: random.chance(0.4),
      cascade: random.weighted([
        [5, 0],
        [2, 1],
        [1, 2],
        [1, 3],
      ]),
      creates: random.below(4),
      out: `to${String(i)}`,
      in: `from${String(i)}`,
    };
  });
  return { types, relations };
}

/** Names of the traits of a type, itself first. */
export function traitsOf(plan: Plan, name: string): string[] {
  const traits: string[] = [];
  for (let at: string | undefined = name; at !== undefined;) {
    traits.push(at);
    const one: string = at;
    at = plan.types.find((type) => type.name === one)?.base;
  }
  return traits;
}

/** Makes a type; its uuid. The view shows all values; that of relations comes with them. */
export async function makeType(admin: Client, plan: Plan, type: PlannedType): Promise<string> {
  const uuid = await admin.create('SchemaNode', {
    name: type.name,
    inheritedTraits: type.base === undefined ? [] : [type.base],
    schemaProperties: type.properties.map(schemaProperty),
    schemaViews: [{ name: VIEW, nonGraphProperties: viewKeys(plan, type).join(', ') }],
  });
  return uuid;
}

export function schemaProperty(property: PlannedProperty): Record<string, unknown> {
  const { kind, ...rest } = property;
  return { ...rest, propertyType: kind, ...(kind === 'Enum' ? { format: ENUM.join(',') } : {}) };
}

export function viewKeys(plan: Plan, type: PlannedType): string[] {
  const relations = plan.relations.flatMap((one) => [
    ...(one.source === type.name ? [one.out] : []),
    ...(one.target === type.name ? [one.in] : []),
  ]);
  const common = ['id', 'type', 'visibleToAuthenticatedUsers'];
  // That of properties which come later, too.
  return [...new Set([...common, ...type.properties.map(({ name }) => name), extraOf(type).name, ...relations])];
}

export async function makeRelation(
  admin: Client,
  relation: PlannedRelation,
  ids: ReadonlyMap<string, string>,
): Promise<void> {
  await admin.relate(ids.get(relation.source) ?? '', relation.relType, ids.get(relation.target) ?? '', {
    sourceMultiplicity: relation.sourceOne ? '1' : '*',
    targetMultiplicity: relation.targetOne ? '1' : '*',
    targetJsonName: relation.out,
    sourceJsonName: relation.in,
    cascadingDeleteFlag: relation.cascade,
    autocreationFlag: relation.creates,
  });
}

/** A property that comes and goes. */
export function extraOf(type: PlannedType): PlannedProperty {
  return { name: `extra${type.name}`, kind: 'Integer' };
}
