/**
 * Computations of built-in types (`propertyType` `Computed`, `format` names the row).
 */
import type { GraphEntity, GraphNode } from '../../graph/index.js';
import { SchemaError } from '../errors.js';
import { readable } from '../objects/actor.js';
import type { PropertyDefinition } from '../properties/property.js';
import type { ComputeContext, Computed, ComputedProperty } from './computed.js';

interface Row {
  readonly valueType: string;
  readonly isCollection?: boolean;
  compute(entity: GraphEntity, context: ComputeContext): Promise<Computed>;
}

/** Folders above a file or folder end a path after this many; a cycle cannot hang a request. */
const MAX_DEPTH = 256;

const named = (entity: GraphEntity): string => {
  const name = entity.properties['name'];
  return typeof name === 'string' ? name : entity.id;
};

async function filePath(entity: GraphEntity, { tx, schema }: ComputeContext): Promise<Computed> {
  const types = schema.type('Folder')?.concreteTypes ?? [];
  let path = `/${named(entity)}`;
  let id = entity.id;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const above: GraphNode | undefined = (
      await tx.related([id], { relType: 'CONTAINS', direction: 'in', types }, 1)
    )[0]?.[0];
    if (above === undefined) break;
    path = `/${named(above)}${path}`;
    id = above.id;
  }
  return { json: path };
}

async function endNode(
  entity: GraphEntity,
  { tx, access }: ComputeContext,
  end: 'sourceId' | 'targetId',
): Promise<Computed> {
  const node = entity.kind === 'relationship' ? await tx.node(entity[end]) : undefined;
  return { entities: node === undefined ? [] : await readable(tx, access, [node]), single: true };
}

/** A map: a format may be any text, `constructor` included. */
const rows: ReadonlyMap<string, Row> = new Map<string, Row>(
  Object.entries({
    filePath: { valueType: 'String', compute: filePath },
    pagePath: { valueType: 'String', compute: (e) => Promise.resolve({ json: `/${e.id}` }) },
    isMounted: { valueType: 'Boolean', compute: () => Promise.resolve({ json: false }) },
    relationshipSource: { valueType: 'NodeInterface', compute: (e, c) => endNode(e, c, 'sourceId') },
    relationshipTarget: { valueType: 'NodeInterface', compute: (e, c) => endNode(e, c, 'targetId') },
  } satisfies Record<string, Row>),
);

/** Computed properties that take input once their feature exists; until then a write says so. */
const WRITABLE: ReadonlySet<string> = new Set([
  'fileContent',
  'imageContent',
  'flowEffectiveName',
  'flowPackageEffectiveName',
]);

/** A row's computation; rows of features still to come read as null. */
export function builtinComputations(definition: PropertyDefinition, trait: string): ComputedProperty {
  const format = definition.format ?? '';
  const row = rows.get(format);
  return {
    kind: 'computed',
    name: definition.name,
    definition,
    declaringTrait: trait,
    valueType: row?.valueType ?? 'Object',
    className: 'ComputedProperty',
    isCollection: row?.isCollection === true,
    compute: (entity, context) => (row === undefined ? Promise.resolve({ json: null }) : row.compute(entity, context)),
    ...(WRITABLE.has(format)
      ? {
          refuseWrite: () => {
            throw new SchemaError(
              `Property ${definition.name} of ${trait} cannot be written yet: its feature is not part of this version.`,
              [{ type: trait, property: definition.name, token: 'exception_occurred' }],
            );
          },
        }
      : {}),
  };
}
