/** The schema as a diagram: boxes are dragged, relations are drawn from box to box (docs/interface/admin-ui.md, "Schema"). */
import {
  applyEdgeChanges,
  applyNodeChanges,
  Background,
  Controls,
  getNodesBounds,
  getViewportForBounds,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Connection,
  type Viewport,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useLoaded } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { operationTexts } from '../../texts/schema-operations.js';
import type { Schema } from '../model.js';
import { CreateRelation } from '../relations/relation-form.js';
import { Bar } from './bar.js';
import './diagram.css';
import { keepPlaces, keptPlaces } from './kept-layouts.js';
import { layOut, placed, type Places } from './layout.js';
import { Line } from './line.js';
import { takeProperties, type Properties } from './own-properties.js';
import { edgesOf, nodeOf, shownTypes, type TypeEdge, type TypeNode } from './shapes.js';
import { TypeBox } from './type-box.js';

const NODE_TYPES = { type: TypeBox };
const EDGE_TYPES = { line: Line };
const LEAST_ZOOM = 0.05;
/** Of fewer types the map would hide more than it shows. */
const WITH_MAP = 30;
/** Around all boxes, as a part of what is seen. */
const PADDING = 0.1;

export interface DiagramProps {
  readonly schema: Schema;
  readonly onChanged: () => void;
}

export default function Diagram(props: DiagramProps): ReactNode {
  const { t } = useAreaTexts(operationTexts);
  const { value: properties, problem } = useLoaded(takeProperties);
  if (properties === undefined)
    return problem === undefined ? <p className="soft">{t('app.loading')}</p> : <Trouble problem={problem} />;
  return (
    <ReactFlowProvider>
      <Canvas {...props} properties={properties} />
    </ReactFlowProvider>
  );
}

const placesOf = (nodes: readonly TypeNode[]): Places =>
  Object.fromEntries(nodes.map(({ id, position: { x, y } }) => [id, { x: Math.round(x), y: Math.round(y) }]));

