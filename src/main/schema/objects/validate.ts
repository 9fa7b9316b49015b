/** Checks at the end of a transaction (docs/interface/schema.md 6, 7): notNull, unique, compound, formats. */
import type { GraphEntity, GraphNode, GraphRelationship, Predicate, StoredValue } from '../../graph/index.js';
import type { ErrorToken } from '../model/errors.js';
import type { ValueProperty } from '../model/property.js';
import { equalsAnySpelling } from '../properties/common/spelling.js';
import type { Type } from '../model/schema.js';
import { storedValue } from '../model/lookup.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';

/** Whether a value takes part in uniqueness: null does not, and an empty list reads like null; an empty text does. */
const counts = (value: StoredValue | undefined): value is StoredValue =>
  value !== undefined && !(Array.isArray(value) && value.length === 0);

/** The condition for all of these values at once; lists are compared as a whole. */
function sameValues(properties: readonly ValueProperty[], values: readonly StoredValue[]): Predicate {
  const terms = properties.map(({ key }, i): Predicate => {
    const value = values[i] ?? '';
    if (typeof value === 'object') return { op: 'arrayEquals', key, values: value };
    return typeof value === 'string' ? equalsAnySpelling(key, value) : { op: 'equals', key, value };
  });
  const [first] = terms;
  return terms.length === 1 && first !== undefined ? first : { op: 'and', terms };
}

function isMissing(property: ValueProperty, value: StoredValue | undefined): boolean {
  if (value === undefined) return property.valueType !== 'Boolean';
  if (Array.isArray(value)) return value.length === 0;
  return property.definition.notBlank === true && typeof value === 'string' && value.trim() === '';
}

/** Whether objects of this type need a look at all. */
export const isConstrained = (type: Type): boolean =>
  type.constrained.length + type.compoundKeys.length + type.required.length > 0;

/** Tokens for one node; `existed` tells whether it is older than the transaction (detail of must_not_be_empty). */
export async function validateNode(
  objects: ObjectTransaction,
  node: GraphNode,
  type: Type,
  existed: boolean,
): Promise<ErrorToken[]> {
  if (!isConstrained(type)) return [];
  return anonymised(objects, node, await nodeTokens(objects, node, type, existed));
}

/**
 * An object may be touched by a request that does not see it, as the former partner of one that was linked anew. What is
 * wrong with it is told then, but neither which object it is nor what is in it.
 */
async function anonymised(
  objects: ObjectTransaction,
  entity: GraphEntity,
  tokens: ErrorToken[],
): Promise<ErrorToken[]> {
  if (tokens.length === 0 || (await objects.may('read', entity))) return tokens;
  return tokens.map(({ property, token, keys }) => ({
    ...(property === undefined ? {} : { property }),
    token,
    ...(keys === undefined ? {} : { keys }),
  }));
}

async function nodeTokens(
  objects: ObjectTransaction,
  node: GraphNode,
  type: Type,
  existed: boolean,
): Promise<ErrorToken[]> {
  const tokens: ErrorToken[] = [];
  for (const property of type.constrained) {
    const value = storedValue(node, property.key) ?? property.defaultValue;
    const d = property.definition;
    if ((d.notNull === true || d.notBlank === true) && isMissing(property, value)) {
      tokens.push({
        type: node.type,
        property: property.name,
        token: 'must_not_be_empty',
        ...(existed ? { detail: node.id } : {}),
      });
      continue;
    }
    tokens.push(...property.validate(value, node.type));
    if (d.unique === true && counts(value)) {
      // A redeclared `name` is unique among objects of the very type (docs/interface/schema.md 6).
      const own = property.name === 'name';
      const trait = own ? node.type : property.declaringTrait;
      const types = own ? [node.type] : undefined;
      const other = await findOther(objects, trait, node.id, [property], [value], types);
      if (other !== undefined) {
        tokens.push({
          type: node.type,
          property: property.name,
          token: 'already_taken',
          value,
          detail: node.id,
          ...other,
        });
      }
    }
  }
  for (const { name, relation } of type.required) {
    const [related] = await objects.tx.related([node.id], relation.step, 1);
    if (related !== undefined && related.length > 0) continue;
    const detail = existed ? { detail: node.id } : {};
    tokens.push({ type: node.type, property: name, token: 'must_not_be_empty', ...detail });
  }
  for (const { trait, properties } of type.compoundKeys) {
    const values = properties.map((p) => storedValue(node, p.key));
    if (!values.every(counts)) continue;
    const other = await findOther(objects, trait, node.id, properties, values);
    if (other !== undefined) {
      tokens.push({
        type: node.type,
        token: 'already_taken',
        keys: properties.map((p) => p.name),
        value: values,
        detail: node.id,
        ...other,
      });
    }
  }
  return tokens;
}

