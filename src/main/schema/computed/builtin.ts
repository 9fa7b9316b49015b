/**
 * Computations of built-in types (`propertyType` `Computed`, `format` names the row).
 */
import type { GraphEntity } from '../../graph/index.js';
import { SchemaError } from '../model/errors.js';
import { onlyReadable, readable } from '../model/actor.js';
import { relatedInOrder } from '../model/ordered.js';
import type { PropertyDefinition } from '../model/property.js';
import type { ComputeContext, Computed, ComputedProperty } from '../model/schema.js';
import { filePath, filesAt } from './file-path.js';

interface Row {
  readonly valueType: string;
  readonly isCollection?: boolean;
  compute(entity: GraphEntity, context: ComputeContext): Promise<Computed>;
  readonly search?: NonNullable<ComputedProperty['search']>;
}

/** Found in, or brought to, a mounted directory; or the folder that one is mounted at. */
async function isMounted(entity: GraphEntity, { tx }: ComputeContext): Promise<Computed> {
  const { mountPlace, mountLastScanned } = entity.properties;
  if (typeof mountPlace === 'string') return { json: true };
  if (mountLastScanned === undefined) return { json: false };
  const [configurations = []] = await tx.related([entity.id], { relType: 'CONFIGURED_BY', direction: 'out' }, 1);
  return { json: configurations.length > 0 };
}

async function endNode(
  entity: GraphEntity,
  { tx, access }: ComputeContext,
  end: 'sourceId' | 'targetId',
): Promise<Computed> {
  const node = entity.kind === 'relationship' ? await tx.node(entity[end]) : undefined;
  return { entities: node === undefined ? [] : await readable(tx, access, [node]), single: true };
}

/** The children of a node of a page, in their order. */
async function sortedChildren(entity: GraphEntity, { tx, type, access }: ComputeContext): Promise<Computed> {
  const children = type.properties.get('children');
  if (children?.kind !== 'relation') return { entities: [], single: false };
  const [entities = []] = await relatedInOrder(tx, [entity.id], children, onlyReadable(children.step, access));
  return { entities, single: false };
}

/** A map: a format may be any text, `constructor` included. */
const rows: ReadonlyMap<string, Row> = new Map<string, Row>(
  Object.entries({
    filePath: { valueType: 'String', compute: filePath, search: filesAt },
    pagePath: { valueType: 'String', compute: (e) => Promise.resolve({ json: `/${e.id}` }) },
    sortedChildren: { valueType: 'DOMNode', isCollection: true, compute: sortedChildren },
    isMounted: { valueType: 'Boolean', compute: isMounted },
    relationshipSource: { valueType: 'NodeInterface', compute: (e, c) => endNode(e, c, 'sourceId') },
    relationshipTarget: { valueType: 'NodeInterface', compute: (e, c) => endNode(e, c, 'targetId') },
  } satisfies Record<string, Row>),
);

/** Computed properties whose input is the content of a file. */
const CONTENT: ReadonlySet<string> = new Set(['fileContent', 'imageContent']);
/** Computed properties that take input once their feature exists; until then a write says so. */
const WRITABLE: ReadonlySet<string> = new Set(['flowEffectiveName', 'flowPackageEffectiveName']);

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
    ...(row?.search === undefined ? {} : { search: row.search }),
    ...(CONTENT.has(format) ? { isContent: true } : {}),
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
