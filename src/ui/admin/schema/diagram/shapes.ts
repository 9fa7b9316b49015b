/** What the diagram draws: boxes of types, and lines between them, of known sizes, so that nothing has to be measured. */
import { MarkerType, Position, type Edge, type Node } from '@xyflow/react';
import { isInternal, type Relation, type Schema, type SchemaType } from '../model.js';

export interface PropertyLine {
  readonly name: string;
  readonly type: string;
}

export interface TypeData extends Record<string, unknown> {
  readonly name: string;
  readonly inherits: readonly string[];
  readonly isBuiltin: boolean;
  readonly isService: boolean;
  readonly lines: readonly PropertyLine[];
  /** How many properties there are beside those in `lines`. */
  readonly more: number;
}
export type TypeNode = Node<TypeData, 'type'>;

export interface LineData extends Record<string, unknown> {
  readonly relation: Relation | undefined;
  readonly label: string;
  /** Of several lines from one box to another: which one, from 0. */
  readonly beside: number;
}
export type TypeEdge = Edge<LineData, 'line'>;

export const WIDTH = 220;
const HEAD = 34;
const LINE = 20;
/** How far below those of relations lines of inherited types begin and end: at the line that names them, and at the end of the head. */
export const INHERITS_FROM = (HEAD + LINE) / 2;
export const INHERITS_TO = 10;
const MOST_LINES = 6;

/** Own types, and those of the service that own ones inherit or are related to. */
export function shownTypes(schema: Schema, withBuiltin: boolean): readonly SchemaType[] {
  const wanted = new Set(schema.types.filter(({ id }) => id !== undefined).map(({ name }) => name));
  for (const { inherits, id } of schema.types) if (id !== undefined) for (const name of inherits) wanted.add(name);
  for (const { source, target } of schema.relations) wanted.add(source).add(target);
  return schema.types.filter(({ name }) => wanted.has(name) || (withBuiltin && !isInternal(name)));
}

export function nodeOf(type: SchemaType, properties: readonly PropertyLine[]): TypeNode {
  const lines = properties.slice(0, MOST_LINES);
  const more = properties.length - lines.length;
  const height = HEAD + (type.inherits.length > 0 ? LINE : 0) + (lines.length + (more > 0 ? 1 : 0)) * LINE + 8;
  const handle = (id: string, kind: 'source' | 'target', position: Position, x: number, y: number) =>
    ({ id, type: kind, position, x, y, width: 1, height: 1 }) as const;
  return {
    id: type.name,
    type: 'type',
    position: { x: 0, y: 0 },
    width: WIDTH,
    measured: { width: WIDTH, height },
    height,
    handles: [
      handle('out', 'source', Position.Right, WIDTH, HEAD / 2),
      handle('in', 'target', Position.Left, 0, HEAD / 2),
    ],
    data: {
      name: type.name,
      inherits: type.inherits,
      isBuiltin: type.isBuiltin,
      isService: type.isServiceClass,
      lines,
      more,
    },
    ariaLabel: type.name,
  };
}

/** Lines of relations, and dashed ones to what a type inherits. */
export function edgesOf(schema: Schema, types: readonly SchemaType[]): TypeEdge[] {
  const shown = new Set(types.map(({ name }) => name));
  const counts = new Map<string, number>();
  const besideOf = ({ source, target }: Relation): number => {
    const pair = `${source} ${target}`;
    const count = counts.get(pair) ?? 0;
    counts.set(pair, count + 1);
    return count;
  };
  const relations = schema.relations
    .filter(({ source, target }) => shown.has(source) && shown.has(target))
    .map((relation): TypeEdge => ({
      id: relation.id,
      type: 'line',
      source: relation.source,
      target: relation.target,
      sourceHandle: 'out',
      targetHandle: 'in',
      className: relation.permissionPropagation === 'None' ? 'relation' : 'relation propagating',
      markerEnd: { type: MarkerType.ArrowClosed },
      ariaLabel: `${relation.source} ${relation.relationshipType} ${relation.target}`,
      data: { relation, label: labelOf(relation), beside: besideOf(relation) },
    }));
  const inherited = types.flatMap(({ name, inherits }) =>
    inherits
      .filter((base) => shown.has(base))
      .map((base): TypeEdge => ({
        id: `${name} > ${base}`,
        type: 'line',
        source: name,
        target: base,
        sourceHandle: 'out',
        targetHandle: 'in',
        className: 'inherits',
        markerEnd: { type: MarkerType.Arrow },
        selectable: false,
        focusable: false,
        data: { relation: undefined, label: '', beside: 0 },
      })),
  );
  return [...relations, ...inherited];
}

const labelOf = ({ relationshipType, sourceMultiplicity, targetMultiplicity }: Relation): string =>
  `${sourceMultiplicity} ${relationshipType} ${targetMultiplicity}`;
