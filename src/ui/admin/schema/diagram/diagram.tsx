/** The schema as a diagram: boxes are dragged, relations are drawn from box to box (docs/interface/admin-ui.md, "Schema"). */
import {
  applyEdgeChanges,
  applyNodeChanges,
  Background,
  Controls,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Connection,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useLoaded } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { list, type Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { operationTexts } from '../../texts/schema-operations.js';
import { text, type Schema } from '../model.js';
import { CreateRelation } from '../relations/relation-form.js';
import { Bar } from './bar.js';
import './diagram.css';
import { keepPlaces, keptPlaces } from './kept-layouts.js';
import { layOut, placed, type Places } from './layout.js';
import { Line } from './line.js';
import { edgesOf, nodeOf, shownTypes, type PropertyLine, type TypeEdge, type TypeNode } from './shapes.js';
import { TypeBox } from './type-box.js';

const NODE_TYPES = { type: TypeBox };
const EDGE_TYPES = { line: Line };

type Properties = ReadonlyMap<string, readonly PropertyLine[]>;

/** The own properties of all types, by the name of the type. */
async function loadProperties(): Promise<Properties> {
  const { result } = await list<Entity>(
    'SchemaProperty',
    { _disableSoftLimit: 1 },
    { properties: ['name', 'propertyType', 'schemaNode', 'staticSchemaNodeName'] },
  );
  const found = new Map<string, PropertyLine[]>();
  for (const { name, propertyType, schemaNode, staticSchemaNodeName } of result) {
    const owner = (schemaNode as Entity | null)?.name ?? (staticSchemaNodeName as string | null);
    if (owner === null || owner === undefined) continue;
    const line = { name: name ?? '', type: text(propertyType) };
    const lines = found.get(owner);
    if (lines === undefined) found.set(owner, [line]);
    else lines.push(line);
  }
  return found;
}

export interface DiagramProps {
  readonly schema: Schema;
  readonly onChanged: () => void;
}

export default function Diagram(props: DiagramProps): ReactNode {
  const { t } = useAreaTexts(operationTexts);
  const { value: properties, problem } = useLoaded(loadProperties);
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
    requestAnimationFrame(() => void fitView({ padding: 0.1 }));
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
      <div className="canvas" role="region" aria-label={t('diagram.title')}>
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
            if (target !== '') setDrawn({ source: fromNode.id, target });
          }}
          onlyRenderVisibleElements
          onInit={(flow) => {
            // The sizes of all boxes are known, so that nothing else begins it.
            void flow.fitView({ padding: 0.1 });
          }}
          minZoom={0.05}
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
          <MiniMap
            pannable
            zoomable
            nodeColor="var(--soft)"
            maskColor="color-mix(in srgb, var(--ground) 60%, transparent)"
            bgColor="var(--card)"
          />
        </ReactFlow>
      </div>
    </div>
  );
}
