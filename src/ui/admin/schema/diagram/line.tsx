/** A line between two types: a relation with its name, or a trait. */
import { BaseEdge, getBezierPath, type EdgeProps } from '@xyflow/react';
import { memo, type ReactNode } from 'react';
import { INHERITS_FROM, INHERITS_TO, type TypeEdge } from './shapes.js';
import { useNear } from './type-box.js';

interface Ends {
  readonly sourceX: number;
  readonly sourceY: number;
  readonly targetX: number;
  readonly targetY: number;
}

/**
 * A line that is bent by `height` (upwards where it is negative) and leaves the boxes by `width`: beside another one between the same
 * boxes, and above the box where both ends are the same. With the place of its label.
 */
function bowOf({ sourceX, sourceY, targetX, targetY }: Ends, height: number, width: number): [string, number, number] {
  const point = (x: number, y: number): string => `${String(x)} ${String(y)}`;
  const path = [
    `M ${point(sourceX, sourceY)}`,
    `C ${point(sourceX + width, sourceY + height)}`,
    point(targetX - width, targetY + height),
    point(targetX, targetY),
  ].join(' ');
  // The middle of such a curve lies at three quarters of the way.
  return [path, (sourceX + targetX) / 2, (sourceY + targetY) / 2 + height * 0.75];
}

export const Line = memo(function Line(props: EdgeProps<TypeEdge>): ReactNode {
  const { source, target, data, markerEnd, sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition } = props;
  const near = useNear();
  const isInherited = data?.relation === undefined;
  const ends = {
    sourceX,
    sourceY: isInherited ? sourceY + INHERITS_FROM : sourceY,
    targetX,
    targetY: isInherited ? targetY + INHERITS_TO : targetY,
    sourcePosition,
    targetPosition,
  };
  const beside = data?.beside ?? 0;
  const [path, x, y] =
    source === target
      ? bowOf(ends, -64 - beside * 40, 60)
      : beside > 0
        ? bowOf(ends, beside * 40, Math.max(40, Math.abs(targetX - sourceX) / 3))
        : getBezierPath(ends);
  const label = data?.label ?? '';
  return (
    <BaseEdge
      path={path}
      // From afar the wider line that takes clicks is no wider than the line.
      interactionWidth={near ? 20 : 0}
      labelX={x}
      labelY={y}
      {...(near && label !== '' ? { label, labelBgPadding: [4, 2], labelBgBorderRadius: 3 } : {})}
      {...(markerEnd === undefined ? {} : { markerEnd })}
    />
  );
});
