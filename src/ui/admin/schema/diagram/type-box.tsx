/** The box of a type. From afar its name is enough. */
import { Handle, Position, useStore, type HandleProps, type NodeProps } from '@xyflow/react';
import { memo, type ReactNode } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { operationTexts } from '../../texts/schema-operations.js';
import type { TypeNode } from './shapes.js';

/** Below this zoom nobody can read the properties. */
const NEAR = 0.45;
const isNear = ({ transform }: { readonly transform: readonly [number, number, number] }): boolean =>
  transform[2] >= NEAR;

export const useNear = (): boolean => useStore(isNear);

/** Below this one a dot is smaller than two pixels, so that nobody can draw from it. */
const WITH_DOTS = 0.16;
const hasDots = ({ transform }: { readonly transform: readonly [number, number, number] }): boolean =>
  transform[2] >= WITH_DOTS;

export const TypeBox = memo(function TypeBox({ data, selected }: NodeProps<TypeNode>): ReactNode {
  const { t } = useAreaTexts(operationTexts);
  const near = useNear();
  const dots = useStore(hasDots);
  const kind = data.isBuiltin ? ' builtin' : data.isService ? ' service' : '';
  return (
    <div className={`type-box${selected ? ' chosen' : ''}${kind}${near ? '' : ' far'}`}>
      <div className="type-box-name">{data.name}</div>
      {near ? (
        <>
          {data.inherits.length === 0 ? null : (
            <div className="type-box-line inherits-line">← {data.inherits.join(', ')}</div>
          )}
          {data.lines.map(({ name, type }) => (
            <div key={name} className="type-box-line">
              <span>{name}</span>
              <span className="soft-type">{type}</span>
            </div>
          ))}
          {data.more > 0 ? <div className="type-box-line soft-type">{t('diagram.more', { n: data.more })}</div> : null}
        </>
      ) : null}
      <Dot type="target" id="in" position={Position.Left} isConnectable={!data.isService} isFar={!dots} />
      <Dot type="source" id="out" position={Position.Right} isConnectable={!data.isService} isFar={!dots} />
    </div>
  );
});

/** Where lines begin and end. From afar an element that the library measures alone: of 600 that can be drawn from, drawing takes twice as long. */
function Dot({
  isFar,
  type,
  id,
  position,
  isConnectable,
}: Pick<HandleProps, 'type' | 'position'> & {
  readonly id: string;
  readonly isConnectable: boolean;
  readonly isFar: boolean;
}): ReactNode {
  if (!isFar) return <Handle type={type} id={id} position={position} className="end" isConnectable={isConnectable} />;
  const className = `react-flow__handle react-flow__handle-${position} ${type} end`;
  return <div className={className} data-handleid={id} data-handlepos={position} />;
}
