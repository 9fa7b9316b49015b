import type { GraphNode } from '../../../graph/index.js';
import type { ErrorToken } from '../../model/errors.js';
import { RELATION_PROPERTY_NAME, relationTypeName } from '../../model/names.js';
import type { ObjectTransaction } from '../../writing/object-transaction.js';
import { mustMatch, tooLong } from '../helpers/name-pattern.js';
import type { TraitRule } from '../rule.js';
import { keepOldNames, renameInFormats } from './renamed-relation.js';

const SOURCE = { relType: 'IS_RELATED_TO', direction: 'in' } as const;
const TARGET = { relType: 'IS_RELATED_TO', direction: 'out' } as const;

/** Flags that are a number up to this one (docs/interface/schema.md 2.6); propagations are enums of their table. */
const FLAGS = [
  ['cascadingDeleteFlag', 4],
  ['autocreationFlag', 3],
] as const;

function flagTokens(node: GraphNode): ErrorToken[] {
  return FLAGS.flatMap(([property, last]) => {
    const value = Number(node.properties[property] ?? 0);
    const members = Array.from({ length: last + 1 }, (_, i) => i);
    if (members.includes(value)) return [];
    return [{ type: node.type, property, token: 'must_be_one_of', value, detail: members.join(', ') }];
  });
}

async function endName(
  node: GraphNode,
  objects: ObjectTransaction,
  side: 'source' | 'target',
): Promise<string | undefined> {
  const linked = (await objects.tx.related([node.id], side === 'source' ? SOURCE : TARGET, 1))[0]?.[0];
  const name = linked?.properties['name'] ?? node.properties[`${side}Type`];
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Ends, names and the computed type name of a schema relationship (docs/interface/schema.md 2.6, 4). */
export const schemaRelationshipRule: TraitRule = {
  trait: 'SchemaRelationshipNode',
  normalise(values, before, objects) {
    keepOldNames(values, before, objects);
  },
  updated: renameInFormats,
  async complete(node, objects) {
    const source = await endName(node, objects, 'source');
    const target = await endName(node, objects, 'target');
    const relType = node.properties['relationshipType'];
    if (source === undefined || target === undefined || typeof relType !== 'string') return;
    const name = relationTypeName(source, relType, target);
    if (node.properties['name'] !== name) await objects.tx.updateNode(node.id, { name });
  },
  async validate(node, objects) {
    const tokens: ErrorToken[] = [...flagTokens(node), ...tooLong(node, 'relationshipType')];
    const relType = node.properties['relationshipType'];
    if (typeof relType !== 'string' || relType.trim() === '') {
      tokens.push({ type: node.type, property: 'relationshipType', token: 'must_not_be_empty' });
    }
    const ends: (string | undefined)[] = [];
    for (const side of ['source', 'target'] as const) {
      const name = await endName(node, objects, side);
      ends.push(name);
      if (name === undefined) {
        for (const property of [`${side}Node`, `${side}Type`])
          tokens.push({ type: node.type, property, token: 'must_not_be_empty' });
      }
      const json = node.properties[`${side}JsonName`];
      tokens.push(...tooLong(node, `${side}JsonName`));
      if (json !== undefined) tokens.push(...mustMatch(node, `${side}JsonName`, json, RELATION_PROPERTY_NAME));
      const multiplicity = node.properties[`${side}Multiplicity`];
      if (multiplicity !== undefined && multiplicity !== '1' && multiplicity !== '*') {
        tokens.push({
          type: node.type,
          property: `${side}Multiplicity`,
          token: 'must_be_one_of',
          value: multiplicity,
          detail: '1, *',
        });
      }
    }
    if (tokens.length > 0) return tokens;
    const name = relationTypeName(ends[0] ?? '', String(relType), ends[1] ?? '');
    const same = await objects.tx.find({
      kind: 'nodes',
      trait: 'SchemaRelationshipNode',
      types: ['SchemaRelationshipNode'],
      where: { op: 'equals', key: 'name', value: name },
      limit: 2,
    });
    const builtin = objects.schema.relations.get(name);
    if (same.some((n) => n.id !== node.id) || builtin?.builtin === true) {
      tokens.push({
        type: node.type,
        property: 'relationshipType',
        token: 'duplicate_relationship_definition',
        detail:
          'Schema Relationship with same name between source and target node already exists. This is not allowed.',
      });
    }
    return tokens;
  },
};
