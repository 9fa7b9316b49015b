/** Checks at the end of a transaction (schema.md 5, 7): notNull, unique, compound, formats. */
import type {
  GraphEntity,
  GraphNode,
  GraphRelationship,
  Predicate,
  ScalarValue,
  StoredValue,
} from '../../graph/index.js';
import type { ErrorToken } from '../errors.js';
import type { ValueProperty } from '../properties/property.js';
import { storedValue, type Type } from '../schema.js';
import type { ObjectTransaction } from './transaction.js';

const isScalar = (value: StoredValue | undefined): value is ScalarValue => value !== undefined && !Array.isArray(value);

function isMissing(property: ValueProperty, value: StoredValue | undefined): boolean {
  if (value === undefined) return property.valueType !== 'Boolean';
  if (Array.isArray(value)) return value.length === 0;
  return property.definition.notBlank === true && typeof value === 'string' && value.trim() === '';
}

/** Tokens for one node; `existed` tells whether it is older than the transaction (detail of must_not_be_empty). */
export async function validateNode(
  objects: ObjectTransaction,
  node: GraphNode,
  type: Type,
  existed: boolean,
): Promise<ErrorToken[]> {
  if (type.constrained.length === 0 && type.compoundKeys.length === 0) return [];
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
    if (d.unique === true && isScalar(value)) {
      const other = await findOther(objects, property.declaringTrait, node.id, [property], [value]);
      if (other !== undefined) {
        tokens.push({
          type: node.type,
          property: property.name,
          token: 'already_taken',
          value,
          detail: node.id,
          existingNodeUuid: other,
        });
      }
    }
  }
  for (const { trait, properties } of type.compoundKeys) {
    const values = properties.map((p) => storedValue(node, p.key));
    if (!values.every(isScalar)) continue;
    const other = await findOther(objects, trait, node.id, properties, values);
    if (other !== undefined) {
      tokens.push({
        type: node.type,
        token: 'already_taken',
        keys: properties.map((p) => p.name),
        value: values,
        detail: node.id,
        existingNodeUuid: other,
      });
    }
  }
  return tokens;
}

/** Uuid of another object of the declaring trait with the same values. */
async function findOther(
  objects: ObjectTransaction,
  trait: string,
  id: string,
  properties: readonly ValueProperty[],
  values: readonly ScalarValue[],
): Promise<string | undefined> {
  const types = objects.schema.type(trait)?.concreteTypes ?? [];
  const terms: Predicate[] = properties.map((p, i) => ({ op: 'equals', key: p.key, value: values[i] as ScalarValue }));
  const first = terms[0];
  const where: Predicate = terms.length === 1 && first !== undefined ? first : { op: 'and', terms };
  const found = await objects.tx.find({ kind: 'nodes', trait, types, where, limit: 2 });
  return found.find((n) => n.id !== id)?.id;
}

/** Tokens for one relationship. */
export async function validateRelationship(
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
    if (d.unique === true && isScalar(value)) {
      const found = await objects.tx.find({
        kind: 'relationships',
        types: [type.name],
        where: { op: 'equals', key: property.key, value },
        limit: 2,
      });
      const other = found.find((r) => r.id !== relationship.id);
      if (other !== undefined) {
        tokens.push({
          type: type.name,
          property: property.name,
          token: 'already_taken',
          value,
          detail: relationship.id,
          existingNodeUuid: other.id,
        });
      }
    }
  }
  return tokens;
}