function Canvas({ schema, onChanged, properties }: DiagramProps & { readonly properties: Properties }): ReactNode {
  const { t } = useAreaTexts(operationTexts);
  const { fitView } = useReactFlow();
  const [withBuiltin, setWithBuiltin] = useState(false);
  const [drawn, setDrawn] = useState<{ readonly source: string; readonly target: string }>();
  const made = useMemo(() => {
    const types = shownTypes(schema, withBuiltin);
    const edges = edgesOf(schema, types);
    const nodes = types.map((type) => nodeOf(type, properties.get(type.name) ?? []));
    return { edges, nodes: placed(nodes, edges, keptPlaces()) };
  }, [schema, properties, withBuiltin]);
  const [nodes, setNodes] = useState<TypeNode[]>(made.nodes);
  const [edges, setEdges] = useState<TypeEdge[]>(made.edges);
  const canvas = useRef<HTMLDivElement>(null);
  const [viewport, setViewport] = useState<Viewport>();
  // Known before anything is drawn, so that nothing is drawn twice.
  useLayoutEffect(() => {
    const { clientWidth = 0, clientHeight = 0 } = canvas.current ?? {};
    setViewport(
      made.nodes.length === 0
        ? { x: 0, y: 0, zoom: 1 }
        : getViewportForBounds(getNodesBounds(made.nodes), clientWidth, clientHeight, LEAST_ZOOM, 2, PADDING),
    );
  }, []);
  const isFirst = useRef(true);
  useEffect(() => {
    // The first ones are there already.
    if (!isFirst.current) {
      setNodes(made.nodes);
      setEdges(made.edges);
    }
    isFirst.current = false;
    keepPlaces(placesOf(made.nodes));
  }, [made]);
  const put = (places: Places): void => {
    const next = nodes.map((node) => ({ ...node, position: places[node.id] ?? node.position }));
    setNodes(next);
    keepPlaces(placesOf(next));
    requestAnimationFrame(() => void fitView({ padding: PADDING }));
  };
  const connect = ({ source, target }: Connection): void => {
    setDrawn({ source, target });
  };
  return (
    <div className="diagram">
      <Bar
        types={nodes}
        chosenType={nodes.find(({ selected }) => selected === true)?.data.name}
        chosenRelation={edges.find(({ selected }) => selected === true)?.data?.relation}
        withBuiltin={withBuiltin}
        places={() => placesOf(nodes)}
        onWithBuiltin={setWithBuiltin}
        onPlaces={put}
        onLayOut={() => {
          put(layOut(nodes, edges));
        }}
        onFind={(name) => {
          setNodes((before) => before.map((node) => ({ ...node, selected: node.id === name })));
          void fitView({ nodes: [{ id: name }], maxZoom: 1, padding: 1 });
        }}
        onRelate={(source) => {
          setDrawn({ source, target: '' });
        }}
      />
      {drawn === undefined ? null : (
        <CreateRelation
          schema={schema}
          source={drawn.source}
          target={drawn.target}
          onDone={() => {
            setDrawn(undefined);
            onChanged();
          }}
          onClose={() => {
            setDrawn(undefined);
          }}
        />
      )}
      {nodes.length === 0 ? <p className="soft">{t('diagram.none')}</p> : null}
      <div className="canvas" role="region" aria-label={t('diagram.title')} ref={canvas}>
        {viewport === undefined ? null : (
          <ReactFlow<TypeNode, TypeEdge>
            nodes={nodes}
            edges={edges}
            nodeTypes={NODE_TYPES}
            edgeTypes={EDGE_TYPES}
            onNodesChange={(changes) => {
              setNodes((before) => applyNodeChanges(changes, before));
              // By arrows too, and not only by dragging.
              const moved = changes.flatMap((one) =>
                one.type === 'position' && one.position !== undefined && one.dragging !== true
                  ? [[one.id, one.position] as const]
                  : [],
              );
              if (moved.length > 0) keepPlaces(Object.fromEntries(moved.map(([id, { x, y }]) => [id, { x, y }])));
            }}
            onEdgesChange={(changes) => {
              setEdges((before) => applyEdgeChanges(changes, before));
            }}
            onConnect={connect}
            onConnectEnd={(event, { isValid, fromNode }) => {
              // The whole box of a type takes a line, and not its dot alone.
              const at = 'changedTouches' in event ? event.changedTouches[0] : event;
              if (isValid === true || fromNode === null || at === undefined) return;
              const box = document.elementFromPoint(at.clientX, at.clientY)?.closest('.react-flow__node');
              const target = box?.getAttribute('data-id') ?? '';
              // Classes of services have no objects, and so no relations.
              const canBe = nodes.some(({ id, data }) => id === target && !data.isService);
              if (canBe) setDrawn({ source: fromNode.id, target });
            }}
            onlyRenderVisibleElements
            defaultViewport={viewport}
            minZoom={LEAST_ZOOM}
            deleteKeyCode={null}
            proOptions={{ hideAttribution: true }}
            ariaLabelConfig={{
              'node.a11yDescription.default': t('diagram.nodeHelp'),
              'edge.a11yDescription.default': t('diagram.edgeHelp'),
              'controls.zoomIn.ariaLabel': t('diagram.zoomIn'),
              'controls.zoomOut.ariaLabel': t('diagram.zoomOut'),
              'controls.fitView.ariaLabel': t('diagram.fit'),
              'minimap.ariaLabel': t('diagram.map'),
            }}
          >
            <Background gap={24} color="var(--line)" />
            <Controls showInteractive={false} />
            {nodes.length > WITH_MAP ? (
              <MiniMap
                pannable
                zoomable
                nodeColor="var(--soft)"
                maskColor="color-mix(in srgb, var(--ground) 60%, transparent)"
                bgColor="var(--card)"
              />
            ) : null}
          </ReactFlow>
        )}
      </div>
    </div>
  );
}