/** What an error tells of another object: its uuid, to whoever may read it. */
interface Told {
  readonly existingNodeUuid?: string;
}

async function told(objects: ObjectTransaction, other: GraphEntity | undefined): Promise<Told | undefined> {
  if (other === undefined) return undefined;
  return (await objects.may('read', other)) ? { existingNodeUuid: other.id } : {};
}

/** Another object of the trait, or of these types, with the same values. */
async function findOther(
  objects: ObjectTransaction,
  trait: string,
  id: string,
  properties: readonly ValueProperty[],
  values: readonly StoredValue[],
  types: readonly string[] = objects.schema.type(trait)?.concreteTypes ?? [],
): Promise<Told | undefined> {
  const where = sameValues(properties, values);
  const found = await objects.tx.find({ kind: 'nodes', trait, types, where, limit: 2 });
  return told(
    objects,
    found.find((n) => n.id !== id),
  );
}

/** Tokens for one relationship. */
export async function validateRelationship(
  objects: ObjectTransaction,
  relationship: GraphRelationship,
  type: Type,
): Promise<ErrorToken[]> {
  return anonymised(objects, relationship, await relationshipTokens(objects, relationship, type));
}

async function relationshipTokens(
  objects: ObjectTransaction,
  relationship: GraphRelationship,
  type: Type,
): Promise<ErrorToken[]> {
  const tokens: ErrorToken[] = [];
  const entity: GraphEntity = relationship;
  for (const property of type.constrained) {
    const value = storedValue(entity, property.key) ?? property.defaultValue;
    const d = property.definition;
    if ((d.notNull === true || d.notBlank === true) && isMissing(property, value)) {
      tokens.push({ type: type.name, property: property.name, token: 'must_not_be_empty' });
      continue;
    }
    tokens.push(...property.validate(value, type.name));
    if (d.unique === true && counts(value)) {
      const other = await findOtherRelationship(objects, relationship, type, [property], [value]);
      if (other !== undefined) {
        tokens.push({
          type: type.name,
          property: property.name,
          token: 'already_taken',
          value,
          detail: relationship.id,
          ...other,
        });
      }
    }
  }
  for (const { properties } of type.compoundKeys) {
    const values = properties.map((p) => storedValue(relationship, p.key));
    if (!values.every(counts)) continue;
    const other = await findOtherRelationship(objects, relationship, type, properties, values);
    if (other !== undefined) {
      tokens.push({
        type: type.name,
        token: 'already_taken',
        keys: properties.map((p) => p.name),
        value: values,
        detail: relationship.id,
        ...other,
      });
    }
  }
  return tokens;
}

/** Another relationship of the type with the same values. */
async function findOtherRelationship(
  objects: ObjectTransaction,
  relationship: GraphRelationship,
  type: Type,
  properties: readonly ValueProperty[],
  values: readonly StoredValue[],
): Promise<Told | undefined> {
  const where = sameValues(properties, values);
  const found = await objects.tx.find({ kind: 'relationships', types: [type.name], where, limit: 2 });
  return told(
    objects,
    found.find((r) => r.id !== relationship.id),
  );
}
