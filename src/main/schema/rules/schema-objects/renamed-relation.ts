/** What follows when a relation's properties get other names (docs/interface/schema.md 13.2). */
import type { GraphNode, PropertyMap, StoredValue } from '../../../graph/index.js';
import { automaticSourceName, automaticTargetName } from '../../model/names.js';
import type { RelationProperty } from '../../model/relation-property.js';
import type { Schema } from '../../model/schema.js';
import type { ObjectTransaction } from '../../writing/object-transaction.js';
import { ownersOf } from '../helpers/owner.js';
import { textOf } from '../helpers/text-of.js';

const SIDES = [
  { side: 'source', old: 'oldSourceJsonName', direction: 'in' },
  { side: 'target', old: 'oldTargetJsonName', direction: 'out' },
] as const;
type Side = (typeof SIDES)[number];

/** Types of properties whose format begins with the name of a property that shows a relation. */
const NAMING: ReadonlySet<string> = new Set(['Notion', 'IdNotion', 'Count']);

/** The property that has shown a relation until now; undefined: that end has none. */
function shownBy(schema: Schema, relationName: string, { direction }: Side): RelationProperty | undefined {
  const relation = schema.relations.get(relationName);
  const end = relation === undefined ? undefined : direction === 'out' ? relation.source : relation.target;
  const properties = end === undefined ? undefined : schema.type(end)?.properties.values();
  for (const property of properties ?? [])
    if (property.kind === 'relation' && property.relation === relation && property.direction === direction)
      return property;
  return undefined;
}

/** Keeps the names of before with the new ones. */
export function keepOldNames(
  values: Record<string, StoredValue | null>,
  before: PropertyMap | undefined,
  { schema }: ObjectTransaction,
): void {
  if (before === undefined) return;
  for (const one of SIDES) {
    const given = `${one.side}JsonName`;
    if (!(given in values) || one.old in values) continue;
    const shown = before[given] ?? shownBy(schema, String(before['name']), one)?.name;
    if (shown !== undefined) values[one.old] = shown;
  }
}

/** Properties that name the one that shows the relation go on naming it. */
export async function renameInFormats(before: GraphNode, after: GraphNode, objects: ObjectTransaction): Promise<void> {
  const { schema, tx } = objects;
  for (const one of SIDES) {
    const given = `${one.side}JsonName`;
    if (textOf(before, given) === textOf(after, given)) continue;
    const shown = shownBy(schema, String(before.properties['name']), one);
    if (shown === undefined) continue;
    const name = textOf(after, given) ?? automaticName(shown, one);
    const all = await tx.find({ kind: 'nodes', trait: 'SchemaProperty', types: ['SchemaProperty'] });
    const naming = all.filter(
      (property) => NAMING.has(String(property.properties['propertyType'])) && relationIn(property) === shown.name,
    );
    const owners = await ownersOf(objects, naming, 'HAS_PROPERTY');
    for (const [i, property] of naming.entries()) {
      const type = schema.type(owners[i]?.typeName ?? '');
      const named = type?.properties.get(shown.name);
      if (named?.kind !== 'relation' || named.relation !== shown.relation || named.direction !== shown.direction)
        continue;
      const [, ...keys] = textOf(property, 'format')?.split(',') ?? [];
      await tx.updateNode(property.id, { format: [name, ...keys].join(',') });
      objects.touch(property.id);
    }
  }
}

function relationIn(property: GraphNode): string | undefined {
  return textOf(property, 'format')?.split(',')[0]?.trim();
}

function automaticName({ relation, isCollection }: RelationProperty, { direction }: Side): string {
  return direction === 'out'
    ? automaticTargetName(relation.relType, relation.target, isCollection)
    : automaticSourceName(relation.relType, relation.source, isCollection);
}
