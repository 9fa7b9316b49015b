/**
 * What schema objects say for the document alone: whether they are in it, tags, texts. The compiled schema does not carry
 * it, so it is read from the graph, once a schema version.
 */
import type { Graph, GraphNode, ReadTransaction } from '../../graph/index.js';

/** Texts and tags of a type, method or function that is in the document. */
export interface Annotation {
  readonly tags: readonly string[];
  readonly summary: string | undefined;
  readonly description: string | undefined;
}

/** A declared parameter of a method. */
export interface ParameterAnnotation {
  readonly name: string;
  readonly type: string;
  readonly description: string | undefined;
  readonly example: string | undefined;
}

export interface MethodAnnotation extends Annotation {
  readonly returnType: string | undefined;
  /** The value is sent without an envelope. */
  readonly raw: boolean;
  /** In the order of path arguments. */
  readonly parameters: readonly ParameterAnnotation[];
}

/** Everything that is marked to be in the document. */
export interface Annotations {
  /** By name; types without tags of their own are tagged with their name. */
  readonly types: ReadonlyMap<string, Annotation>;
  /** By name of the type, then of the method. */
  readonly methods: ReadonlyMap<string, ReadonlyMap<string, MethodAnnotation>>;
  /** User-defined functions, by name. */
  readonly functions: ReadonlyMap<string, MethodAnnotation>;
}

function text(node: GraphNode, key: string): string | undefined {
  const value = node.properties[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function annotation(node: GraphNode): Annotation {
  const tags = node.properties['tags'];
  return {
    tags: Array.isArray(tags) ? [...new Set(tags.map(String).filter((t) => t !== ''))] : [],
    summary: text(node, 'summary'),
    description: text(node, 'description'),
  };
}

const isIncluded = (node: GraphNode): boolean => node.properties['includeInOpenAPI'] === true;

/** Reads all annotations as the last commit left them. */
export function readAnnotations(graph: Graph): Promise<Annotations> {
  return graph.read(async (tx) => {
    const all = (type: string): Promise<GraphNode[]> => tx.find({ kind: 'nodes', trait: type, types: [type] });
    const types = new Map<string, Annotation>();
    for (const node of [...(await all('SchemaNode')), ...(await all('SchemaRelationshipNode'))]) {
      const name = text(node, 'name');
      if (name === undefined || !isIncluded(node)) continue;
      const own = annotation(node);
      types.set(name, own.tags.length > 0 ? own : { ...own, tags: [name] });
    }
    return { types, ...(await readMethods(tx, (await all('SchemaMethod')).filter(isIncluded))) };
  });
}

async function readMethods(tx: ReadTransaction, nodes: readonly GraphNode[]): Promise<Omit<Annotations, 'types'>> {
  const ids = nodes.map((n) => n.id);
  const owners = await tx.related(ids, { relType: 'HAS_METHOD', direction: 'in' }, 1);
  const parameters = await tx.related(ids, { relType: 'HAS_PARAMETER', direction: 'out' });
  const methods = new Map<string, Map<string, MethodAnnotation>>();
  const functions = new Map<string, MethodAnnotation>();
  for (const [i, node] of nodes.entries()) {
    const name = text(node, 'name');
    if (name === undefined) continue;
    const method: MethodAnnotation = {
      ...annotation(node),
      returnType: text(node, 'openAPIReturnType'),
      raw: node.properties['returnRawResult'] === true,
      parameters: sorted(parameters[i] ?? []),
    };
    const linked = owners[i]?.[0];
    const owner = linked === undefined ? text(node, 'staticSchemaNodeName') : text(linked, 'name');
    if (owner === undefined) {
      functions.set(name, method);
      continue;
    }
    let own = methods.get(owner);
    if (own === undefined) methods.set(owner, (own = new Map<string, MethodAnnotation>()));
    own.set(name, method);
  }
  return { methods, functions };
}

function sorted(nodes: readonly GraphNode[]): ParameterAnnotation[] {
  const index = (node: GraphNode): number => Number(node.properties['index'] ?? 0);
  return [...nodes]
    .sort((a, b) => index(a) - index(b))
    .map((node) => ({
      name: text(node, 'name') ?? '',
      type: text(node, 'parameterType') ?? '',
      description: text(node, 'description'),
      example: text(node, 'exampleValue'),
    }))
    .filter((p) => p.name !== '');
}
