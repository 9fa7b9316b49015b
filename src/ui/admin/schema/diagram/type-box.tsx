/** The box of a type. From afar its name is enough. */
import { Handle, Position, useStore, type NodeProps } from '@xyflow/react';
import { memo, type ReactNode } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { operationTexts } from '../../texts/schema-operations.js';
import type { TypeNode } from './shapes.js';

/** Below this zoom nobody can read the properties. */
const NEAR = 0.45;
const isNear = ({ transform }: { readonly transform: readonly [number, number, number] }): boolean =>
  transform[2] >= NEAR;

export const useNear = (): boolean => useStore(isNear);

export const TypeBox = memo(function TypeBox({ data, selected }: NodeProps<TypeNode>): ReactNode {
  const { t } = useAreaTexts(operationTexts);
  const near = useNear();
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
      <Handle type="target" id="in" position={Position.Left} className="end" isConnectable={!data.isService} />
      <Handle type="source" id="out" position={Position.Right} className="end" isConnectable={!data.isService} />
    </div>
  );
});
