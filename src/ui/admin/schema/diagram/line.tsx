/** A line between two types: a relation with its name, or a trait. */
import { BaseEdge, getBezierPath, getSmoothStepPath, type EdgeProps } from '@xyflow/react';
import { memo, type ReactNode } from 'react';
import { INHERITS_FROM, INHERITS_TO, type TypeEdge } from './shapes.js';
import { useNear } from './type-box.js';

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
  // Around the box where both ends are the same.
  const [path, x, y] =
    source === target ? getSmoothStepPath({ ...ends, offset: 24, borderRadius: 12 }) : getBezierPath(ends);
  const label = data?.label ?? '';
  return (
    <BaseEdge
      path={path}
      labelX={x}
      labelY={y}
      {...(near && label !== '' ? { label, labelBgPadding: [4, 2], labelBgBorderRadius: 3 } : {})}
      {...(markerEnd === undefined ? {} : { markerEnd })}
    />
  );
});
